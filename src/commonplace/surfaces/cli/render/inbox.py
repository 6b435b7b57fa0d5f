"""The inbox, one item after the other: what it says, why it waits, what speaks for it, what it would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonplace.model.inbox import InboxItem
from commonplace.surfaces.cli.page import Line, Page, one_line
from commonplace.surfaces.cli.render.records import owner_of
from commonplace.surfaces.operations import Described


def inbox(_: Described, answer: Sequence[InboxItem], page: Page) -> Iterator[Line]:
    if not answer:
        yield [("the inbox is empty", "dim")]
        return
    for number, item in enumerate(answer):
        if number:
            yield []
        yield from _item(item, page)
    if not page.plain:
        yield []
        yield from page.prose("commonplace inbox accept|edit|reject|merge|defer ID", "dim")


def _item(item: InboxItem, page: Page) -> Iterator[Line]:
    record = item.record
    told = f"{record.type}, {owner_of(record)}, {record.trust}, {record.created_at:%Y-%m-%d}"
    yield from page.headed([(page.glyph("◌ "), "warn"), (record.id, "id")], told)
    for line in item.change.splitlines():
        style = "good" if line.startswith("+") else "bad"
        yield from page.prose(line, style, [("  ", "")], [("    ", "")])
    waits = item.reason + (f"; put off to {item.deferred_until}" if item.deferred_until else "")
    yield from page.prose(f"waits: {waits}", "dim", [("  ", "")])
    if item.evidence and item.evidence.quoted_from == "source":
        yield from page.prose(f"evidence: “{one_line(item.evidence.quote)}” ({item.evidence.ref})", "dim", [("  ", "")])
