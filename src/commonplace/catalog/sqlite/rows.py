"""How a noun lies in a table: moments as microseconds since 1970, lists as JSON, words as text, the rest as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Generic, TypeVar, get_args, get_type_hints

import msgspec

from commonplace.model.base import Closed, Noun, from_micros, to_micros
from commonplace.model.link import Conflict, Link
from commonplace.model.record import MemoryRecord
from commonplace.model.source import IngestionEvent, Project, Repo, Source
from commonplace.model.words import Entity

N = TypeVar("N", bound=Noun)


def _from_list(text: str | None) -> tuple[str, ...]:
    return tuple(msgspec.json.decode(text)) if text else ()


def _to_list(values: tuple[str, ...]) -> str | None:
    return msgspec.json.encode(values).decode() if values else None


def _optional(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


class Table(Generic[N]):
    """One noun's table: its columns in order, and the way there and back."""

    def __init__(self, name: str, noun: type[N]) -> None:
        self.name, self.noun = name, noun
        hints = get_type_hints(noun)
        self.fields = tuple(noun.__struct_fields__)
        self.columns = self.fields if "id" in self.fields else ("id", *self.fields)
        self._out = {field: _outward(hints[field]) for field in self.fields}
        self._in = [(field, i, _inward(hints[field])) for i, field in enumerate(self.fields)]
        marks = ", ".join("?" * len(self.columns))
        self.insert = f"INSERT INTO {name} ({', '.join(self.columns)}) VALUES ({marks})"
        self.select = ", ".join(f"{name}.{field}" for field in self.fields)

    def row(self, noun: N) -> list[Any]:
        """The values for `insert`, in the order of `columns`."""
        values = [out(getattr(noun, field)) if out else getattr(noun, field) for field, out in self._out.items()]
        return values if len(self.columns) == len(self.fields) else [noun.id, *values]  # type: ignore[attr-defined]

    def value(self, field: str, noun: N) -> Any:
        out = self._out[field]
        return out(getattr(noun, field)) if out else getattr(noun, field)

    def from_row(self, row: Iterable[Any]) -> N:
        """A noun from a row selected with `select`."""
        values = tuple(row)
        return self.noun(**{field: (convert(values[i]) if convert else values[i]) for field, i, convert in self._in})


def _outward(hint: Any) -> Callable[[Any], Any] | None:
    kind = _bare(hint)
    if kind is datetime:
        return _optional(to_micros)
    if kind is tuple:
        return _to_list
    if kind is bool:
        return int
    # The driver takes only plain text, not our word classes.
    return _optional(str) if isinstance(kind, type) and issubclass(kind, Closed) else None


def _inward(hint: Any) -> Callable[[Any], Any] | None:
    kind = _bare(hint)
    if kind is datetime:
        return _optional(from_micros)
    if kind is tuple:
        return _from_list
    if kind is bool:
        return bool
    return _optional(kind) if isinstance(kind, type) and issubclass(kind, Closed) else None


def _bare(hint: Any) -> Any:
    """The class inside `X | None` or `tuple[X, ...]`."""
    parts = [part for part in get_args(hint) if part is not type(None)]
    if getattr(hint, "__origin__", None) is tuple:
        return tuple
    return parts[0] if parts else hint


MEMORIES = Table("memories", MemoryRecord)
TABLES: dict[Entity, Table[Any]] = {
    Entity.MEMORY: MEMORIES,
    Entity.LINK: Table("memory_links", Link),
    Entity.SOURCE: Table("sources", Source),
    Entity.EVENT: Table("ingestion_events", IngestionEvent),
    Entity.CONFLICT: Table("conflicts", Conflict),
    Entity.PROJECT: Table("projects", Project),
    Entity.REPO: Table("repos", Repo),
}
