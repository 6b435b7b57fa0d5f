"""Everything there is to see of a book, in a form that two books, or one book before and after, can be compared by."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.seam.catalog import View

_KEPT = (Entity.MEMORY, Entity.LINK, Entity.SOURCE, Entity.EVENT, Entity.CONFLICT)


def state_of(canon: Canon) -> dict[str, Any]:
    """All nouns, the journal as it is stored, the tombstones, and how much was kept aside."""
    with canon.reading() as view:
        return {
            **nouns_of(view),
            "journal": [entry.to_json() for entry in view.chain()],
            "highest": view.highest_seq(),
            "tombstones": sorted(view.tombstones()),
            "kept_aside": view.counts()["total"]["quarantine"],
        }


def nouns_of(view: View) -> dict[str, Any]:
    """What the book holds, without how it came to hold it."""
    return {str(entity): [noun.to_dict() for noun in view.nouns(entity)] for entity in _KEPT}


def files_under(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`, byte by byte, behind any store's back."""
    found: dict[str, bytes] = {}
    for path, _, names in os.walk(folder):
        for name in names:
            file = Path(path, name)
            found[str(file.relative_to(folder))] = file.read_bytes()
    return found
