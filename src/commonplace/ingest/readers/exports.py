"""What the two exports of conversations have in common: one file, a list of conversations, each with a title of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.turns import Turn, moment_of, render
from commonplace.model.transcript import Role, Transcript

Turns = Callable[[dict[str, Any]], Iterable[Turn]]


def read(material: Material, format: str, mark: str, named: str, began: str, turns_of: Turns) -> Transcript | None:
    """The conversations that have `mark`, one after the other, under their titles if there are several."""
    found = material.document if isinstance(material.document, list) else [material.document]
    ours = [one for one in found if isinstance(one, dict) and isinstance(one.get(mark), (dict, list))]
    if not ours or len(ours) * 2 <= len(found):
        return None
    turns: list[Turn] = []
    for one in ours:
        if len(ours) > 1:
            turns.append(
                Turn(Role.SYSTEM, str(one.get(named) or "untitled")[:200], "Conversation", moment_of(one.get(began)))
            )
        turns += turns_of(one)
    title = ours[0].get(named) if len(ours) == 1 else f"{len(ours)} conversations"
    return render(format, turns, title=title, at=moment_of(ours[0].get(began)))
