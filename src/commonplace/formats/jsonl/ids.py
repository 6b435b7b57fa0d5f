"""Which id a line gets: the one it had, or one higher than any that was ever given. No id is given twice (G6, G43, G-a).

What was added last tells the highest id. Where that is not so, because a line left the file or came back to its old place, a
mark in `.commonplace/highest-id` tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from commonplace.errors import ConflictError, InvalidError
from commonplace.formats.jsonl.left import Note
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


class Entering(NamedTuple):
    """A memory that is to stand in the file."""

    record: MemoryRecord
    left: Note | None
    """How it stood there before, if it did."""


class Ids:
    """The ids of one file."""

    def __init__(self, id_start: int) -> None:
        self._before_first = id_start - 1
        self._seen: int | None = None

    def see(self, highest: int) -> None:
        """So high a number stood in the file, be it in a line that cannot be understood."""
        self._seen = highest if self._seen is None else max(self._seen, highest)

    def give(self, entering: Sequence[Entering], shelf: Shelf) -> dict[str, Entering]:
        """An id for each of these, in ascending order where they bring none along."""
        highest = self._highest(shelf)
        keys: dict[str, Entering] = {}
        for one in sorted(entering, key=_own_number):
            key = _own_key(one, highest, shelf)
            if key is None or key in keys:
                key = _next_key(highest, shelf)
            highest = max(highest, _number(key))
            keys[key] = one
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


def marked(before: bytes, after: bytes, last: str | None, shelf: Shelf) -> list[Put]:
    """The mark, if what was added last does not tell the highest id any more."""
    highest = max(highest_in(before), highest_in(after))
    mark = shelf.content(HIGHEST)
    if _number(last or "") >= highest or _mark(mark) >= highest:
        return []
    return [Put(HIGHEST, b"%d\n" % highest, None if mark is None else sha256(mark).digest())]


def _own_key(one: Entering, highest: int, shelf: Shelf) -> str | None:
    """The id by which it was known here before, or that it brings along and that was never given here."""
    if one.left is not None and _is_free(one.left.key, one.record, shelf):
        return one.left.key
    return next((key for key in one.record.aliases if _number(key) > highest), None)


def _is_free(key: str, record: MemoryRecord, shelf: Shelf) -> bool:
    named = shelf.named(key)
    return named is None or named.id == record.id


def _next_key(highest: int, shelf: Shelf) -> str:
    number = highest + 1
    while shelf.named(f"m-{number}") is not None:  # a line that people put far from its place, unseen by this process
        number += 1
    if number_of(f"m-{number}") is None:
        raise InvalidError("the ids of this file are used up", where=FILE, hint="Rename the line with the highest id.")
    return f"m-{number}"


def _own_number(one: Entering) -> int:
    return max(map(_number, one.record.aliases), default=_NONE)


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
