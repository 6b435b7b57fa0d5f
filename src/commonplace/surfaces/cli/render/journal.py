"""What happened: operations as a timeline for people and as a table for scripts, and why a memory is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.cli.page import Line, Page, fitted, one_line, width_of
from commonplace.surfaces.cli.render.records import card, conflict_facts, link_line, pairs, when
from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.engine.explain import Explanation, ReceiptExplanation
    from commonplace.model.operation import Change, Operation

_STYLES = {
    "save": "good",
    "capture": "good",
    "extract": "good",
    "reinforce": "good",
    "import": "good",
    "promote": "good",
    "restore": "good",
    "evolve": "key",
    "edit": "key",
    "link": "key",
    "revert": "warn",
    "archive": "warn",
    "reject": "warn",
    "unlink": "warn",
    "contradict": "accent",
    "forget": "bad",
    "purge": "bad",
}
_QUIET = ("updated_at", "deleted_at")  # moments that the entry's own time tells already
_SHOWN_CHANGES = 5
_SIGNATURE = 12


def operations(_: Described, answer: list[Operation], page: Page) -> Iterator[Line]:
    if not answer and not page.plain:
        return iter([[("nothing happened", "dim")]])
    return _table(answer, page) if page.plain else timeline(answer, page)


def operation(_: Described, answer: Operation, page: Page) -> Iterator[Line]:
    undone = ", ".join(answer.reverts)
    yield [
        (page.glyph("↺ "), "warn"),
        ("reverted", "warn"),
        (f"  {undone}", "id"),
        ("  by operation ", "dim"),
        (answer.id, "id"),
    ]
    for change in answer.changes[:_SHOWN_CHANGES]:
        yield [("  ", ""), *_change(change, page)]


def timeline(told: list[Operation], page: Page) -> Iterator[Line]:
    for number, entry in enumerate(told):
        last = number == len(told) - 1
        yield from _entry(entry, page, last=last)
        for line in _details(entry, page):
            yield [*_margin(page, last=last), *line]


def _entry(entry: Operation, page: Page, *, last: bool) -> Iterator[Line]:
    """One line; on a narrow page its id, and who it was, stand below."""
    style = _STYLES[entry.verb]
    line: Line = [(page.glyph("● ", "* "), style), (f"{entry.verb:<11}", style), (when(entry.at), "dim")]
    signed: Line = [(entry.id, "id"), ("  ", "")]
    if page.width is not None and width_of(line) + 2 + width_of(signed) + _SIGNATURE > page.width:
        yield line
        line = [*_margin(page, last=last), *signed]
    else:
        line = [*line, ("  ", ""), *signed]
    room = None if page.width is None else max(page.width - width_of(line), 6)
    yield [*line, (fitted(f"{entry.actor} via {entry.surface}", room, page.glyph("…", "...")), "dim")]


def _margin(page: Page, *, last: bool) -> Line:
    return [(page.glyph(" " if last else "│", " "), "dim"), ("   ", "")]


def _details(entry: Operation, page: Page) -> Iterator[Line]:
    if entry.purged:
        yield [("what it said was purged", "dim")]
    shown = [change for change in entry.changes if change.entity != "source"] or [*entry.changes]
    for change in shown[:_SHOWN_CHANGES]:
        yield _change(change, page)
    if len(shown) > _SHOWN_CHANGES:
        yield [(f"... and {len(shown) - _SHOWN_CHANGES} more", "dim")]
    if entry.reason:
        yield [("why: ", "dim"), (one_line(entry.reason), "")]


def _change(change: Change, page: Page) -> Line:
    made, went = change.before is None and not change.is_gone, change.after is None
    sign, style = ("+", "good") if made else ("-", "bad") if went else ("~", "warn")
    if change.entity == "link":
        return [(f"{sign} link ", style), (change.id.replace(">", " "), "id")]
    room = None if page.width is None else max(page.width - 44, 24)
    said = fitted(_said(change), room, page.glyph("…", "..."))
    return [(f"{sign} {change.entity} ", style), (change.id, "id"), (f"  {said}" if said else "", "")]


def _said(change: Change) -> str:
    if change.before is None or change.after is None:
        whole: dict[str, Any] = change.after or change.before or {}
        return one_line(str(whole.get("content") or whole.get("reason") or whole.get("title") or ""))
    after = change.after
    fields = [field for field in after if field not in _QUIET]
    return ", ".join(f"{field}: {_short(change.before.get(field))} -> {_short(after[field])}" for field in fields)


def _short(value: object) -> str:
    if value is None or value == []:
        return "none"
    return fitted(one_line(str(value)), 40, "...")


def _table(told: list[Operation], page: Page) -> Iterator[Line]:
    rows: list[Line] = [
        [
            (when(entry.at), ""),
            (entry.id, ""),
            (str(entry.verb), ""),
            (entry.actor, ""),
            (entry.surface, ""),
            (_subject(entry), ""),
            (one_line(entry.reason or ""), ""),
        ]
        for entry in told
    ]
    return page.table(["WHEN", "OPERATION", "VERB", "ACTOR", "SURFACE", "SUBJECT", "REASON"], rows)


def _subject(entry: Operation) -> str:
    """What it was about: the memory it made or changed first, or whatever else it touched."""
    about = [change.id for change in entry.changes if change.entity == "memory"] or entry.subjects() or ["-"]
    return about[-1] if entry.verb == "evolve" else about[0]


def explanation(_: Described, answer: Explanation | ReceiptExplanation, page: Page) -> Iterator[Line]:
    from commonplace.engine.explain import ReceiptExplanation

    if isinstance(answer, ReceiptExplanation):
        from commonplace.surfaces.cli.render.finding import told

        yield from told(answer, page)
        return
    yield from page.prose(answer.because, "", [(page.glyph("▎ ", ""), "accent")])
    yield []
    yield from card(answer.record, page)
    if answer.source is not None:
        yield from _section("Source", page)
        source = answer.source
        facts = {
            "id": source.id,
            "kind": str(source.kind),
            "title": source.title,
            "uri": source.uri,
            "actor": source.actor,
        }
        yield from pairs(((label, value) for label, value in facts.items() if value), page)
    if answer.links:
        yield from _section("Links", page)
        yield from ([("  ", ""), *link_line(link)] for link in answer.links)
    for conflict in answer.conflicts:
        yield from _section("Conflict", page)
        yield from pairs(conflict_facts(conflict), page)
    if answer.receipts:
        yield from _section("Brought up", page)
        for receipt in answer.receipts:
            chosen = any(candidate.memory_id == answer.record.id for candidate in receipt.chosen)
            yield [
                (f"  {when(receipt.at)}  ", "dim"),
                (receipt.id, "id"),
                (f"  {receipt.moment}, {'chosen' if chosen else 'left out'}", "dim"),
            ]
    yield from _section("History", page)
    yield from ([("  ", ""), *line] for line in timeline([*answer.history], page))


def _section(title: str, page: Page) -> list[Line]:
    rule = page.glyph("─" * (min(page.width or 72, 100) - len(title) - 1))
    return [[], [(title, "bold"), (f" {rule}", "dim")]]
