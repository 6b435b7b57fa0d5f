"""Looking at a damaged book the way a reader would, in a child of its own: damage may crash or hang a process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commonplace import CommonplaceError

from . import children
from .books import open_book
from .children import Say

Truth = dict[str, dict[str, Any]]


@dataclass
class Verdict:
    """What a damaged book answered."""

    refused: str | None = None
    served: int = 0
    errors: int = 0
    wrong: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    touched: bool = False

    @property
    def detected(self) -> bool:
        return bool(self.refused or self.errors or self.findings)

    @property
    def problems(self) -> list[str]:
        """Detected or harmless, and never wrong in silence."""
        problems = [*self.troubles]
        if self.touched:
            problems.append("the damaged file was changed by looking at it")
        if (self.wrong or self.missing) and not self.detected:
            problems.append(f"SILENT: {len(self.wrong)} wrong and {len(self.missing)} missing, and nobody noticed")
        if self.wrong:
            problems.append(f"SERVED: another content than what was saved, {len(self.wrong)} times")
        return problems


def look(folder: Path, truth: Truth) -> Verdict:
    before = _digest(folder)
    said = children.run(lambda say: _look(folder, truth, say))
    verdict = Verdict(troubles=children.troubles(said), touched=_digest(folder) != before)
    for line in said:
        for name in ("refused", "served", "errors", "wrong", "missing", "findings"):
            if name in line:
                setattr(verdict, name, line[name])
    return verdict


def _look(folder: Path, truth: Truth, say: Say) -> None:
    try:
        with open_book(folder, create=False, timeout=2.0) as book:
            wrong, missing, served, errors = [], [], 0, 0
            for id, was in truth.items():
                try:
                    now = book.get(id).to_dict()
                except CommonplaceError as cause:
                    errors += cause.kind != "not_found"
                    missing += [id] if cause.kind == "not_found" else []
                    continue
                served += now == was
                wrong += [id] if now != was else []
            say({"wrong": wrong, "missing": missing, "served": served, "errors": errors})
            say({"findings": [one.code for one in book.doctor(full=True).findings]})
    except CommonplaceError as cause:
        say({"refused": cause.kind})


def _digest(folder: Path) -> str:
    return hashlib.sha256((folder / "book.sqlite").read_bytes()).hexdigest()
