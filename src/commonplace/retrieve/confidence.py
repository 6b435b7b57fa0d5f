"""Is what was asked for in the book at all? From 0 to 1, for those who would rather say nothing than something wrong.

The best sign that it is not there is a rare word of the question that none of the best hits holds. How near the best hits are
comes second. The three weights are a logistic fit on halves of two public sets (LongMemEval, BEAM); what is absent there is on
topic on purpose, and so this tells 0.66 and 0.77 of the pairs apart (AUROC), not more.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.understand import Question

if TYPE_CHECKING:
    from commonplace.seam.catalog import View

_HITS = 5
_MOST_WORDS = 8


def confidence(
    view: View, ranked: Sequence[Contender], question: Question, background: tuple[float, float], *, by_meaning: bool
) -> float:
    """`by_meaning` says whether the cosines are known; without them the words alone decide."""
    if not ranked:
        return 0.0
    missing = _rarest_missing(view, ranked[:_HITS], question)
    sign = 0.653 * (3.009 - missing) / 2.38 + 0.334
    near = sorted((one.raw["semantic"] for one in ranked if "semantic" in one.raw), reverse=True)[:3]
    if by_meaning and near:
        # In the measure of the model that the weights were fitted with; other models have other backgrounds.
        mean, spread = background
        sign += 0.259 * (_usual(sum(near) / len(near), mean, spread) - 0.856) / 0.029
        sign -= 0.332 * ((near[0] - mean) / spread - 3.759) / 1.058
    return 1 / (1 + exp(-sign))


def _usual(near: float, mean: float, spread: float) -> float:
    """A cosine as it would be if the background were that of the default model: 0.75, give or take 0.03."""
    return near if 0.68 < mean < 0.82 else 0.75 + 0.03 * (near - mean) / spread


def _rarest_missing(view: View, hits: Sequence[Contender], question: Question) -> float:
    """How rare the rarest word of the question is that no hit holds; 0 if they hold them all."""
    held = {word for one in hits for word in one.holding(question.words)}
    missing = [word for word in question.words if word not in held][:_MOST_WORDS]
    if not missing:
        return 0.0
    try:
        counts, total = view.held_by(missing)
    except CommonplaceError:
        return 0.0
    return max((log(1 + (max(total - count, 0) + 0.5) / (count + 0.5)) for count in counts.values()), default=0.0)
