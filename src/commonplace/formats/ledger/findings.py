"""What somebody should look at in a ledger's folder. Shown, never changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from commonplace.formats.ledger.change import LEDGER, PAGE
from commonplace.formats.ledger.lines import read_lines
from commonplace.model.finding import Finding, Severity

_LARGEST = 64 * 1024 * 1024


def findings_of(folder: str) -> Iterator[Finding]:
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name in (PAGE, LEDGER):
            if not stat.S_ISREG(os.lstat(path).st_mode):
                yield Finding(
                    code="unsafe_path",
                    message=f"{name} is no plain file and was not read",
                    where=path,
                    hint="Put a file in its place; links and folders are not followed.",
                )
            elif name == LEDGER:
                yield from _lines(path)


def _lines(path: str) -> Iterator[Finding]:
    if os.path.getsize(path) > _LARGEST:
        return
    with open(path, "rb") as file:
        _, aside = read_lines(file.read())
    for one in aside:
        yield Finding(
            code="aside",
            message=f"a line of the ledger was left out: {one.reason}",
            severity=Severity.WARNING,
            where=f"{path}:{one.line}",
            hint="It stays where it is; mend it by hand, or leave it.",
        )
