"""What a consolidation did or would do, step by step with its reason; and conflicts, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonplace.model.consolidation import ConsolidationReport, Dispute, Step
from commonplace.model.record import MemoryRecord
from commonplace.surfaces.cli.page import Line, Page, one_line
from commonplace.surfaces.cli.render.records import headline, pairs
from commonplace.surfaces.operations import Described

_STYLES = {"merge": "warn", "conflict": "accent", "promote": "good", "wait": "dim"}


def consolidation(_: Described, answer: ConsolidationReport, page: Page) -> Iterator[Line]:
    did = "would do" if answer.dry_run else "did"
    yield [(f"looked at {answer.looked_at}, {did} {len(answer.steps)}, left {len(answer.waiting)} waiting", "bold")]
    for step in (*answer.steps, *answer.waiting):
        yield from _step(step, page)
    if answer.dropped:
        yield [("not done", "bold")]
    for step in answer.dropped:
        yield from _step(step, page)
    if answer.run and not page.plain:
        yield [(f"commonplace revert {answer.run} undoes it", "dim")]
    if answer.next and not page.plain:
        yield [(f"there are more: commonplace consolidate --after {answer.next}", "dim")]


def _step(step: Step, page: Page) -> Iterator[Line]:
    yield [(f"{step.action:<9}", _STYLES.get(step.action, "key")), (step.id, "id")]
    yield from page.prose(one_line(step.said), "", [("         ", "")])
    yield from page.prose(step.reason, "dim", [("         ", "")])


def disputes(_: Described, answer: Sequence[Dispute], page: Page) -> Iterator[Line]:
    if not answer:
        yield [("nothing disagrees", "dim")]
    for dispute in answer:
        yield [(page.glyph("⚡ ", ""), "accent"), (dispute.id, "id"), (f"  {dispute.state}", "dim")]
        yield from pairs(_facts(dispute), page)


def _facts(dispute: Dispute) -> Iterator[tuple[str, str]]:
    yield "about", dispute.reason
    yield "one", _side(dispute.left_id, dispute.left)
    yield "other", _side(dispute.right_id, dispute.right)
    for label, evidence in (("evidence of one", dispute.left_evidence), ("evidence of other", dispute.right_evidence)):
        if evidence:
            yield label, evidence
    if dispute.resolution:
        yield "resolved", f"{dispute.loser_id} is wrong: {dispute.resolution} ({dispute.resolved_by})"


def _side(id: str, record: MemoryRecord | None) -> str:
    return f"{id}  {record.status}, {record.trust}: {headline(record)}" if record else f"{id}  (gone)"
