"""Which id a line gets: the one it had, or one higher than any that was ever given. No id is given twice (G6, G43, G-a).

Lines stand in the order of their ids unless people put them otherwise, so the last one tells the highest. Should that one leave
the file, a mark in `.commonplace/highest-id` keeps its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from commonplace.errors import ConflictError, InvalidError
from commonplace.formats.jsonl.lines import number_of
from commonplace.formats.jsonl.rewriting import highest_in
from commonplace.model.record import MemoryRecord
from commonplace.seam.format import Put

if TYPE_CHECKING:
    from commonplace.seam.format import Shelf

FILE = "memories.jsonl"
HIGHEST = ".commonplace/highest-id"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_NONE = -1  # the number of what has none


class Ids:
    """The ids of one file."""

    def __init__(self, id_start: int) -> None:
        self._before_first = id_start - 1
        self._seen: int | None = None

    def see(self, highest: int) -> None:
        """So high a number stood in the file, be it in a line that cannot be understood."""
        self._seen = highest if self._seen is None else max(self._seen, highest)

    def give(self, entering: Sequence[MemoryRecord], shelf: Shelf) -> dict[str, MemoryRecord]:
        """An id for each of these, in ascending order where they bring none along."""
        highest = self._highest(shelf)
        keys: dict[str, MemoryRecord] = {}
        for record in sorted(entering, key=_own_number):
            key = _own_key(record, highest, shelf)
            if key is None or key in keys:
                key = _next_key(highest)
            highest = max(highest, _number(key))
            keys[key] = record
        return keys

    def _highest(self, shelf: Shelf) -> int:
        last = shelf.last(FILE)
        if last is None:
            self.see(_highest_without_memories(shelf.content(FILE) or b""))
        elif self._seen is None:
            # Another process filled the catalog. People may have put lines in any order, so all are looked at, once.
            self.see(max((_number(one.place.key) for one in shelf.at(FILE)), default=_NONE))
        in_last = _number(last.place.key) if last else _NONE
        seen = _NONE if self._seen is None else self._seen
        return max(seen, in_last, _mark(shelf.content(HIGHEST)), self._before_first)


def go_last(keys: Iterable[str], shelf: Shelf) -> bool:
    """Do lines with these ids stand behind all that are there?"""
    last = shelf.last(FILE)
    behind = _number(last.place.key) if last else _NONE
    return all(_number(key) > behind for key in keys)


def marked(before: bytes, after: bytes, shelf: Shelf) -> list[Put]:
    """The mark, if the highest id is about to leave the file."""
    highest = highest_in(before)
    mark = shelf.content(HIGHEST)
    if highest_in(after) >= highest or _mark(mark) >= highest:
        return []
    return [Put(HIGHEST, b"%d\n" % highest, None if mark is None else sha256(mark).digest())]


def _own_key(record: MemoryRecord, highest: int, shelf: Shelf) -> str | None:
    """The id by which it was known here before, or that it brings along and that was never given here."""
    for key in record.aliases:
        if _number(key) > highest or (_number(key) > _NONE and _is_its_own(shelf.named(key), record)):
            return key
    return None


def _is_its_own(named: MemoryRecord | None, record: MemoryRecord) -> bool:
    return named is not None and named.id == record.id


def _next_key(highest: int) -> str:
    key = f"m-{highest + 1}"
    if number_of(key) is None:
        raise InvalidError("the ids of this file are used up", where=key, hint="Rename the line with the highest id.")
    return key


def _own_number(record: MemoryRecord) -> int:
    return max(map(_number, record.aliases), default=_NONE)


def _number(key: str) -> int:
    number = number_of(key)
    return _NONE if number is None else number


def _highest_without_memories(content: bytes) -> int:
    """A file without any memory in it may still hold something: torn lines with their ids, or no text of ours at all."""
    if content.startswith(UTF_16):
        raise ConflictError(f"{FILE} is UTF-16", where=FILE, hint="Save it as UTF-8; then memories can be added to it.")
    return highest_in(content)


def _mark(content: bytes | None) -> int:
    told = (content or b"").strip()
    return int(told) if told.isdigit() and len(told) <= 15 else _NONE
