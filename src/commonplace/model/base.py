"""What every noun shares: it is frozen, it has one JSON form, and its closed lists are closed."""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Self, TypeVar

import msgspec

from commonplace.errors import InvalidError

E = TypeVar("E", bound="Closed")
T = TypeVar("T")


class Closed(StrEnum):
    """A list of words that only a release may extend. A word outside it is refused, with the list in the message."""

    @classmethod
    def of(cls: type[E], value: object, field: str) -> E:
        try:
            return cls(value)  # type: ignore[arg-type]
        except ValueError:
            raise not_among([*cls], value, field) from None


def not_among(words: Sequence[str], value: object, field: str, where: str | None = None) -> InvalidError:
    """A word outside a closed list: the list is in the message, and the hint has the word that was probably meant."""
    from difflib import get_close_matches  # only a mistake needs it

    near = get_close_matches(str(value)[:64].lower(), words, n=1)
    return InvalidError(
        f"{field}: {shown(value)} is not one of: {', '.join(words)}",
        hint=f"Did you mean {near[0]}?" if near else None,
        where=where or field,
    )


class Noun(msgspec.Struct, frozen=True, kw_only=True):
    """One frozen thing with one JSON form."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form as plain dicts, lists, strings and numbers."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        for key, value in plain.items():
            if value.__class__ is tuple:  # JSON knows one kind of list, and what is compared must be of one kind
                plain[key] = [*value]
        return plain

    def to_json(self) -> str:
        return self.to_bytes().decode()

    def to_bytes(self) -> bytes:
        """Its JSON as it is stored or sent."""
        return _encoder.encode(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        made: Self = understand(lambda: msgspec.convert(plain, taken_apart(cls)), cls)
        return made

    @classmethod
    def from_json(cls, line: str | bytes) -> Self:
        made: Self = understand(lambda: msgspec.json.decode(line, type=taken_apart(cls)), cls)
        return made


_encoder = msgspec.json.Encoder()
_known: set[Any] = set()
_turn = [RLock()]


def taken_apart(sort: T) -> T:
    """The type itself, which may now be read by any thread.

    msgspec takes a type apart when it first reads one of it. A second thread that comes upon it meanwhile finds half of it, and
    the process crashes. So that is done once, by one thread at a time; everything that decodes goes through here.
    """
    if sort not in _known:
        with _turn[0]:
            msgspec.json.Decoder(sort)
            _known.add(sort)
    return sort


def _begin_anew() -> None:
    """In a forked child nobody is left to let go of what another thread of its parent held."""
    _turn[0] = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def understand(read: Any, cls: type) -> Any:
    """Run a decoder of ours; what it cannot understand becomes an `InvalidError` that names the place."""
    try:
        return read()
    except InvalidError:
        raise
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeError) as cause:
        raised = cause.__cause__
        if isinstance(raised, InvalidError):
            raise raised from None
        raise _complaint(cls, cause) from None


def _complaint(cls: type, cause: Exception) -> InvalidError:
    """What the decoder says, in our words: the place, what was wanted there, never the value."""
    said, _, place = str(cause).partition(" - at `$")
    path = place.strip("`.").replace("[...]", "").split(".") if place else []
    where = ".".join(path) or None
    if "enum value" in said and path:
        given = said.partition("'")[2].removesuffix("'")
        return not_among(closed_words(cls, path), given, path[-1], where)
    if "datetime" in said and path:
        return _bad_time(path[-1])
    if isinstance(cause, msgspec.ValidationError):
        return InvalidError(f"{where or cls.__name__}: {said.replace('`', '')}", where=where)
    return InvalidError(f"not a valid {cls.__name__}: {said.replace('`', '')}")


def closed_words(cls: type, path: list[str]) -> list[str]:
    """The words of the closed list that a path of field names leads to."""
    for known in msgspec.structs.fields(cls):
        if known.name == path[0]:
            for kind in (known.type, *getattr(known.type, "__args__", ())):
                if isinstance(kind, type) and issubclass(kind, Closed):
                    return [*kind]
                if isinstance(kind, type) and issubclass(kind, Noun) and path[1:]:
                    return closed_words(kind, path[1:])
    return []


def set_once(noun: Noun, field: str, value: object) -> None:
    """Put a coerced value into a frozen noun while it is being made, and at no other time."""
    msgspec.structs.force_setattr(noun, field, value)


def utc(value: object, field: str) -> datetime:
    """A moment in UTC. Text must be ISO 8601 with an offset; a naive time is refused, because nobody knows what it means."""
    moment = value
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError:
            raise _bad_time(field) from None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise _bad_time(field)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise _bad_time(field) from None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970: how moments are stored, compared and hashed."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _bad_time(field: str) -> InvalidError:
    hint = "Write it as 2026-05-03T12:00:00Z, or give a datetime with a time zone."
    return InvalidError(f"{field}: not a moment with a time zone", hint=hint, where=field)


def shown(value: object) -> str:
    """A value for an error message: short, quoted, without control characters."""
    text = ascii(value)
    # Only what looks like a mistyped word of ours is repeated: anything else could be a secret in the wrong place.
    return text if len(text) <= 26 and text[1:-1].replace("_", "").replace("-", "").isalpha() else "what was given"
