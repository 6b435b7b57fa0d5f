"""The page of nouns: fields with their types, defaults and what is said of them, read off the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from .generate import code, table

_MODULES = (
    *("record", "words", "link", "source", "operation", "result", "receipt", "bundle", "finding"),
    *("transcript", "proposal", "job", "inbox", "consolidation"),
)


class Field(NamedTuple):
    name: str
    type: str
    default: str
    said: str


def lines() -> Iterator[str]:
    yield "# Nouns"
    yield ""
    yield "What verbs take and answer. All are frozen; each has one JSON form (`to_dict`, `to_json`, `from_dict`, `from_json`)"
    yield "in which every key is present. Moments are UTC. A word outside a closed list is refused, with the list. What each"
    yield "field is for, also where nothing is said here, stands in the [page of the tables](../format/sqlite.md#tables)."
    yield ""
    for module in _MODULES:
        for one in classes(module):
            yield from _section(one)


def classes(module: str) -> list[ast.ClassDef]:
    path = import_module(f"commonplace.model.{module}").__file__
    assert path
    return [one for one in ast.parse(Path(path).read_text()).body if isinstance(one, ast.ClassDef)]


def is_closed(one: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Closed" for base in one.bases)


def _section(one: ast.ClassDef) -> Iterator[str]:
    yield f"## {one.name}"
    yield ""
    yield _line(ast.get_docstring(one))
    yield ""
    if is_closed(one):
        yield f"Closed: {', '.join(code(word) for word in words(one))}."
        yield ""
        return
    rows = (
        (code(field.name), code(field.type), code(field.default) or "required", field.said) for field in fields(one)
    )
    yield from table(("field", "type", "default", "meaning"), rows)


def words(one: ast.ClassDef) -> list[str]:
    return [ast.literal_eval(made.value) for made in one.body if isinstance(made, ast.Assign)]


def fields(one: ast.ClassDef) -> Iterator[Field]:
    """Each annotated name, with the sentence that stands below it."""
    for here, below in zip(one.body, [*one.body[1:], None], strict=True):
        if isinstance(here, ast.AnnAssign):
            name, default = ast.unparse(here.target), ast.unparse(here.value) if here.value else ""
            yield Field(name, ast.unparse(here.annotation), default, _line(_text(below)))


def _text(statement: ast.stmt | None) -> str | None:
    held = statement.value if isinstance(statement, ast.Expr) else None
    return held.value if isinstance(held, ast.Constant) and isinstance(held.value, str) else None


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
