"""What an agent is reminded of before it begins to think: the `[Memories]` block behind the system prompt (G27-G37).

Chosen by the words of the last user message; if no memory has any of them, the most recent ones. Never more characters than the
budget: what does not fit is passed over and the next one tried (G-e). Each memory is one line that nothing in it can leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from math import inf

from commonplace.guard.quoting import on_one_line
from commonplace.guard.secrets import has_secret
from commonplace.model.base import Noun
from commonplace.retrieve.aegis import hours_since, relevance, words
from commonplace.surfaces.tools.entries import Entry
from commonplace.surfaces.tools.settings import ToolSettings

HEADING = "[Memories]"
_FALLBACK = 5


class Injection(Noun, frozen=True, kw_only=True):
    """What was chosen, and what it took (X-20)."""

    text: str = ""
    """The block; nothing at all if no memory was chosen."""
    ids: tuple[str, ...] = ()
    used: int = 0
    """Characters of memory text in the block."""
    limit: int = 0
    omitted: tuple[str, ...] = ()
    """Those that spoke to the message, or were recent enough, and found no room."""
    withheld: tuple[str, ...] = ()
    """Those that hold something like a secret: people wrote them into the file, and they are not passed on."""
    scores: dict[str, float] = {}
    mode: str = "off"

    def __bool__(self) -> bool:
        return bool(self.ids)


def choose(entries: Sequence[Entry], message: str, settings: ToolSettings, now: datetime) -> Injection:
    """The memories for this message, as a block."""
    if settings.inject_mode == "off":
        return Injection(limit=settings.max_inject_chars)
    packing = _Packing(settings)
    scores = _scores(entries, message, now) if settings.inject_mode == "relevant" else {}
    newest = entries[::-1]
    if scores:
        ranked = sorted(newest, key=lambda entry: -scores.get(entry.id, 0.0))  # equal scores: the newest first
        chosen = packing.fill([entry for entry in ranked if entry.id in scores])
        if settings.fill_recent:
            chosen += packing.fill([entry for entry in newest if entry.id not in scores], tell=False)[::-1]
    else:
        count = settings.recent_count if settings.inject_mode == "recent_only" else _FALLBACK
        chosen = packing.fill(newest[:count])[::-1]  # the newest have first choice; printed as they came
    return packing.injection(chosen, scores)


def line_of(entry: Entry) -> str:
    """`- (m-1, preference) text`, with the first tag if there is one (G32, G49)."""
    about = ", ".join(_plain(part) for part in (entry.id, *entry.tags[:1]))
    return f"- ({about}) {_plain(entry.text)}"


# The same few hundred memories are looked at for every message.
_plain = lru_cache(maxsize=2_048)(on_one_line)


class _Packing:
    """One block being filled."""

    def __init__(self, settings: ToolSettings) -> None:
        self._settings = settings
        self._used = self._count = 0
        self._omitted: list[str] = []
        self._withheld: list[str] = []

    def fill(self, candidates: Sequence[Entry], *, tell: bool = True) -> list[Entry]:
        """Those that find room, in the order given."""
        taken = []
        for entry in candidates:
            if not self._has_room(entry):
                self._omitted += [entry.id] if tell else []
            elif has_secret(entry.text):
                self._withheld.append(entry.id)
            else:
                taken.append(entry)
                self._used, self._count = self._used + len(_plain(entry.text)), self._count + 1
        return taken

    def _has_room(self, entry: Entry) -> bool:
        if self._count >= self._settings.max_inject_count:
            return False
        return self._used + len(_plain(entry.text)) <= self._settings.max_inject_chars

    def injection(self, chosen: Sequence[Entry], scores: dict[str, float]) -> Injection:
        return Injection(
            text="\n".join([HEADING, *map(line_of, chosen)]) if chosen else "",
            ids=tuple(entry.id for entry in chosen),
            used=self._used,
            limit=self._settings.max_inject_chars,
            omitted=tuple(self._omitted),
            withheld=tuple(self._withheld),
            scores={entry.id: round(scores[entry.id], 6) for entry in chosen if entry.id in scores},
            mode=self._settings.inject_mode,
        )


def _scores(entries: Sequence[Entry], message: str, now: datetime) -> dict[str, float]:
    """Those that have a word in common with the message."""
    asked = words(message)
    scored = ((entry.id, relevance(entry.text, asked, _age(entry, now))) for entry in entries if asked)
    return {id: score for id, score in scored if score > 0}


def _age(entry: Entry, now: datetime) -> float:
    """In hours. A line that does not say when it was written is as old as can be."""
    return hours_since(entry.at, now) if entry.at else inf
