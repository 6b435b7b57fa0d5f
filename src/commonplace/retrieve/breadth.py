"""Breadth: how much of a long memory is about the question?

Its best passage stands for a long memory. An essay has a passage for nearly everything, and what speaks of the question from
beginning to end is the better answer: so the other passages count a little too. Not for a question that wants an account: of
a long piece of advice, one passage is about what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonplace.retrieve.contender import Contender
    from commonplace.seam.embedder import Vector, Vectors

_NOTHING = 0.005


def broaden(ranked: Sequence[Contender], passages: Mapping[int, Vectors], asked: Vector, worth: float) -> None:
    """Take from each long one what its passages are further away than the best of them, on average. `worth`: of a cosine."""
    for contender in ranked:
        rows = passages.get(contender.place)
        if rows is None or len(rows) < 2:
            continue
        near = rows @ asked
        takes = worth * float(near.max() - near.mean())
        if takes >= _NOTHING:
            contender.scores["breadth"] = -takes
            contender.add_up()
