"""Memories: one as a card, many as a table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.surfaces.cli.page import Line, Page, Span, one_line
from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.model.link import Conflict, Link
    from commonplace.model.record import MemoryRecord

_MARKS = {
    "active": ("●", "good"),
    "inbox": ("◌", "warn"),
    "superseded": ("◐", "dim"),
    "contradicted": ("◑", "accent"),
    "archived": ("○", "dim"),
    "deleted": ("✗", "bad"),
}
_DID = {
    "save": "saved",
    "evolve": "evolved",
    "archive": "archived",
    "restore": "restored",
    "forget": "forgotten",
    "confirm": "confirmed",
    "reject": "rejected",
    "inbox-accept": "accepted",
    "inbox-edit": "accepted in other words",
    "inbox-reject": "rejected",
    "inbox-merge": "merged into this one",
    "inbox-defer": "put off",
    "promote": "promoted",
    "upsert-profile-fact": "kept",
}
_LABELS = (
    ("title", "title"),
    ("summary", "summary"),
    ("rationale", "rationale"),
    ("status_reason", "because"),
    ("project_id", "project"),
    ("repo_id", "repo"),
    ("agent_id", "agent"),
    ("tenant", "tenant"),
    ("tags", "tags"),
    ("aliases", "aliases"),
    ("anchors", "anchors"),
    ("evidence_ref", "evidence"),
    ("source_ref", "source"),
    ("supersedes", "supersedes"),
    ("superseded_by", "superseded by"),
    ("observed_at", "observed"),
    ("valid_from", "valid from"),
    ("valid_to", "valid to"),
    ("created_at", "created"),
    ("updated_at", "updated"),
    ("deleted_at", "deleted"),
    ("slug", "slug"),
    ("fingerprint", "fingerprint"),
)


def when(moment: datetime, *, seconds: bool = True) -> str:
    """Every time that is shown is UTC, and says so."""
    return moment.strftime("%Y-%m-%d %H:%M:%SZ" if seconds else "%Y-%m-%d %H:%MZ")


def status_of(record: MemoryRecord, page: Page) -> Span:
    glyph, style = _MARKS[record.status]
    return (f"{page.glyph(glyph + ' ')}{record.status}", style)


def owner_of(record: MemoryRecord) -> str:
    """Whom it concerns, by name where there is one."""
    named = {"project": record.project_id, "repo": record.repo_id, "agent": record.agent_id}.get(record.scope)
    return f"{record.scope}:{named}" if named else str(record.scope)


def headline(record: MemoryRecord) -> str:
    """A memory in one line: its title, if it has one, and its words."""
    words = one_line(record.content)
    return f"{one_line(record.title)} · {words}" if record.title else words


def record(operation: Described, answer: MemoryRecord, page: Page) -> Iterator[Line]:
    return written(operation, answer, page) if operation.writes else card(answer, page)


def card(record: MemoryRecord, page: Page) -> Iterator[Line]:
    """Everything about one memory; what is not known is left out."""
    sort = str(record.type) if record.kind == record.type else f"{record.type}/{record.kind}"
    yield from page.headed([(record.id, "id"), ("  ", ""), status_of(record, page)], f"{sort}  {owner_of(record)}")
    yield []
    yield from page.prose(record.content, "bold", [(page.glyph("  ▎ ", "  "), "id")])
    yield []
    yield from pairs(_facts(record), page)


def _facts(record: MemoryRecord) -> Iterator[tuple[str, str]]:
    yield "trust", f"{record.trust} ({record.tier})"
    if record.confidence is not None:
        yield "confidence", f"{record.confidence:g}"
    if record.occurrences > 1:
        yield "said", f"{record.occurrences} times"
    if record.always_load:
        yield "always loaded", "yes"
    for field, label in _LABELS:
        value = getattr(record, field)
        # A moment that is the moment of its making says nothing new.
        if value and (field == "created_at" or value != record.created_at):
            yield label, _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return when(value)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def pairs(facts: Iterator[tuple[str, str]], page: Page, indent: str = "  ") -> Iterator[Line]:
    """Labels and values, aligned; a long value goes on below itself."""
    known = [*facts]
    wide = max((len(label) for label, _ in known), default=0)
    below: Line = [(" " * (len(indent) + wide + 2), "")]
    for label, value in known:
        yield from page.prose(value, "", [(indent + label.ljust(wide + 2), "dim")], below)


def written(operation: Described, record: MemoryRecord, page: Page) -> Iterator[Line]:
    """What became of a write, in as few words as possible, with the next step where there is one."""
    did = _DID.get(operation.name, "done")
    waits = record.status == "inbox"
    if operation.name == "save" and record.occurrences > 1:
        did = f"known already; said {record.occurrences} times now"
    mark: Span = (page.glyph("◌ "), "warn") if waits else (page.glyph("✓ "), "good")
    head: Line = [mark, (did, "warn" if waits else "good"), ("  ", ""), (record.id, "id")]
    yield from page.headed(head, f"{record.type}, {record.status}, {owner_of(record)}")
    yield from page.prose(record.content, "", [("  ", "")])
    if record.supersedes and operation.name == "evolve":
        yield [("  in place of ", "dim"), (record.supersedes, "id")]
    if waits:
        yield from page.prose(record.status_reason or "", "", [("  waits in the inbox: ", "warn")], [("    ", "")])
        yield [("  next: ", "dim"), (f"commonplace confirm {record.id}", "")]


def records(_: Described, answer: list[MemoryRecord], page: Page) -> Iterator[Line]:
    if not answer and not page.plain:  # a script would take the sentence for a memory
        return iter([[("no memories match", "dim")]])
    mixed = page.plain or any(record.status != "active" for record in answer)
    rows: list[Line] = [
        [
            (record.id, "id"),
            status_of(record, page),
            (str(record.type), "key"),
            (owner_of(record), "dim"),
            (when(record.created_at, seconds=False), "dim"),
            (headline(record), ""),
        ]
        for record in answer
    ]
    titles = ["ID", "STATUS", "TYPE", "SCOPE", "CREATED", "MEMORY"]
    if not mixed:
        titles, rows = titles[:1] + titles[2:], [row[:1] + row[2:] for row in rows]
    return page.table(titles, rows, droppable=(4, 3, 2, 1) if mixed else (3, 2, 1))


def link(operation: Described, answer: Link, page: Page) -> Iterator[Line]:
    did = "unlinked" if operation.name == "unlink" else "linked"
    yield [(page.glyph("✓ "), "good"), (did, "good"), ("  ", ""), *link_line(answer)]


def links(_: Described, answer: list[Link], page: Page) -> Iterator[Line]:
    if not answer and not page.plain:
        return iter([[("no links", "dim")]])
    rows: list[Line] = [
        [(one.from_id, "id"), (str(one.relation), "accent"), (one.to_id, "id"), (one.evidence_ref or "", "dim")]
        for one in answer
    ]
    return page.table(["FROM", "RELATION", "TO", "EVIDENCE"], rows, droppable=(3,))


def link_line(link: Link) -> Line:
    evidence = f"  evidence: {link.evidence_ref}" if link.evidence_ref else ""
    return [(link.from_id, "id"), (f" {link.relation} ", "accent"), (link.to_id, "id"), (evidence, "dim")]


def conflict(_: Described, answer: Conflict, page: Page) -> Iterator[Line]:
    yield [
        (page.glyph("⚡ ", ""), "accent"),
        ("conflict", "accent"),
        ("  ", ""),
        (answer.id, "id"),
        (f"  {answer.state}", "dim"),
    ]
    yield from pairs(conflict_facts(answer), page)


def conflict_facts(conflict: Conflict) -> Iterator[tuple[str, str]]:
    yield "one", conflict.left_id
    yield "other", conflict.right_id
    yield "about", conflict.reason
    for label, value in (("evidence of one", conflict.left_evidence), ("evidence of other", conflict.right_evidence)):
        if value:
            yield label, value
    if conflict.resolution:
        yield "resolved", conflict.resolution
