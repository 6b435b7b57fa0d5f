"""Criteria that only meaning can decide: ?`ready`, `choose … by`, `require`.

The language leaves them to whoever runs the program. Here that is the model without a name, asked without memory and
without tools, one short question for each criterion. What it does not clearly affirm is false; a choice that it does not
clearly make is the first one (so the language wants it).
"""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.agent import Agent, ErrorValue
from commonplace.surfaces.vvm.errors import Place
from commonplace.surfaces.vvm.machine import Machine
from commonplace.surfaces.vvm.values import Value, given, thrown

_HOLDS = """You judge whether a criterion holds for the input. You use nothing but the input and the criterion.
Answer with one word: true or false. If you are not sure, answer false."""
_CHOOSES = """You choose one option for the input by a criterion. You use nothing but these.
Answer with the label of the option and nothing else. If several are equally good, answer with the first."""


def holds(machine: Machine, criterion: str, value: Value, at: Place) -> bool:
    said = _asked(machine, _HOLDS, "Criterion: {criterion}", value, {"criterion": criterion}, at)
    return said.strip(" \n\t`'\".!*").casefold() == "true"


def chosen(machine: Machine, criterion: str, value: Value, labels: Sequence[str], at: Place) -> str:
    options = "\n".join(f"- {label}" for label in labels)
    bindings = {"criterion": criterion, "options": options}
    said = _asked(machine, _CHOOSES, "Criterion: {criterion}\n\nOptions:\n{options}", value, bindings, at)
    answer = said.strip(" \n\t`'\".!*-").casefold()
    return next((label for label in labels if label.strip().casefold() == answer), labels[0])


def _asked(machine: Machine, prompt: str, template: str, value: Value, bindings: dict[str, str], at: Place) -> str:
    judge = Agent(model=machine.models.of(None), prompt=prompt, name="judge", host=machine.host)
    said = judge(template, given(value), bindings=bindings, memory_mode="fresh")
    if isinstance(said, ErrorValue):
        raise thrown(f"a criterion could not be judged: {said.message}", at)
    return said
