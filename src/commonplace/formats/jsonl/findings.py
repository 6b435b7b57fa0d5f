"""What somebody should look at beside and inside `memories.jsonl`. Shown, never changed; every finding says what to do."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from commonplace.formats.jsonl.ids import FILE
from commonplace.formats.looked import unreadable
from commonplace.model.finding import Finding, Severity
from commonplace.seam.format import Aside
from commonplace.storage.conflict_files import Conflict, Placeholder, classify


def beside(folder: str) -> Iterator[Finding]:
    """Other versions of the file, a stand-in for it, or something in its place that is no file."""
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as cause:
        yield unreadable(folder, cause)
        return
    for name in names:
        kind = classify(name, names)
        if name == FILE:
            yield from _of_file(os.path.join(folder, name))
        elif isinstance(kind, Conflict) and kind.base == FILE:
            yield _conflict_copy(name)
        elif isinstance(kind, Placeholder) and kind.base == FILE:
            yield _not_downloaded(name)


def _of_file(path: str) -> Iterator[Finding]:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            yield _not_a_file()
    except OSError:
        return  # whoever reads it says so


def inside(aside: Iterable[Aside]) -> Iterator[Finding]:
    """Lines that are no memories."""
    for one in aside:
        yield Finding(
            code="not_understood",
            severity=Severity.WARNING,
            message=f"a line is no memory: {one.reason}",
            where=f"{FILE}:{one.line}",
            hint="It stays where it is; mend it by hand, or leave it.",
        )


def _not_a_file() -> Finding:
    hint = "Put the file itself there; links and folders are not followed."
    return Finding(code="unsafe_path", message=f"{FILE} is no plain file and was not read", where=FILE, hint=hint)


def _conflict_copy(name: str) -> Finding:
    return Finding(
        code="conflict_copy",
        severity=Severity.WARNING,
        message=f"a sync client kept another version of {FILE}; it is not read",
        where=name,
        hint=f"Bring the lines that are missing into {FILE}, then delete the copy.",
    )


def _not_downloaded(name: str) -> Finding:
    return Finding(
        code="not_downloaded",
        severity=Severity.WARNING,
        message=f"{FILE} is not on this device now; what is known of it stays",
        where=name,
        hint="Let the sync client keep this folder on the device.",
    )
