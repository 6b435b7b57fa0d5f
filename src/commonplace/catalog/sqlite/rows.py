"""How a noun lies in a table: moments as microseconds since 1970, lists as JSON, words as text, the rest as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Generic, TypeVar
from zlib import crc32

import msgspec

from commonplace.errors import CorruptError
from commonplace.model.base import Closed, Noun, from_micros, to_micros
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity

N = TypeVar("N", bound=Noun)
Convert = Callable[[Any], Any]


class Table(Generic[N]):
    """One noun's table: its columns in order, and the way there and back."""

    def __init__(self, name: str, noun: type[N], *, checksummed: bool = False) -> None:
        self.name, self.noun, self._checksummed = name, noun, checksummed
        self.fields = tuple(noun.__struct_fields__)
        self.columns = self.fields if "id" in self.fields else ("id", *self.fields)
        if checksummed:
            self.columns = (*self.columns, "checksum")
        ways = [(i, *_ways(noun, field)) for i, field in enumerate(self.fields)]
        self._values = attrgetter(*self.fields)
        self._out = [(i, out) for i, out, _ in ways if out]
        self._in = [(i, back) for i, _, back in ways if back]
        marks = ", ".join("?" * len(self.columns))
        self.insert = f"INSERT INTO {name} ({', '.join(self.columns)}) VALUES ({marks})"
        selected = (*self.fields, "checksum") if checksummed else self.fields
        self.select = ", ".join(f"{name}.{column}" for column in selected)

    def row(self, noun: N) -> list[Any]:
        """The values for `insert`, in the order of `columns`."""
        values = [*self._values(noun)]
        for i, out in self._out:
            if values[i] is not None:
                values[i] = out(values[i])
        if self._checksummed:
            return [*values, checksum(values)]
        return values if len(self.columns) == len(self.fields) else [noun.id, *values]  # type: ignore[attr-defined]

    def from_row(self, row: Iterable[Any]) -> N:
        """A noun from a row selected with `select`. Raises `CorruptError` for a row that nothing of ours can have written."""
        stored = [*row]
        values = stored[: len(self.fields)]
        try:
            if self._checksummed and checksum(values) != stored[len(values)]:
                raise CorruptError(f"a row of {self.name} is not what was written", where=str(values[0])[:80])
            for i, back in self._in:
                if values[i] is not None:
                    values[i] = back(values[i])
                elif back is _from_list:
                    values[i] = ()
            return self.noun(**dict(zip(self.fields, values, strict=True)))
        except (ValueError, TypeError, OverflowError, AttributeError, KeyError, IndexError) as cause:
            raise CorruptError(f"a row of {self.name} cannot be read", where=str(values[0])[:80]) from cause

    def readable(self, rows: Iterable[Iterable[Any]]) -> Iterator[N]:
        """Those rows that can be read: one bad row does not keep the rest away, and `doctor` names it."""
        for row in rows:
            try:
                yield self.from_row(row)
            except CorruptError:
                continue


def checksum(values: Iterable[Any]) -> int:
    """Of a row as it is stored. Finds what a failing disk changed; what a person changed on purpose is for `verify`."""
    return crc32(msgspec.json.encode(values))


def _ways(noun: type[Noun], field: str) -> tuple[Convert | None, Convert | None]:
    """How a field goes into a column and comes back, by the text of its annotation: evaluating it would cost a cold start."""
    hint: str = noun.__annotations__[field]
    kind = hint.removesuffix(" | None")
    if kind == "datetime":
        return to_micros, from_micros
    if kind.startswith("tuple["):
        return _to_list, _from_list
    if kind == "bool":
        return int, bool
    if kind == "float":
        return float, None  # the column would make it one anyway, and the checksum is of what is stored
    words = getattr(import_module(noun.__module__), kind, None)
    if isinstance(words, type) and issubclass(words, Closed):
        return None, words._value2member_map_.__getitem__  # the driver takes a word as the text it is
    return None, None


def _from_list(text: str) -> tuple[str, ...]:
    return tuple(msgspec.json.decode(text))


def _to_list(values: tuple[str, ...]) -> str | None:
    return msgspec.json.encode(values).decode() if values else None


MEMORIES = Table("memories", MemoryRecord, checksummed=True)
_TABLES = {
    Entity.LINK: ("memory_links", "link:Link"),
    Entity.CONFLICT: ("conflicts", "link:Conflict"),
    Entity.SOURCE: ("sources", "source:Source"),
    Entity.EVENT: ("ingestion_events", "source:IngestionEvent"),
    Entity.PROJECT: ("projects", "source:Project"),
    Entity.REPO: ("repos", "source:Repo"),
}


@cache
def table_of(entity: Entity) -> Table[Any]:
    """The table of one sort of thing, made when it is first asked for."""
    if entity is Entity.MEMORY:
        return MEMORIES
    name, home = _TABLES[entity]
    module, _, noun = home.partition(":")
    return Table(name, getattr(import_module(f"commonplace.model.{module}"), noun))
