"""Reranking: a small model reads the question together with each of the best passages. Dear, so only the first few.

It orders the head of the list well and is a poor judge alone, so what it says is added to what words and meaning say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.passages import LENGTH, embedded_passages

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.retrieve.understand import Question
    from commonplace.seam.embedder import Reranker

FIRST = 20
"""How many are read again: thirty were no better than twenty on any set."""
_LONGEST = 560
_BEFORE = 200
"""How much of what was said just before is read with a short memory."""
_WEIGHT, _CAREFUL_WEIGHT = 0.7, 0.3
"""What one point of the model's answer is worth beside words and meaning; and where all are long, so that it has read but a
passage of each, or of a model that was not taught to tell yes from no, for which nothing else was measured. Between 0.3 and 1.2
recall hardly moves, and the first place gains up to 0.7: LoCoMo's turns 60.8, 63.7, 64.3 and 65.2 at 0.3, 0.5, 0.7 and 0.9 on the
tuning half, our own notes 47.4, 49.3, 51.0 and 50.8; BEAM, where both are mixed, 48.6, 47.5, 48.0 and 44.7."""
_FOR_HELP = 0.5
"""And this share of it to a request for help. The model knows what answers a question; what helps to plan a dinner does not. Of
BEAM's requests the first place is right for 42 instead of 36 of 100."""

_SLIP = 2.0
_EXEMPT = frozenset(("wishes", "instructions"))
_LEAST = -11.5
"""The least that a model says who does not tell its own: so that to be read again is never worse than not to be."""


def rerank(
    reranker: Reranker,
    question: Question,
    ranked: Sequence[Contender],
    before: Mapping[int, MemoryRecord],
    *,
    are_long: bool = False,
) -> None:
    """Add what the model says to the scores of the first few. `before` are the memories just before them, by place."""
    read = [contender for contender in ranked[:FIRST] if contender.record is not None]
    texts = [_text(one, before.get(one.place - 1)) for one in read]
    said_of = reranker.scores(question.text, texts)
    is_sure = getattr(reranker, "knows_absence", False) and not are_long
    weight = (_WEIGHT if is_sure else _CAREFUL_WEIGHT) * (_FOR_HELP if question.wants_help else 1.0)
    least = getattr(reranker, "least", _LEAST)
    good = sorted(said_of)[3 * len(said_of) // 4] if said_of else 0.0
    for contender, answer in zip(read, said_of, strict=True):
        # A standing wish answers no question, and is wanted all the same: it is not judged by that.
        said = max(answer, good) if _EXEMPT & contender.scores.keys() else answer
        contender.raw["rerank"] = said
        contender.scores["rerank"] = weight * max(said - least, 0.0)
        contender.add_up()


def _text(contender: Contender, before: MemoryRecord | None) -> str:
    """The best passage; a short memory with the end of a short one before it, which it may be the answer to. The end of an essay
    only misleads: with it, both sides of BEAM's contradictions stood in the first ten for 33 instead of 58 of 100."""
    assert contender.record is not None
    content = contender.record.content
    parts = embedded_passages(content)
    start, end = parts[min(contender.passage, len(parts) - 1)] if len(content) > LENGTH else (0, len(content))
    passage = content[start : min(end, start + _LONGEST)]
    if before is None or max(len(content), len(before.content)) > LENGTH:
        return passage
    return f"{before.content[-_BEFORE:]} {passage}"[-_LONGEST - _BEFORE :]


def best_answer(reranker: Reranker, ranked: Sequence[Contender]) -> float | None:
    """What it says of the best ones; None of one whose answer says nothing about whether there is one. One yes among twenty may
    be a slip, so the second best is told, up to `_SLIP` below the best: where only one memory answers, that one does."""
    if not getattr(reranker, "knows_absence", False):
        return None
    said = sorted([one.raw["rerank"] for one in ranked if "rerank" in one.raw], reverse=True)
    return max(said[0] - _SLIP, *said[1:2]) if len(said) > 1 else next(iter(said), None)
