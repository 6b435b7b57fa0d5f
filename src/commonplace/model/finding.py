"""`Finding`: something wrong that was seen and is shown, not a crash; and the reports that verbs answer with."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.model.base import Closed, Noun


class Severity(Closed):
    """Whether something needs doing."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Finding(Noun, frozen=True, kw_only=True):
    """One thing that was found: what, where, and what to do about it. Never holds the content it is about."""

    code: str
    message: str
    severity: Severity = Severity.ERROR
    where: str | None = None
    hint: str | None = None


class Examination(Noun, frozen=True, kw_only=True):
    """The answer of `verify`, `doctor` and `scan`: what was looked at, and what was found."""

    ok: bool
    checked: dict[str, int]
    findings: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        """`if book.verify():` means what it says."""
        return self.ok

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)


class PurgeReport(Noun, frozen=True, kw_only=True):
    """The receipt of a purge: ids and counts that prove it happened, and no content."""

    operation_id: str | None
    purged: tuple[str, ...]
    sources: tuple[str, ...] = ()
    journal_entries: int = 0
    complete: bool = True
    """False when a copy may still lie in the log file because somebody else was reading; `remaining` says what to do."""
    remaining: tuple[str, ...] = ()
    dry_run: bool = False


class ImportReport(Noun, frozen=True, kw_only=True):
    """What an import did: counts, and every line that was kept aside, by number and reason."""

    run: str | None
    added: dict[str, int]
    already_here: int = 0
    kept_aside: tuple[Finding, ...] = ()
    complete: bool = True
    """False when the file ended before its own last line: the export was cut off."""


class BackupReport(Noun, frozen=True, kw_only=True):
    """Where a backup lies and that it was reopened and verified."""

    path: str
    bytes: int
    memories: int
    operations: int
    verified: bool


class Check(Noun, frozen=True, kw_only=True):
    """One thing in which two books were compared."""

    name: str
    compared: int
    equal: bool
    differing: tuple[str, ...] = ()
    """Where they differ, by id; the first twenty."""
    sha256: str | None = None
    """Of all that was compared and is equal."""


class CopyReport(Noun, frozen=True, kw_only=True):
    """What was copied, what the target's files cannot hold, and whether both were proved to be the same."""

    source: str
    target: str
    operations: int
    resumed_after: int = 0
    """How much of it a copy that was cut off had brought there already."""
    memories: int
    beside: dict[str, int] = {}
    """What the target keeps in the journal beside its files because these cannot hold it: field, and how many have it."""
    checks: tuple[Check, ...] = ()
    verified: bool = False


class IndexReport(Noun, frozen=True, kw_only=True):
    """How far the vectors have come."""

    model: str | None
    """Which model makes them; None when there is none, and everything works on words."""
    embedded: int
    waiting: int
    note: str | None = None
    """Why some still wait, and what to do about it."""


class ExportReport(Noun, frozen=True, kw_only=True):
    """What an export wrote."""

    path: str
    lines: int
    counts: dict[str, int]
    sha256: str
    findings: tuple[Finding, ...] = ()
    """What could not be read, and what looks like a secret in what was written: where and of which kind, never what."""


class BookStats(Noun, frozen=True, kw_only=True):
    """How much there is of what."""

    book_id: str
    url: str
    format_version: int
    memories: int
    by_status: dict[str, int]
    by_type: dict[str, int]
    links: int
    sources: int
    conflicts: int
    operations: int
    bytes: int
