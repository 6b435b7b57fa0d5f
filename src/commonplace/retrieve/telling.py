"""The telling passage: which place of a long memory is worth reading with the question?

The passage whose meaning is nearest is often about the topic and not about what was asked; the one that also holds the rare
words of the question is. So both count, and the second model reads that one. Where statements stand beside essays it gains
nothing, and the nearest is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from commonplace.retrieve.forms import is_said
from commonplace.retrieve.passages import embedded_passages

if TYPE_CHECKING:
    from commonplace.retrieve.contender import Contender
    from commonplace.seam.embedder import Vector, Vectors

_BY_WORDS = 0.25
"""What a word that one in three passages holds is worth, in spreads of the nearness of anything. Chosen on LoCoMo 1-5 and
LongMemEval: with 0.4 the first gains a little more, and the second loses one to two questions of 211."""
_MOST = 16
"""Of a book-long memory only so many of the nearest passages are looked through."""


def point_out(
    some: Sequence[Contender], vectors: Mapping[int, Vectors], asked: Vector, spread: float, words: Sequence[str]
) -> None:
    """Let each of these that is long name its telling passage. `vectors` are those of their passages, by place."""
    long = [(one, near) for one in some if (near := _nearest(one, vectors, asked, spread))]
    said = [[_held(text, words) for _, _, text in near] for _, near in long]
    worth = _rarity(words, [held for passages in said for held in passages])
    for (one, near), passages in zip(long, said, strict=True):
        scores = [
            (score + _BY_WORDS * sum(worth[word] for word in held), -at)
            for (score, at, _), held in zip(near, passages, strict=True)
        ]
        one.passage = -max(scores)[1]


def _nearest(
    one: Contender, vectors: Mapping[int, Vectors], asked: Vector, spread: float
) -> list[tuple[float, int, str]]:
    """Nearness in spreads, number and text of its nearest passages; nothing if it is not long, or not read."""
    rows = vectors.get(one.place)
    if rows is None or len(rows) < 2 or one.record is None:
        return []
    content = one.record.content
    near = zip((rows @ asked / spread).tolist(), range(len(rows)), embedded_passages(content), strict=False)
    best = sorted(near, key=lambda each: (-each[0], each[1]))[:_MOST]
    return [(score, at, content[part.start : part.end].lower()) for score, at, part in best]


def _held(text: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if is_said(word, text)]


def _rarity(words: Sequence[str], said: Sequence[Sequence[str]]) -> dict[str, float]:
    """A word that few of all these passages hold tells one from another."""
    counts = {word: sum(word in held for held in said) for word in words}
    return {word: log(1 + (len(said) - count + 0.5) / (count + 0.5)) for word, count in counts.items()}
