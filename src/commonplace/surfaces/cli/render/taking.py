"""What was taken in, how far its work has come, and what waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from commonplace.surfaces.cli.page import Line, Page
from commonplace.surfaces.cli.render.records import pairs
from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.model.job import WorkReport, WorkStatus
    from commonplace.model.source import IngestionEvent, Source

_MARKS = {"done": ("✓ ", "good"), "failed": ("▲ ", "warn"), "dead": ("✗ ", "bad")}


def event(_: Described, answer: IngestionEvent, page: Page) -> Iterator[Line]:
    glyph, style = _MARKS.get(answer.state, ("· ", "dim"))
    yield [(page.glyph(glyph), style), (str(answer.state), style), (f"  {answer.id}", "id")]
    owner = answer.repo_id or answer.project_id or answer.agent_id
    scope = f"{answer.requested_scope} {owner}" if owner else str(answer.requested_scope)
    told = (
        ("trigger", answer.trigger),
        ("source", answer.source_ref),
        ("scope", scope),
        ("outcome", answer.outcome),
        ("failed", f"{answer.retry_count} times" if answer.retry_count else None),
        ("error", answer.error),
    )
    yield from pairs(((name, str(value)) for name, value in told if value), page)


def source(_: Described, answer: Source, page: Page) -> Iterator[Line]:
    yield [(page.glyph("✓ "), "good"), ("kept", "good"), (f"  {answer.id}", "id"), (f"  {answer.title or ''}", "")]
    told = (("kind", answer.kind), ("format", answer.format), ("size", f"{len(answer.body or ''):,} characters"))
    yield from pairs(((name, str(value)) for name, value in told if value), page)
    yield [("  raw until captured: ", "dim"), (f"commonplace capture-conversation {answer.id}", "")]


def worked(_: Described, answer: WorkReport | WorkStatus, page: Page) -> Iterator[Line]:
    """A report of a walk through the queue, or the queue itself."""
    from commonplace.model.job import WorkStatus

    if isinstance(answer, WorkStatus):
        yield from _queue(answer, page)
        return
    style = "warn" if answer.failed or answer.dead else "good"
    yield [
        (page.glyph("▲ " if style == "warn" else "✓ "), style),
        (f"{answer.done:,} done, {answer.made:,} in the inbox", ""),
    ]
    others = ("failed", "dead", "waiting", "reinforced", "echoed", "dropped")
    said = [(name, f"{getattr(answer, name):,}") for name in others if getattr(answer, name)]
    yield from pairs(iter([*said, *([("upkeep", ", ".join(answer.ran))] if answer.ran else [])]), page)


def _queue(answer: WorkStatus, page: Page) -> Iterator[Line]:
    waiting = answer.pending + answer.failed
    yield [(f"{waiting:,} waiting, {answer.running:,} running, {answer.done:,} done, {answer.dead:,} given up", "bold")]
    moments = (("oldest", answer.oldest_waiting), ("next due", answer.next_due_at), *answer.upkeep.items())
    yield from pairs(((name, f"{when:%Y-%m-%d %H:%M:%S}Z") for name, when in moments if when), page)
    for one in answer.troubled:
        glyph, style = _MARKS.get(one.state, ("· ", "dim"))
        yield [(f"  {page.glyph(glyph)}", style), (one.id, "id"), (f"  {one.error or ''}", "dim")]
        yield [("    again: ", "dim"), (f"commonplace retry {one.id}", "")]
