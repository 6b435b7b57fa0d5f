"""What the two exports of conversations have in common: one file, a list of conversations, each with a title of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.turns import Turn, moment_of, render
from commonplace.model.transcript import Role, Transcript

Turns = Callable[[dict[str, Any]], Iterable[Turn]]


class Export:
    """How one product writes its conversations down: the field that holds the messages, the title, the beginning."""

    def __init__(self, format: str, mark: str, named: str, began: str, turns_of: Turns) -> None:
        self._format, self._mark, self._named, self._began, self._turns_of = format, mark, named, began, turns_of

    def read(self, material: Material) -> Transcript | None:
        """All conversations one after the other, under their titles if there are several."""
        ours = self._ours(material)
        turns = [turn for one in ours for turn in (*self._heading(one, len(ours)), *self._turns_of(one))]
        return self._rendered(turns, ours[0], len(ours)) if ours else None

    def each(self, material: Material) -> list[Transcript]:
        """Each conversation by itself; those in which nobody says anything are left out."""
        return [found for one in self._ours(material) if (found := self._rendered([*self._turns_of(one)], one, 1))]

    def _ours(self, material: Material) -> list[dict[str, Any]]:
        """A list of which most is something else is no export."""
        found = material.document if isinstance(material.document, list) else [material.document]
        ours = [one for one in found if isinstance(one, dict) and isinstance(one.get(self._mark), (dict, list))]
        return ours if len(ours) * 2 > len(found) else []

    def _heading(self, one: dict[str, Any], number: int) -> list[Turn]:
        title = str(one.get(self._named) or "untitled")[:200]
        return [Turn(Role.SYSTEM, title, "Conversation", moment_of(one.get(self._began)))] if number > 1 else []

    def _rendered(self, turns: list[Turn], first: dict[str, Any], number: int) -> Transcript | None:
        title = first.get(self._named) if number == 1 else f"{number} conversations"
        return render(self._format, turns, title=title, at=moment_of(first.get(self._began)))
