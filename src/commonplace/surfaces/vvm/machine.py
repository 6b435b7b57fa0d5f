"""What a running program stands on: the agents' host, the models, the judge. One for a whole run, shared by its threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from commonplace.agent import Agent, ErrorValue, Host
from commonplace.surfaces.vvm.agent_settings import KEYS
from commonplace.surfaces.vvm.errors import Place
from commonplace.surfaces.vvm.scope import Frame
from commonplace.surfaces.vvm.syntax import Block
from commonplace.surfaces.vvm.values import Value, sort_of, thrown

if TYPE_CHECKING:
    from commonplace.surfaces.vvm.models import Models

_SORTS = {
    "model": "a string", "prompt": "a string", "skills": "a list", "permissions": "an object", "memory": "an object",
}  # fmt: skip


class Machine:
    """`execute` runs a block in a frame; it is handed in, because values call functions and functions are made of blocks."""

    def __init__(self, models: Models, host: Host, execute: Callable[[Machine, Frame, Block], None]) -> None:
        self.models, self.host, self._execute = models, host, execute

    def execute(self, frame: Frame, block: Block) -> None:
        self._execute(self, frame, block)

    def agent(self, name: str, settings: Mapping[str, Value], at: Place) -> Agent:
        made = Agent(model=self.models.of(None), name=name, host=self.host)
        return self.derived(made, settings, at)

    def derived(self, agent: Agent, settings: Mapping[str, Value], at: Place) -> Agent:
        """The agent with these settings over its own (V48). What the language does not know, it does not hand on."""
        changes: dict[str, Any] = {}
        for key, value in settings.items():
            if key not in KEYS:
                continue
            if sort_of(value) != _SORTS[key]:
                raise thrown(f"an agent's {key} is {_SORTS[key]}, not {sort_of(value)}", at)
            changes[key] = self.models.of(value) if key == "model" else value
        return agent.with_(**changes)


def value_of(answer: str | ErrorValue) -> Value:
    """What an agent answered, as a value of the language."""
    return answer.to_dict() if isinstance(answer, ErrorValue) else answer
