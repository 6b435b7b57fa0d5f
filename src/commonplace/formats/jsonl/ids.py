"""Which id a line gets: the one it had, or one higher than any that was ever given. No id is given twice (G6, G43, G-a).

What was added last tells the highest id. Where that is not so, because a line left the file or came back to its old place, a
mark in `.commonplace/highest-id` tells it. Which memory had which id when it left is in `.commonplace/left-ids.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from commonplace.errors import ConflictError, InvalidError
from commonplace.formats.jsonl.lines import number_of
from commonplace.formats.jsonl.rewriting import highest_in
from commonplace.model.record import MemoryRecord
from commonplace.seam.format import Append, Put

if TYPE_CHECKING:
    from commonplace.seam.format import Shelf

FILE = "memories.jsonl"
HIGHEST = ".commonplace/highest-id"
LEFT = ".commonplace/left-ids.jsonl"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_NONE = -1  # the number of what has none


class Entering(NamedTuple):
    """A memory that is to stand in the file."""

    record: MemoryRecord
    is_new: bool
    """The book learns it just now, so it never left the file."""


class Ids:
    """The ids of one file."""

    def __init__(self, id_start: int) -> None:
        self._before_first = id_start - 1
        self._seen: int | None = None

    def see(self, highest: int) -> None:
        """So high a number stood in the file, be it in a line that cannot be understood."""
        self._seen = highest if self._seen is None else max(self._seen, highest)

    def give(self, entering: Sequence[Entering], shelf: Shelf) -> dict[str, MemoryRecord]:
        """An id for each of these, in ascending order where they bring none along."""
        highest = self._highest(shelf)
        keys: dict[str, MemoryRecord] = {}
        for one in sorted(entering, key=_own_number):
            key = _own_key(one, highest, shelf)
            if key is None or key in keys:
                key = _next_key(highest, shelf)
            highest = max(highest, _number(key))
            keys[key] = one.record
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


def left(leaving: Mapping[str, str]) -> list[Append]:
    """A note of which memory had which id."""
    notes = [json.dumps({"id": key, "memory": memory_id}) + "\n" for key, memory_id in leaving.items()]
    return [Append(LEFT, "".join(notes).encode())] if notes else []


def _own_key(one: Entering, highest: int, shelf: Shelf) -> str | None:
    """The id by which it was known here before, or that it brings along and that was never given here."""
    brought = next((key for key in one.record.aliases if _number(key) > highest), None)
    return brought if one.is_new else _key_it_left_with(one.record, shelf) or brought


def _key_it_left_with(record: MemoryRecord, shelf: Shelf) -> str | None:
    needle, noted = json.dumps(record.id).encode(), (shelf.content(LEFT) or b"").splitlines()
    for note in reversed(noted):
        if needle in note:
            with suppress(ValueError, TypeError, KeyError):
                told = json.loads(note)
                if told["memory"] == record.id and _number(told["id"]) > _NONE and _is_free(told["id"], record, shelf):
                    return str(told["id"])
    return None


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
