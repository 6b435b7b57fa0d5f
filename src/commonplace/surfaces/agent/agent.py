"""`Agent`: a model, a prompt and a memory, to be called like a function.

helper = Agent(model=ask, prompt="Helpful, practical.", memory={"scope": "project", "key": "user:alice"})
answer = helper("Help with {}.", question)
audit = helper("Answer without updating memory.", question, memory_mode="dry_run")
other = helper.with_(memory={"key": "user:bob"})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.agent.host import Host
from commonplace.surfaces.agent.values import NOTHING, ErrorValue

if TYPE_CHECKING:
    from commonplace.surfaces.agent.memory_context import MemoryContext
    from commonplace.surfaces.agent.models import Given

_KEYS = ("model", "prompt", "skills", "permissions", "memory", "name", "host")


class Agent:
    """A template for calls. It holds no state of its own and never changes; what it remembers lies in its memory's folder.

    Identity of a memory is scope and key (V8): two agents with the same binding share one memory, and one agent has
    as many memories as it is given keys.
    """

    def __init__(
        self,
        *,
        model: Given | None = None,
        prompt: str = "",
        skills: tuple[str, ...] | list[str] = (),
        permissions: Mapping[str, Any] | None = None,
        memory: Mapping[str, Any] | None = None,
        name: str = "",
        host: Host | None = None,
    ) -> None:
        """Nothing is read, written, checked or called before the first call.

        `model` is any callable that takes the whole prompt and returns the answer's text, or the address of an
        OpenAI-compatible server with the model behind a `#`: `"http://localhost:11434/v1#llama3"`, or a table with
        `use`, `model`, `api_key_env` and what else `[extractor]` may say.
        `memory` is `{"scope": "project" | "user" | "path", "key": …}`, with `path` if and only if the scope is `path` (V7).
        `skills` and `permissions` are kept for hosts that know them; a model that takes text does not see them.
        """
        self.model, self.prompt, self.name = model, prompt, name
        self.skills, self.permissions, self.memory = tuple(skills), permissions, memory
        self.host = host or Host()

    def __repr__(self) -> str:
        return f"<Agent {self.name or 'without a name'}, memory {dict(self.memory) if self.memory else None}>"

    def with_(self, **changes: Any) -> Agent:
        """The same agent with some keys changed: single values and lists are replaced, tables are merged one level deep (V48).

        So `with_(memory={"key": "b"})` keeps the scope. `memory=None` takes the memory away.
        Raises `TypeError` for a key that no agent has.
        """
        kept = {key: getattr(self, key) for key in _KEYS}
        merged = {key: _merged(kept.get(key), value) for key, value in changes.items()}
        return Agent(**{**kept, **merged})

    def __call__(
        self,
        template: str,
        input: object = NOTHING,
        *,
        memory_mode: str = "continue",
        retry: int = 0,
        backoff: str | None = None,
        timeout: str | float | None = None,
        name: str | None = None,
        bindings: Mapping[str, object] | None = None,
        **others: object,
    ) -> str | ErrorValue:
        """Render the template, load the memory, ask the model, apply its patch. Returns the visible text or an error value.

        `{}` in the template is the input, `{name}` a binding, `{{` and `}}` are braces (V52). Bindings are given as a
        table or as further keywords; a keyword that the template does not name is ignored, as unknown options are (V49).
        `()` as the input is an empty one: no `Input:` section (V56).

        `memory_mode`: `continue` reads and writes, `dry_run` reads, `fresh` does neither; ignored without a memory (V12, V13).
        `retry=n` tries up to n times more after `spawn_failed`, `timeout` or `rejected`, with the same prompt (V49, V50);
        `backoff` is `"fixed"` (a second each time) or `"exponential"` (1, 2, 4 seconds); `timeout` is for one try: `"30s"`.
        `name` says who this call is in the book's journal.

        Raises `InvalidError` with code `E051` or `E052` if the template is wrong: then no model was asked and no lock taken.
        Everything else comes back as an `ErrorValue`; its kinds are `spawn_failed`, `timeout`, `rejected`, `locked` and
        `binding_failed` (the memory could not be read or written; `data["output"]` holds the text if there was one).
        """
        from commonplace.surfaces.agent.call import Options, call

        options = Options(
            memory_mode=memory_mode, retry=retry, backoff=backoff, timeout=timeout, name=name or self.name
        )
        return call(self, template, input, {**others, **(bindings or {})}, options)

    def memory_context(self, *, memory_mode: str = "continue") -> MemoryContext | ErrorValue:
        """What a call would put before its prompt now, with what was used of the budget and what was left out (V24)."""
        from commonplace.surfaces.agent.call import preview

        return preview(self, memory_mode)


def _merged(old: object, new: object) -> object:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {**old, **new}
    return new
