"""What somebody should look at in a ledger's folder, beside the lines that cannot be read: those the book itself names.

Shown, never changed; every finding says what to do.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from commonplace.formats.ledger.change import LEDGER, PAGE
from commonplace.formats.looked import unreadable
from commonplace.model.finding import Finding, Severity
from commonplace.storage.conflict_files import Conflict, Placeholder, classify, merge_conflict

_OURS = (PAGE, LEDGER)
_LOOKED_THROUGH = 1024 * 1024  # of a page: far more than any agent is told


def findings_of(folder: str) -> Iterator[Finding]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as cause:
        yield unreadable(folder, cause)
        return
    for name in names:
        try:
            yield from _of_ours(folder, name) if name in _OURS else _beside(name, names)
        except OSError as cause:
            yield unreadable(name, cause)


def _of_ours(folder: str, name: str) -> Iterator[Finding]:
    path = os.path.join(folder, name)
    if not stat.S_ISREG(os.lstat(path).st_mode):
        hint = "Put the file itself there; links and folders are not followed."
        yield Finding(code="unsafe_path", message=f"{name} is no plain file and was not read", where=name, hint=hint)
    elif name == PAGE:
        with open(path, "rb") as file:
            yield from _merge(file.read(_LOOKED_THROUGH))


def _beside(name: str, names: list[str]) -> Iterator[Finding]:
    kind = classify(name, names)
    if isinstance(kind, Conflict) and kind.base in _OURS:
        yield Finding(
            code="conflict_copy",
            message=f"another version of {kind.base}, set aside by a sync client, lies beside it",
            severity=Severity.WARNING,
            where=name,
            hint=f"Bring what is missing into {kind.base}, then remove it.",
        )
    if isinstance(kind, Placeholder) and kind.base in _OURS:
        yield Finding(
            code="not_downloaded",
            message=f"{kind.base} is not on this device now",
            severity=Severity.WARNING,
            where=name,
            hint="Open it once in the sync client's folder, or keep the folder on this device.",
        )


def _merge(raw: bytes) -> Iterator[Finding]:
    line = merge_conflict(raw)
    if line is not None:
        hint = "Decide between the two versions in an editor."
        yield Finding(code="merge_conflict", message="an unresolved merge", where=f"{PAGE}:{line}", hint=hint)
