"""`doctor`: is the book healthy? Finds, says what to do, and repairs only what can be made anew from what is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe
from commonplace.engine.verify import Verify, verify
from commonplace.errors import CommonplaceError
from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.finding import Examination, Finding, Severity
from commonplace.seam.terms import Progress


class Doctor(Request, frozen=True, kw_only=True):
    """How thoroughly to look."""

    full: Annotated[bool, Meta(description="read every byte, every record and the whole journal")] = False
    repair: Annotated[bool, Meta(description="make damaged indexes anew; memories are never touched")] = False


def doctor(scribe: Scribe, asked: Doctor, progress: Progress | None = None) -> Examination:
    if asked.repair:
        scribe.canon.rebuild_index()
    checked = {"structure": 1}
    findings = [*scribe.canon.examine(full=asked.full, progress=progress)]
    findings += _kept_aside(scribe)
    findings += _storage(scribe)
    if asked.full:
        findings += _read_everything(scribe, checked)
        findings += _verified(scribe, checked, progress)
    worst = any(finding.severity is Severity.ERROR for finding in findings)
    return Examination(ok=not worst, checked=checked, findings=tuple(findings))


def _kept_aside(scribe: Scribe) -> Iterator[Finding]:
    try:
        with scribe.reading() as view:
            number = view.counts()["total"]["quarantine"]
    except CommonplaceError as cause:
        yield _unreadable(cause)
        return
    if number:
        yield Finding(
            code="kept_aside",
            message=f"{number} imported lines could not be understood and are kept aside",
            severity=Severity.WARNING,
            hint="`commonplace import` named them; mend the lines and import the file again.",
        )


def _storage(scribe: Scribe) -> Iterator[Finding]:
    trouble = scribe.storage_trouble()
    if trouble:
        yield Finding(
            code="storage",
            message=trouble,
            hint="Correct [storage] in the config file, or MEMORY_VAULT_PATH; nothing else is used in its place.",
        )


def _read_everything(scribe: Scribe, checked: dict[str, int]) -> Iterator[Finding]:
    """Every memory, one by one, as a reader would get it."""
    checked["memories"] = 0
    try:
        with scribe.reading() as view:
            for _ in view.memories(Filter(statuses=EVERY_STATUS)):
                checked["memories"] += 1
    except CommonplaceError as cause:
        yield _unreadable(cause)


def _verified(scribe: Scribe, checked: dict[str, int], progress: Progress | None) -> Iterator[Finding]:
    try:
        found = verify(scribe, Verify(), progress)
    except CommonplaceError as cause:
        yield _unreadable(cause)
        return
    checked.update(found.checked)
    yield from found.findings


def _unreadable(cause: CommonplaceError) -> Finding:
    return Finding(code="unreadable", message=cause.message, where=cause.where, hint=cause.hint)
