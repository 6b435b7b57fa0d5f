"""Asking before something is destroyed, or goes into the person's own notes: it is shown first, and only a plain yes goes on."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.errors import DeniedError
from commonplace.surfaces.cli.arguments import Parsed, UsageError
from commonplace.surfaces.cli.page import Line, Page
from commonplace.surfaces.cli.render.records import headline
from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.engine.book import Book


def is_confirmed(operation: Described, book: Book, request: Any, parsed: Parsed) -> bool:
    """On a terminal, ask. Anywhere else nobody could answer, so `--yes` must have been said."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            f"{operation.name} cannot be undone and there is nobody to ask",
            f"Say --yes to go on, or --dry-run to see what would go: commonplace {operation.name} ID --dry-run",
        )
    page = Page(sys.stderr, parsed.everywhere_last("color") or "auto")
    page.write(_at_stake(operation, book, request))
    sys.stderr.write("Type yes to go on: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() == "yes":
        return True
    page.write([[("nothing was changed", "dim")]])
    return False


def is_allowed(request: Any, parsed: Parsed) -> bool:
    """May this go into their notes? `$MEMORY_REVIEW_MODE` says `silent`: yes, `auto`: no; else they are asked (A61)."""
    mode = os.environ.get("MEMORY_REVIEW_MODE", "interactive")
    if mode == "silent":
        return True
    if mode == "auto" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise DeniedError(
            "this would change a note of the person's own, and there is nobody to ask",
            hint="Do it from a terminal, or set MEMORY_REVIEW_MODE=silent if they allow it in advance.",
        )
    page = Page(sys.stderr, parsed.everywhere_last("color") or "auto")
    page.write([[("This goes into your own note: ", "warn"), (request.id, "id")], [(request.content[:_PREVIEW], "")]])
    sys.stderr.write("Type yes to allow it: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() == "yes"


_PREVIEW = 400


def _at_stake(operation: Described, book: Book, request: Any) -> list[Line]:
    would = book.perform(f"{operation.module}:{operation.verb}", msgspec.structs.replace(request, dry_run=True))
    lines: list[Line] = [[("This destroys, everywhere in the book and for good:", "bad")]]
    for id in would.purged:
        lines.append([("  memory ", "dim"), (id, "id"), (f"  {headline(book.get(id))[:80]}", "")])
    lines += [[("  source ", "dim"), (id, "id")] for id in would.sources]
    return lines
