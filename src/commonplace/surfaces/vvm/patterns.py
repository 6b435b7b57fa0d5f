"""What stands behind `case`, `by` and `require`: `_`, `error(_)`, `error(kind="…")`, or a criterion. Nothing else."""

from __future__ import annotations

from commonplace.surfaces.vvm.cursor import Cursor
from commonplace.surfaces.vvm.expressions import template
from commonplace.surfaces.vvm.syntax import Anything, Criterion, ErrorPattern, Pattern


def pattern(cursor: Cursor) -> Pattern:
    """The pattern up to its colon. One that there is not is noted and matches nothing further: the body is still read."""
    at = cursor.at
    found = _known(cursor)
    if found is not None and cursor.sees(":"):
        return found
    hint = None
    if isinstance(found, Criterion) and cursor.sees("("):
        hint = "A criterion in a `case` judges the matched value; match on the other value instead."
    cursor.findings.add("E050", at, hint=hint)
    while not (cursor.sees(":") or cursor.sees_kind("newline", "end")):
        cursor.take()
    return Anything(at)


def _known(cursor: Cursor) -> Pattern | None:
    at = cursor.at
    if cursor.sees_kind("name") and cursor.token.text == "_":
        cursor.take()
        return Anything(at)
    if cursor.sees("?"):
        return criterion(cursor)
    if cursor.takes("error") and cursor.takes("("):
        return _error(cursor)
    return None


def _error(cursor: Cursor) -> ErrorPattern | None:
    at, word = cursor.at, cursor.take().text
    kind = None
    if word == "kind" and cursor.takes("=") and cursor.sees_kind("string"):
        kind = cursor.take().text
    elif word != "_":
        return None
    return ErrorPattern(at, kind) if cursor.takes(")") else None


def criterion(cursor: Cursor) -> Criterion:
    at = cursor.at
    cursor.expect("?", "and a criterion")
    return Criterion(at, template(cursor, "a criterion"))
