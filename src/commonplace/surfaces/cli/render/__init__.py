"""How is an answer shown to a person? One function per sort of answer in the table of operations."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from commonplace.surfaces.cli.page import Line, Page
from commonplace.surfaces.operations import Described

_RENDERERS = {
    "record": "records:record",
    "records": "records:records",
    "results": "finding:results",
    "receipts": "finding:receipts",
    "inbox": "inbox:inbox",
    "context": "context:context",
    "link": "records:link",
    "links": "records:links",
    "conflict": "records:conflict",
    "disputes": "consolidation:disputes",
    "consolidation": "consolidation:consolidation",
    "explanation": "journal:explanation",
    "operation": "journal:operation",
    "operations": "journal:operations",
    "examination": "reports:examination",
    "import": "reports:imported",
    "report": "reports:report",
    "copy": "reports:copied",
    "event": "taking:event",
    "source": "taking:source",
    "worked": "taking:worked",
}


_SEVERAL = ("records", "results", "receipts", "operations", "inbox", "disputes", "links")


def lines_of(operation: Described, answer: Any, page: Page) -> Iterable[Line]:
    module, _, name = _RENDERERS[operation.answers].partition(":")
    found: Iterable[Line] = getattr(import_module(f"{__name__}.{module}"), name)(operation, answer, page)
    return found


def ids_of(operation: Described, answer: Any) -> Iterable[Line]:
    """The quiet answer: an id a line, so that one command can feed the next; for `get` the content itself."""
    if operation.name == "get":
        return [[(line, "")] for line in answer.content.split("\n")]
    if operation.answers in ("examination", "report", "import", "copy", "worked"):
        return []
    if operation.name == "context":
        return [[(citation.split()[0], "")] for citation in answer.citations]
    if operation.answers == "consolidation":
        return [[(step.id, "")] for step in answer.steps]
    found: list[Any] = [*answer] if operation.answers in _SEVERAL else [answer]
    return [[(_id_of(one), "")] for one in found]


def _id_of(one: Any) -> str:
    """Of a memory, of the memory in a result, of the receipt that is explained."""
    for part in ("record", "receipt"):
        one = getattr(one, part, one)
    return str(one.id)


def json_of(answer: Any, page: Page) -> str:
    """One document. On a terminal it is indented, and what cannot be seen is escaped as JSON escapes it."""
    import msgspec

    encoded = msgspec.json.encode(answer)
    if not page.is_terminal:
        return encoded.decode() + "\n"
    text = msgspec.json.format(encoded, indent=2).decode() + "\n"
    return "".join(_escaped(char) for char in text)


def _escaped(char: str) -> str:
    if char.isprintable() or char == "\n":
        return char
    pairs = char.encode("utf-16-be")
    return "".join(f"\\u{pairs[i : i + 2].hex()}" for i in range(0, len(pairs), 2))
