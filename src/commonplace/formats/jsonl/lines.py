"""One line of `memories.jsonl`: what it says, how a new one is written, and how one is changed without touching the rest of it.

Any bytes may stand in a line. What is not an entry is said to be odd, with the reason; nothing here raises anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from commonplace import settings
from commonplace.model.record import MemoryRecord
from commonplace.model.words import SCOPE_WORDS, Scope

WORKSPACE = "workspace"
"""The default scope, and the one repository that a book of this format is about."""
# A memory's text in its longest form, every character written as an escape of six, with its id, tags and strange fields.
MAX_LINE_BYTES = 8 * settings.MAX_CONTENT_BYTES
_SCOPES = {"user": Scope.GLOBAL, WORKSPACE: Scope.REPO, "session": Scope.SESSION}
_WORDS = {scope: word for word, scope in _SCOPES.items()}
_OURS = {*SCOPE_WORDS, *Scope} - _SCOPES.keys()  # words of other surfaces that have no place in this file
_NUMBER = re.compile(r"m-([0-9]{1,15})")


class Odd(Exception):  # noqa: N818 (it is a finding, not an error)
    """This line is not an entry, and why."""


class Entry(NamedTuple):
    """What a line says."""

    key: str
    text: str
    scope: str
    tags: tuple[str, ...]
    at: datetime | None
    """When it was made, as far as the line can tell."""

    @property
    def fields(self) -> dict[str, Any]:
        """The same by the names of a `MemoryRecord`'s fields."""
        scope = _SCOPES.get(self.scope, Scope.REPO)
        owner = {"repo_id": WORKSPACE} if scope is Scope.REPO else {}
        moment = {"created_at": self.at} if self.at else {}
        return {"content": self.text, "scope": scope, "scope_word": self.scope, "tags": self.tags, **owner, **moment}


def entry_of(raw: bytes) -> Entry:
    """What this line says. Raises `Odd` if it is no entry."""
    told = _object(raw)
    key, text = told.get("id"), told.get("text")
    if not isinstance(key, str) or not key or len(key) > settings.MAX_NAME_CHARS or not key.isprintable():
        raise Odd("it has no id")
    if not isinstance(text, str) or not text.strip():
        raise Odd("it has no text")
    tags = tuple(tag for tag in _listed(told.get("tags")) if isinstance(tag, str) and tag.strip())
    scope = told.get("scope")
    _refuse_what_cannot_be_kept(text, *tags)
    word = scope if isinstance(scope, str) and scope and len(scope) <= settings.MAX_NAME_CHARS else WORKSPACE
    return Entry(key, text, word, tags[: settings.MAX_TAGS], _moment(told.get("ts")))


def line_of(key: str, record: MemoryRecord) -> bytes:
    """A new line, in the form and order of the specification, without its end."""
    told = {"id": key, "scope": word_of(record), "text": record.content, "tags": [*record.tags]}
    return _dump({**told, "ts": stamp(record.created_at)}).encode()


def changed(raw: bytes, record: MemoryRecord) -> bytes:
    """The line as the record would have it. Only what differs is written anew; all other bytes of the line stay."""
    said = entry_of(raw)
    wanted: dict[str, object] = {}
    if said.text != record.content:
        wanted["text"] = record.content
    if said.scope != word_of(record):
        wanted["scope"] = word_of(record)
    if said.tags != record.tags:
        wanted["tags"] = [*record.tags]
    if said.at and stamp(said.at) != stamp(record.created_at):
        wanted["ts"] = stamp(record.created_at)
    return _with(raw.decode(), wanted).encode() if wanted else raw


def word_of(record: MemoryRecord) -> str:
    """The scope in this format's words: the one it came with, if that still is its scope (X-11)."""
    word = record.scope_word
    if word and word not in _OURS and _SCOPES.get(word, Scope.REPO) is record.scope:
        return word
    return _WORDS.get(record.scope, WORKSPACE)


def stamp(moment: datetime) -> str:
    """ISO 8601 in UTC, to the second, as the specification's examples have it; the journal knows it more exactly (G11)."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def number_of(key: str) -> int | None:
    """The number of an id of our own making; None of any other name."""
    made = _NUMBER.fullmatch(key)
    return int(made[1]) if made else None


def _object(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise Odd(f"it is longer than {MAX_LINE_BYTES} bytes")
    try:
        told = json.loads(
            raw.decode().removeprefix("\ufeff"), object_pairs_hook=_each_once, parse_constant=_no_constants
        )
    except UnicodeDecodeError:
        raise Odd("it is not UTF-8") from None
    except RecursionError:
        raise Odd("it is nested too deeply") from None
    except ValueError:
        raise Odd("it is not JSON, or only a part of it") from None
    if not isinstance(told, dict):
        raise Odd("it is no JSON object")
    return told


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) != len(pairs):
        raise Odd("it names a field twice")
    return told


def _no_constants(name: str) -> None:
    raise Odd(f"{name} is no JSON")


def _listed(tags: object) -> list[Any]:
    return tags if isinstance(tags, list) else [tags]


def _refuse_what_cannot_be_kept(*texts: str) -> None:
    """NUL and halves of surrogate pairs: no book takes them in (row 33)."""
    for text in texts:
        if "\0" in text:
            raise Odd("it holds a NUL character")
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise Odd("it holds half of a surrogate pair") from None
        if size > settings.MAX_CONTENT_BYTES:
            raise Odd(f"its text is longer than {settings.MAX_CONTENT_BYTES} bytes")


def _moment(told: object) -> datetime | None:
    """A time without a zone is taken for UTC, which is what the file is written in; what is no time is passed over (row 72)."""
    try:
        moment = datetime.fromisoformat(told) if isinstance(told, str) and len(told) <= 40 else None
        return moment and (moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


# Changing a line in place -------------------------------------------------------------------------------------------------


def _with(line: str, wanted: Mapping[str, object]) -> str:
    spans = _spans(line)
    for name in sorted(spans.keys() & wanted.keys(), key=spans.__getitem__, reverse=True):
        start, end = spans[name]
        line = line[:start] + _dump(wanted[name]) + line[end:]
    added = "".join(f",{_dump(name)}:{_dump(value)}" for name, value in wanted.items() if name not in spans)
    closing = line.rindex("}")
    return line[:closing] + added + line[closing:]


def _spans(line: str) -> dict[str, tuple[int, int]]:
    """Where each value of the outermost object stands."""
    decoder, spans = json.JSONDecoder(), {}
    at = _past_space(line, line.index("{") + 1)
    while line[at] == '"':
        name, end = decoder.raw_decode(line, at)
        start = _past_space(line, _past_space(line, end) + 1)
        _, end = decoder.raw_decode(line, start)
        spans[name] = (start, end)
        at = _past_space(line, end)
        if line[at] == ",":
            at = _past_space(line, at + 1)
    return spans


_SPACE = re.compile(r"[ \t\n\r]*")


def _past_space(line: str, at: int) -> int:
    space = _SPACE.match(line, at)
    return space.end() if space else at


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
