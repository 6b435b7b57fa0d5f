"""The page of errors: the whole family, from its classes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from commonplace import errors
from commonplace.surfaces.cli.exits import BY_KIND

from .generate import code, table


def family() -> list[type[errors.CommonplaceError]]:
    """The classes below `CommonplaceError`, in the order they are written."""
    return errors.CommonplaceError.__subclasses__()


def lines() -> Iterator[str]:
    yield "# Errors"
    yield ""
    yield "Every error is a `CommonplaceError` with `kind`, `message`, `hint`, `retryable`, and where there is something to"
    yield "say `where` and a finer `code` ([which codes there are](../guide/library.md#errors)). `kind` is one of eleven"
    yield "words and never changes its meaning. No message holds content or a secret."
    yield ""
    rows = ((code(one.kind), code(one.__name__), str(BY_KIND[one.kind]), _yes(one.retryable)) for one in family())
    yield from table(("kind", "class", "exit code", "may a retry help?"), rows)
    for one in family():
        yield f"## {one.kind}"
        yield ""
        yield inspect.getdoc(one) or ""
        if one.hint:
            yield ""
            yield f"Next step, unless the error names a better one: {one.hint}"
        yield ""


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
