"""Running the terminal sessions of a page, and comparing what they show.

An id on a page stands for the id that was really given, here and in later commands of the page. Moments, sizes and hashes
of whole files differ from run to run and are not compared. A line `...` stands for any lines. `(exit code N)` behind an
answer states the exit code; without it the command must succeed.

Examples run without a model, on words, so that they show the same everywhere. A page that says `<!-- with models -->` runs with
the default ones; its scores differ a little from one processor to another, and are not compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from commonplace.providers.weights import models_folder

from .pages import Block, Page

_ID = re.compile(r"\b0[0-9A-HJKMNP-TV-Z]{25}\b")
_MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?(Z| UTC)"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"(sha256 +)[0-9a-f]{64}"), r"\1HASH"),
    (re.compile(r'("(?:hash|sha256)": ?)"[0-9a-f]{64}"'), r'\1"HASH"'),
    (re.compile(r"(bytes +)[\d,]+"), r"\1SIZE"),
    (re.compile(r"(size +)[\d.,]+ \w+"), r"\1SIZE"),
    (re.compile(r"^(  took +).+", re.MULTILINE), r"\1TIMES"),
    (re.compile(r"(</?memory )[a-z2-7]{20}"), r"\1MARK"),
)
_SCORES = (
    (re.compile(r"(?<= )[+-]?\d+\.\d{3} *"), "SCORE"),
    (re.compile(r"(?<=close \()0\.\d\d"), "NEARNESS"),
)
_WITH_MODELS = "<!-- with models -->"


class Command(NamedTuple):
    """What is typed, what is answered, and the line of the page it stands on."""

    typed: str
    answer: str
    line: int


def commands(block: Block) -> Iterator[Command]:
    typed, line, answer = "", 0, []
    for number, text in enumerate(block.text.splitlines(), block.line):
        if typed.endswith("\\") and not answer:
            typed = f"{typed[:-1]}{text.removeprefix('> ').lstrip()}"
        elif text.startswith("$ "):
            if typed:
                yield Command(typed, "\n".join(answer).strip("\n"), line)
            typed, line, answer = text[2:], number, []
        else:
            assert typed, f"line {number}: a console block begins with a command"
            answer.append(text)
    if typed:
        yield Command(typed, "\n".join(answer).strip("\n"), line)


class Terminal:
    """A shell in a folder of its own, with a book and a name, as the guide's reader has them."""

    def __init__(self, folder: Path, *, models: bool = False) -> None:
        self._folder, self._models = folder, models
        self._real: dict[str, str] = {}
        programs = folder / ".bin"
        programs.mkdir()
        shim = programs / "commonplace"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m commonplace.surfaces.cli "$@"\n')
        shim.chmod(0o755)
        self._environment = {**environment(folder, models=models), "PATH": f"{programs}:{os.environ['PATH']}"}

    def check(self, command: Command, page: str) -> None:
        shown = self.answer(command)
        assert self.is_answer(command.answer, shown), (
            f"{page}:{command.line}: $ {command.typed}\n--- the page says\n{command.answer}\n--- it shows\n{shown}"
        )

    def is_answer(self, wanted: str, shown: str) -> bool:
        """Does the page say what is shown, but for what differs from run to run?"""
        return _fits(_lines(wanted, scores=not self._models), _lines(shown, scores=not self._models))

    def answer(self, command: Command) -> str:
        """What the command shows, with the ids that the page has for it."""
        typed = _ID.sub(lambda found: self._real.get(found[0], found[0]), command.typed)
        done = subprocess.run(
            ["/bin/sh", "-c", typed], cwd=self._folder, env=self._environment, timeout=60, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        shown = done.stdout.replace(str(self._folder.resolve()), "~").strip("\n")
        if done.returncode:
            shown += f"\n(exit code {done.returncode})"
        self._learn(command.answer, shown)
        given = {real: written for written, real in self._real.items()}
        return _ID.sub(lambda found: given.get(found[0], found[0]), shown)

    def _learn(self, answer: str, shown: str) -> None:
        """Which real id each id of the page stands for."""
        written, real = _ID.findall(answer), _ID.findall(shown)
        if len(written) == len(real):
            for one, other in zip(written, real, strict=True):
                self._real.setdefault(one, other)


def wants_models(page: Page) -> bool:
    return _WITH_MODELS in page.text


def environment(folder: Path, *, models: bool = False) -> dict[str, str]:
    """What every example finds around it."""
    chosen = "auto" if models else "none"
    return {
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "COMMONPLACE_BOOK": f"sqlite:{folder / 'book.sqlite'}",
        "COMMONPLACE_ACTOR": "alice",
        "COMMONPLACE_EMBEDDER": chosen,
        "COMMONPLACE_RERANKER": chosen,
        "COMMONPLACE_MODELS": models_folder(),
        "COMMONPLACE_FETCH": "never",
    }


def _lines(text: str, *, scores: bool) -> list[str]:
    for pattern, instead in _MASKS if scores else (*_MASKS, *_SCORES):
        text = pattern.sub(instead, text)
    return [line.rstrip() for line in text.splitlines()]


def _fits(wanted: list[str], shown: list[str]) -> bool:
    """Line by line; `...` takes as many lines as it needs."""
    if not wanted:
        return not shown
    if wanted[0] == "...":
        return any(_fits(wanted[1:], shown[skip:]) for skip in range(len(shown) + 1))
    return bool(shown) and wanted[0] == shown[0] and _fits(wanted[1:], shown[1:])
