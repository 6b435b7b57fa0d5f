"""What was looked at and found, what was brought in, and reports of any other sort."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.cli.page import Line, Page
from commonplace.surfaces.cli.render.records import pairs
from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.model.finding import (
        BookStats,
        Check,
        CopyReport,
        Examination,
        Finding,
        ImportReport,
        PurgeReport,
    )

_SEVERITIES = {"error": ("✗", "bad"), "warning": ("▲", "warn"), "info": ("·", "dim")}


def examination(operation: Described, answer: Examination, page: Page) -> Iterator[Line]:
    looked = ", ".join(f"{count:,} {name}" for name, count in answer.checked.items())
    verdict = "all is well" if not answer.findings else f"{len(answer.findings)} found"
    mark = page.glyph("✓ " if answer.ok else "✗ ")
    style = "good" if answer.ok else "bad"
    yield from page.headed([(mark, style), (f"{operation.name}: {verdict}", style)], f"looked at {looked}")
    yield from found(answer.findings, page)


def found(findings: tuple[Finding, ...], page: Page) -> Iterator[Line]:
    """Each finding; a hint that several in a row share stands once, below the last of them."""
    for number, finding in enumerate(findings, 1):
        yield from _found(finding, page)
        following = findings[number].hint if number < len(findings) else None
        if finding.hint and finding.hint != following:
            yield from page.prose(f"hint: {finding.hint}", "dim", [("    ", "")])


def _found(finding: Finding, page: Page) -> Iterator[Line]:
    glyph, style = _SEVERITIES[finding.severity]
    yield [
        (f"  {page.glyph(glyph + ' ')}{finding.severity}", style),
        (f"  {finding.code}", "bold"),
        (f"  {finding.where}" if finding.where else "", "id"),
    ]
    yield from page.prose(finding.message, "", [("    ", "")])


def imported(_: Described, answer: ImportReport, page: Page) -> Iterator[Line]:
    added = ", ".join(f"{count:,} {name}" for name, count in answer.added.items()) or "nothing new"
    whole = answer.complete and not answer.kept_aside
    yield [(page.glyph("✓ " if whole else "▲ "), "good" if whole else "warn"), (f"imported: {added}", "")]
    if answer.already_here:
        yield [(f"  {answer.already_here:,} were here already", "dim")]
    if answer.run:
        yield [("  undo: ", "dim"), (f"commonplace revert {answer.run}", "")]
    if not answer.complete:
        yield [("  the file ends before its own last line: the export was cut off", "warn")]
    if answer.kept_aside:
        yield [(f"  {len(answer.kept_aside):,} lines were kept aside:", "warn")]
        yield from found(answer.kept_aside, page)


def copied(_: Described, answer: CopyReport, page: Page) -> Iterator[Line]:
    whole = all(check.equal for check in answer.checks)
    operations = _count(answer.operations, "operations", "operation")
    said = f"copied {operations}; {_memories(answer.memories)} there now"
    yield [(page.glyph("✓ " if whole else "✗ "), "good" if whole else "bad"), (said, "")]
    if answer.resumed_after:
        yield [(f"  {answer.resumed_after:,} operations were there from an earlier copy", "dim")]
    for check in answer.checks:
        yield from _checked(check, page)
    if answer.beside:
        yield [("  kept in the journal beside the files, which cannot hold it:", "dim")]
        yield from pairs(((name.replace("_", " "), _memories(count)) for name, count in answer.beside.items()), page)


def _memories(count: int) -> str:
    return _count(count, "memories", "memory")


def _checked(check: Check, page: Page) -> Iterator[Line]:
    style = "good" if check.equal else "bad"
    verdict = "equal" if check.equal else "DIFFERENT: " + ", ".join(check.differing)
    yield [
        (f"  {page.glyph('✓ ' if check.equal else '✗ ')}{check.name:<11}", style),
        (f"{check.compared:>8,}  {verdict}", ""),
    ]


def report(operation: Described, answer: Any, page: Page) -> Iterator[Line]:
    if operation.name == "stats":
        return stats(answer, page)
    if operation.name == "purge":
        return purged(answer, page)
    return _anything(operation, answer, page)


def _anything(operation: Described, answer: Any, page: Page) -> Iterator[Line]:
    yield [(page.glyph("✓ "), "good"), (f"{operation.name}: done", "good")]
    told = ((name, value) for name, value in answer.to_dict().items() if value is not None)
    yield from pairs(((name.replace("_", " "), _plain(value)) for name, value in told), page)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return (
            ", ".join(f"{n:,} {name}" if isinstance(n, int) else f"{name}: {n}" for name, n in value.items()) or "none"
        )
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def purged(answer: PurgeReport, page: Page) -> Iterator[Line]:
    if answer.dry_run:
        yield [("would destroy, for good:", "warn")]
    elif answer.operation_id is None:
        yield [(page.glyph("✓ "), "good"), ("it was purged before", "")]
    else:
        yield [(page.glyph("✓ "), "good"), ("purged", "bad"), (f"  operation {answer.operation_id}", "dim")]
    yield from ([("  memory ", "dim"), (id, "id")] for id in answer.purged)
    yield from ([("  source ", "dim"), (id, "id")] for id in answer.sources)
    if answer.journal_entries:
        yield [(f"  and what {answer.journal_entries:,} journal entries said about them", "dim")]
    for left in answer.remaining:
        yield [("  still there: ", "warn"), (left, "")]


def stats(answer: BookStats, page: Page) -> Iterator[Line]:
    yield from page.headed([(_count(answer.memories, "memories", "memory"), "bold")], answer.url)
    for title, counts in (("by status", answer.by_status), ("by type", answer.by_type)):
        if counts:
            yield [(f"  {title}", "dim")]
            yield from _bars(counts, page)
    others = {
        "links": answer.links,
        "sources": answer.sources,
        "conflicts": answer.conflicts,
        "operations": answer.operations,
    }
    yield from pairs(
        iter([*((name, f"{count:,}") for name, count in others.items()), ("size", size(answer.bytes)),
              ("format", str(answer.format_version)), ("book", answer.book_id)]), page)  # fmt: skip


def _count(number: int, many: str, one: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _bars(counts: dict[str, int], page: Page) -> Iterator[Line]:
    most, wide = max(counts.values()), max(len(f"{count:,}") for count in counts.values())
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        bar = page.glyph("━" * max(round(24 * count / most), 1) if count else "")
        yield [(f"    {name:<13}", ""), (f"{count:>{wide},}  ", "bold"), (bar, "good")]


def size(bytes: int) -> str:
    amount, unit = float(bytes), "bytes"
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    return f"{bytes:,} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
