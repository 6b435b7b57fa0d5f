"""What a search brought up, with bars for the strength and the reason why; receipts; and a receipt told again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonplace.engine.explain import ReceiptExplanation
from commonplace.model.receipt import Candidate, Receipt, StreamReport
from commonplace.model.result import RetrievalResult, SearchResults
from commonplace.surfaces.cli.page import Line, Page, one_line
from commonplace.surfaces.cli.render.records import headline, owner_of, pairs, when
from commonplace.surfaces.operations import Described

_WIDE_ENOUGH = 60


def results(_: Described, answer: SearchResults, page: Page) -> Iterator[Line]:
    if not answer.results:
        yield [("nothing found", "dim")]
    best = max((result.score for result in answer), default=0.0)
    for rank, result in enumerate(answer, 1):
        yield from _result(rank, result, best, page)
    yield from _not_searched(answer.streams)
    if not page.plain:
        yield [(f"receipt {answer.receipt_id}", "dim")]


def _result(rank: int, result: RetrievalResult, best: float, page: Page) -> Iterator[Line]:
    record = result.record
    head = [*_strength(rank, result.score, best, page), (record.id, "id")]
    yield from page.headed(head, f"{record.type}, {owner_of(record)}, {record.created_at:%Y-%m-%d}")
    yield from page.prose(headline(record), "", [("    ", "")])
    if result.evidence and result.evidence.quoted_from == "source":
        yield from page.prose(f"evidence: {one_line(result.evidence.quote)}", "dim", [("    ", "")])
    yield from page.prose(f"why: {result.explanation} ({_terms(result.scores)})", "dim", [("    ", "")])


def _not_searched(streams: Sequence[StreamReport]) -> Iterator[Line]:
    """What could not look is told, but for a book that simply has no model: that is how it is meant to be."""
    for stream in streams:
        if not stream.searched and stream.why_not and "there is no embedder" not in stream.why_not:
            yield [(f"not searched: {stream.name} ({stream.why_not})", "warn")]


def receipts(_: Described, answer: Sequence[Receipt], page: Page) -> Iterator[Line]:
    if not answer:
        yield [("no receipts", "dim")]
        return
    rows = [
        [
            (when(receipt.at), "dim"),
            (receipt.id, "id"),
            (str(receipt.moment), ""),
            (receipt.actor, ""),
            (str(len(receipt.chosen)), "bold"),
            (one_line(receipt.query) if receipt.query is not None else "(not kept)", ""),
        ]
        for receipt in answer
    ]
    yield from page.table(["WHEN", "RECEIPT", "MOMENT", "ACTOR", "FOUND", "ASKED"], rows, droppable=(3, 2, 0, 4))


def told(answer: ReceiptExplanation, page: Page) -> Iterator[Line]:
    """A receipt: what was asked, each that was chosen with its score terms, those that nearly were, and what it took."""
    receipt = answer.receipt
    yield from page.prose(answer.because, "", [(page.glyph("▎ ", ""), "accent")])
    yield []
    yield from pairs(_facts(answer), page)
    yield from _candidates("Chosen", receipt.chosen, page)
    yield from _candidates("Left out", receipt.near_misses, page)
    yield from _not_searched(receipt.streams)


def _facts(answer: ReceiptExplanation) -> Iterator[tuple[str, str]]:
    receipt = answer.receipt
    yield "receipt", receipt.id
    yield "asked", receipt.query if receipt.query is not None else f"not kept; sha256 {receipt.query_hash[:16]}"
    yield "profile", receipt.profile
    if receipt.asked:
        yield "with", ", ".join(f"{name} {value}" for name, value in receipt.asked.items())
    yield "thresholds", _terms(receipt.thresholds)
    yield "confidence", _amount(receipt.confidence)
    if receipt.tokens is not None:
        yield "tokens", str(receipt.tokens)
    if receipt.models:
        yield "models", ", ".join(receipt.models.values())
    yield "took", ", ".join(f"{name} {ms:.1f} ms" for name, ms in receipt.timings.items() if ms >= 0.05)
    if answer.same is not None:
        yield "asked again", "gives the same" if answer.same else "gives another answer now"


def _candidates(title: str, several: Sequence[Candidate], page: Page) -> Iterator[Line]:
    if several:
        yield []
        yield [(title, "bold")]
    best = max((candidate.score for candidate in several), default=0.0)
    for rank, candidate in enumerate(several, 1):
        yield [*_strength(rank, candidate.score, best, page), (candidate.memory_id, "id")]
        told = f"{candidate.reason} ({_terms(candidate.scores)})" if candidate.reason else _terms(candidate.scores)
        yield from page.prose(told, "dim", [("    ", "")])


def _terms(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {_amount(score)}" for name, score in scores.items())


def _amount(score: float) -> str:
    return "<0.001" if 0 < score < 0.001 else f"{score:.3f}"


def _strength(rank: int, score: float, best: float, page: Page) -> Line:
    return [(f"{rank:>2}  ", "dim"), *_bar(score, best, page), (_amount(score).ljust(8), "bold")]


def _bar(score: float, best: float, page: Page) -> Line:
    """How strong, compared to the strongest: a sum of scores has no end. A narrow page has room for the number alone."""
    if not page.glyphs or (page.width or _WIDE_ENOUGH) < _WIDE_ENOUGH:
        return []
    full = max(round(8 * score / best), 1) if best > 0 else 1
    return [("━" * full, "good"), ("━" * (8 - full), "dim"), ("  ", "")]
