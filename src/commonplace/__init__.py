"""Commonplace: durable, local-first, evidence-backed memory for AI agents and the people who work with them.

    import commonplace

    with commonplace.open("sqlite:memory.sqlite", actor="alice") as book:
        book.save("Alice prefers tabs over spaces.", type="profile")
        book.search("indentation tabs")

Everything public is listed in `__all__`; names are loaded when they are first used, so that `import commonplace` is free.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["Book", "CommonplaceError", "MemoryRecord", "Operation", "__version__", "open"]

TYPE_CHECKING = False  # `typing` itself would cost every cold start as much as all the rest
if TYPE_CHECKING:
    from typing import Any

    from commonplace.engine.book import Book
    from commonplace.errors import CommonplaceError
    from commonplace.model.operation import Operation
    from commonplace.model.record import MemoryRecord
    from commonplace.surfaces.library import open_book as open

_HOMES = {
    "Book": "commonplace.engine.book",
    "CommonplaceError": "commonplace.errors",
    "MemoryRecord": "commonplace.model.record",
    "Operation": "commonplace.model.operation",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "open":
        return import_module("commonplace.surfaces.library").open_book
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'commonplace' has no attribute {name!r}")
