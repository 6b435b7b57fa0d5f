"""The streams that can look by themselves: words and vectors. Each runs whole or not at all, and says which."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commonplace.errors import CommonplaceError
from commonplace.model.receipt import StreamReport
from commonplace.model.terms import query_terms
from commonplace.retrieve.understand import is_common
from commonplace.seam.terms import Hits

if TYPE_CHECKING:
    from commonplace.model.filter import Filter
    from commonplace.retrieve.meaning import Asked
    from commonplace.retrieve.understand import Question
    from commonplace.seam.catalog import View


class Stream(NamedTuple):
    """What one stream found, best first, and its report."""

    hits: Hits
    report: StreamReport


def searched(name: str, hits: Hits) -> Stream:
    return Stream(hits, StreamReport(name=name, searched=True, found=len(hits)))


def not_searched(name: str, why: str) -> Stream:
    return Stream(Hits.none(), StreamReport(name=name, searched=False, why_not=why))


def lexical(view: View, question: Question, where: Filter, depth: int) -> Stream:
    """By words. If the book holds none of them, by words that are spelled nearly so."""
    try:
        hits = view.lexical(question.terms, where, depth)
        if not hits and question.terms:
            hits = view.lexical(_respelled(view, question), where, depth)
    except CommonplaceError as cause:
        return not_searched("lexical", cause.message)
    return searched("lexical", hits)


def _respelled(view: View, question: Question) -> list[tuple[str, ...]]:
    """Nobody who writes `care` meant `are`: a common word is never what was meant."""
    nearby = (other for word in question.words[:8] for other in view.spellings(word, 3))
    return [term for word in nearby if not is_common(word) for term in query_terms(word)[:1]]


def semantic(view: View, asked: Asked, where: Filter, depth: int) -> Stream:
    """By meaning."""
    try:
        return searched("semantic", view.nearest(asked.model, asked.vector, where, depth))
    except CommonplaceError as cause:
        return not_searched("semantic", cause.message)
