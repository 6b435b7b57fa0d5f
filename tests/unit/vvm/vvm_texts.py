"""Small programs for the tests: how they are read, checked and run."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commonplace.agent import Host
from commonplace.surfaces.vvm.check import check
from commonplace.surfaces.vvm.errors import Diagnostic, Findings
from commonplace.surfaces.vvm.models import Models
from commonplace.surfaces.vvm.parser import normalised, parse
from commonplace.surfaces.vvm.program import load
from commonplace.surfaces.vvm.run import run, shown
from commonplace.surfaces.vvm.syntax import Block


def read(text: str) -> tuple[Block, list[Diagnostic]]:
    """What a text says, and everything that is noted about it."""
    text = normalised(textwrap.dedent(text))
    findings = Findings(text, "a.vvm")
    body = parse(text, findings)
    check(body, findings)
    return body, findings.all()


def noted(text: str) -> list[tuple[str, int, int]]:
    """Code, line and column of all that is noted."""
    return [(one.code, *one.at) for one in read(text)[1]]


def errors(text: str) -> list[str]:
    return [one.code for one in read(text)[1] if one.is_error]


class Script:
    """A model that answers by a function, and remembers what it was asked."""

    def __init__(self, answer: Callable[[str], str] | str = "done") -> None:
        self._answer = answer if callable(answer) else lambda _: answer
        self.asked: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        return self._answer(prompt)


def ran(folder: Path, text: str, model: Any = None, host: Host | None = None, **arguments: Any) -> dict[str, Any]:
    """What a program exports when it runs in this folder."""
    path = folder / "program.vvm"
    path.write_text(textwrap.dedent(text))
    return shown(run(load(str(path)), Models(model), arguments, host))
