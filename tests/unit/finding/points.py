"""A search in the points of its ranking, in which weights are told, before they become scores."""

from __future__ import annotations

from commonplace import Book
from commonplace.engine.search import Search, look


def points(book: Book, query: str) -> dict[str, dict[str, float]]:
    """What each component gave, by what the memory says."""
    found = look(book._scribe, Search(query=query))
    return {
        one.record.content: {name: score / found.point for name, score in one.scores.items()} for one in found.results
    }
