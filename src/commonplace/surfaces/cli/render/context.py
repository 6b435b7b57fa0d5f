"""A context as it would be injected, line by line; on a terminal with what it cost beneath."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.model.bundle import ContextBundle
from commonplace.surfaces.cli.page import Line, Page
from commonplace.surfaces.operations import Described


def context(_: Described, answer: ContextBundle, page: Page) -> Iterator[Line]:
    """A script gets the text and nothing else: it goes into a prompt."""
    yield from (_painted(line) for line in answer.text.splitlines())
    if page.plain:
        return
    said = f"{answer.tokens} of {answer.budget} tokens" if answer.text else "nothing to hand over"
    if answer.omitted:
        said += f"; no room for {len(answer.omitted)}"
    yield [(f"{said}; receipt {answer.receipt_id}", "dim")]


def _painted(line: str) -> Line:
    """The fence and what is told of a memory stand back; its id and its words stand out."""
    head, bar, text = line.rpartition(" | ")
    id, space, rest = head.removeprefix("- ").partition(" ")
    if not bar or not line.startswith("- "):
        return [(line, "dim")]
    return [("- ", "dim"), (id, "id"), (f"{space}{rest}{bar}", "dim"), (text, "")]
