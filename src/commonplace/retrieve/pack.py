"""Packing: which lines go into the budget, and why the others do not. Pure; whole lines only.

The strongest are taken first. In a first round no sort may take more than its share, and what was found leaves a few places
to what is handed over unasked; in a second, what is left of the room goes to those that were held back. What nobody vouches
for stays a small part of the whole. At the end the real text is counted, and it is never more than the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from commonplace.retrieve.budgets import ONE_SOURCE_SHARE, SHARES, UNASKED_PLACES, UNTRUSTED_SHARE
from commonplace.retrieve.tokens import count

NO_ROOM, TOO_MANY, TOO_LITTLE_TRUST = "no room", "enough stronger ones", "too large a share of what nobody vouches for"
Write = Callable[[Sequence[str]], str]
"""Makes the text of these lines, fence and all."""


class Entry(NamedTuple):
    """What is shown together or not at all: one memory, or the sides of a conflict."""

    ids: tuple[str, ...]
    lines: tuple[str, ...]
    group: str
    place: tuple[int, int] = (0, 0)
    """Where it stands in the text."""
    unasked: bool = False
    """Is it handed over for what it is, whatever was searched for?"""
    doubtful: str | None = None
    """For what came through a channel nobody vouches for: its source."""


class Packed(NamedTuple):
    """The text and what it costs, what stands in it, and what was left out for which reason."""

    text: str
    tokens: int
    chosen: list[Entry]
    left_out: list[tuple[Entry, str]]


def pack(entries: Iterable[Entry], budget: int, write: Write, most: int) -> Packed:
    """The first of `entries`, best first, that fit. The text of what is chosen costs at most `budget`."""
    room = _Room([*entries], budget, write, most)
    room.fill(with_shares=True)
    room.fill(with_shares=False)
    room.limit_doubtful()
    return room.counted()


class _Room:
    def __init__(self, entries: list[Entry], budget: int, write: Write, most: int) -> None:
        self._budget, self._write, self._most = budget, write, most
        self._waiting = entries
        self._costs = {entry.ids: sum(count(line + "\n") for line in entry.lines) for entry in entries}
        self._used = count(write(["."]))
        self._by_group = dict.fromkeys(SHARES, 0)
        self._kept = min(UNASKED_PLACES, sum(len(entry.ids) for entry in entries if entry.unasked))
        self._taken: list[Entry] = []
        self._left_out: list[tuple[Entry, str]] = []

    def fill(self, *, with_shares: bool) -> None:
        held_back = []
        for entry in self._waiting:
            if with_shares and (self._is_beyond_its_share(entry) or self._takes_a_kept_place(entry)):
                held_back.append(entry)
            elif self._places + len(entry.ids) > self._most:
                self._left_out.append((entry, TOO_MANY))
            elif self._used + self._costs[entry.ids] > self._budget:
                self._left_out.append((entry, NO_ROOM))
            else:
                self._take(entry)
        self._waiting = held_back

    def _is_beyond_its_share(self, entry: Entry) -> bool:
        """The first of a sort may always stand."""
        used, share = self._by_group.get(entry.group, 0), SHARES.get(entry.group, 1.0)
        return used > 0 and used + self._costs[entry.ids] > share * self._budget

    @property
    def _places(self) -> int:
        return sum(len(one.ids) for one in self._taken)

    def _takes_a_kept_place(self, entry: Entry) -> bool:
        return not entry.unasked and self._places + len(entry.ids) > self._most - self._kept

    def _take(self, entry: Entry) -> None:
        self._taken.append(entry)
        self._used += self._costs[entry.ids]
        self._by_group[entry.group] = self._by_group.get(entry.group, 0) + self._costs[entry.ids]

    def limit_doubtful(self) -> None:
        """One line of it may stand alone, plainly labelled; more only as a small part beside what is vouched for."""
        vouched = sum(self._costs[entry.ids] for entry in self._taken if entry.doubtful is None)
        most, most_of_one = (vouched * share / (1 - share) for share in (UNTRUSTED_SHARE, ONE_SOURCE_SHARE))
        used: dict[str, int] = {}
        for entry in [entry for entry in self._taken if entry.doubtful is not None]:
            cost, source = self._costs[entry.ids], str(entry.doubtful)
            within = sum(used.values()) + cost <= most and used.get(source, 0) + cost <= most_of_one
            if used and not within:
                self._give_back(entry, TOO_LITTLE_TRUST)
            else:
                used[source] = used.get(source, 0) + cost

    def _give_back(self, entry: Entry, why: str) -> None:
        self._taken.remove(entry)
        self._left_out.append((entry, why))

    def counted(self) -> Packed:
        """The text itself, counted; the weakest go until it fits."""
        while self._taken:
            text = self._write([line for entry in sorted(self._taken, key=_place) for line in entry.lines])
            tokens = count(text)
            if tokens <= self._budget:
                return Packed(text, tokens, sorted(self._taken, key=_place), self._left_out)
            self._give_back(self._taken[-1], NO_ROOM)
        return Packed("", 0, [], self._left_out)


def _place(entry: Entry) -> tuple[int, int]:
    return entry.place
