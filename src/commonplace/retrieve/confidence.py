"""Is what was asked for in the book at all? From 0 to 1, for those who would rather say nothing than something wrong.

The best sign that it is not there is a word of the question that is rare in the book and that none of the best hits comes near:
"the name of my hamster", and the hits are about a dog. How near the hits are as a whole says little; what is absent is often
on topic. A model that gives the question's words one by one says how near each of them is to any passage of the hits; without one
a hit holds a word or does not. Words that reckon (how many days, which came first) are for whoever reads the hits, and stand in
none. Who asks in other words than anything was told in misses words whatever is there: the less of the question the best match by
words holds, the less its missing word says. On all questions of LongMemEval and BEAM this tells 0.79 and 0.82 of the pairs apart.

A reranker that was taught what a question without an answer looks like says something too (ADR 39, 40, 42): 0.80 and 0.86, and
0.72 in worlds of ours that no model knows. It says most where the answer stands in one text, and hardly anything where it has to
be reckoned out of several: none answers by itself. One yes among twenty may be a slip: of its answers the second best counts too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.forms import is_said
from commonplace.retrieve.rarity import rarity_of
from commonplace.retrieve.understand import Question

if TYPE_CHECKING:
    from commonplace.retrieve.meaning import Asked
    from commonplace.seam.catalog import View

_HITS, _HITS_BY_WORDS = 10, 5
_NEAR, _FAR = 4.0, -1.7
"""How near a hit that has no vector comes to a word it holds, and to one it does not, in spreads of the nearness of anything:
what is held to the letter is not missed."""
_A_POINT, _A_POINT_RECKONED = 0.28, 0.1
"""What one point of the reranker's answer says beside the missing word; and where the answer has to be reckoned."""
_PLAIN, _SAYS = 3.8, 0.5
"""A plain yes, and what it says of either sort of question."""
_WHATEVER_IS_HELD = 0.5
"""So much a missing word says also where hardly any of the question is held."""
_MOST_WORDS = 32
_LEAST_SURE = 0.01
"""However unsure, the scores still tell who is better."""
# Where the chance is even, and how fast it falls: fitted on both sets and worlds of ours that no model was taught, each counting
# alike, as if half of all questions had no answer; by words alone on one half of each set.
# Distances are told in spreads of the model's nearness of anything, so that any model is measured alike.
_USUALLY_FAR, _A_SPREAD = 0.25, 0.03
_EVEN, _STEEP = 1.1, 2.5
_EVEN_BY_WORDS, _STEEP_BY_WORDS = 4.1, 0.31
# Words that say how something is to be told and in how many items, and words that reckon. No memory comes near them, and nobody
# misses that.
_HOW_TO_TELL_TEXT = """
    two three four five six seven eight nine ten
    across aspect aspects between brief briefly bring brought chat chats chronological clear complete comprehensive
    conversation conversations describe described detail detailed details different discuss discussed discussing
    discussion during explain explained gave give item items key list main major mention mentioned mentions order
    overview please provide provided recap sequence session sessions several share shared specific specifically
    summaries summarise summarize summary talk talked tell through throughout timeline told various walk
"""
_RECKONING_TEXT = """
    ago altogether amount average combined compare compared comparison consecutive count day days decrease decreased difference
    earliest elapsed exceed exceeded fewer first happened hour hours increase increased last latest least less long maximum
    minimum minute minutes month months more most number occurred often order passed past percent percentage recently second
    sum taken third time times took total week weeks year years
"""
_RECKONING = frozenset(_RECKONING_TEXT.split())
_NOT_MISSED = _RECKONING.union(_HOW_TO_TELL_TEXT.split())


def confidence(
    view: View,
    ranked: Sequence[Contender],
    question: Question,
    asked: Asked | None,
    answer: float | None = None,
    held: float = 1.0,
) -> float:
    """`asked` is the question as the model understood it; without it the words alone decide. `answer` is what a reranker that
    knows when there is none said of the best ones. `held`: how much of the question the best match by words holds."""
    if not ranked:
        return 0.0
    read = 0.0 if answer is None else _read(answer, question)
    try:
        if asked is not None and asked.states is not None:
            says = _WHATEVER_IS_HELD + (1 - _WHATEVER_IS_HELD) * held
            return _chance(_STEEP * (_EVEN - says * _farthest(view, ranked[:_HITS], asked)) + read)
        missing = _rarest_missing(view, ranked[:_HITS_BY_WORDS], question)
        return _chance(_STEEP_BY_WORDS * (_EVEN_BY_WORDS - missing) + read)
    except CommonplaceError:
        return 0.5  # nobody can look; the stream that could not has said so


def _read(answer: float, question: Question) -> float:
    is_reckoned = not _RECKONING.isdisjoint(question.words)
    return _SAYS + (_A_POINT_RECKONED if is_reckoned else _A_POINT) * (answer - _PLAIN)


def worth(best: float, sure: float) -> float:
    """What a point of the ranking is worth in the scores that are shown: so much that the best has what the search is sure of.

    How many points it has tells who is better, not whether any of them answers: what is absent and on topic has more of them
    than most answers have. A best one with hardly a point has less.
    """
    return max(sure, _LEAST_SURE) / max(best, 1.0)


def _chance(odds: float) -> float:
    return 1 / (1 + exp(-odds))


def _farthest(view: View, hits: Sequence[Contender], asked: Asked) -> float:
    """How far the hits stay away from the word that they stay away from most, a rare one counting for more."""
    assert asked.states is not None
    telling = [at for at in asked.telling if asked.words[at] not in _NOT_MISSED][:_MOST_WORDS]
    if not telling:
        return 0.0
    states, words = asked.states[telling].T, [asked.words[at] for at in telling]
    passages = view.vectors_of(asked.model, [one.place for one in hits])
    near: list[list[float]] = [(rows @ states).max(axis=0).tolist() for rows in passages.values()]
    # Who waits for a vector comes as near to a word as those who have one usually do, if it holds it or does not.
    waiting = [one for one in hits if one.place not in passages]
    mean, spread = asked.ordinary
    near += [[mean + spread * (_NEAR if is_said(word, one.said) else _FAR) for word in words] for one in waiting]
    spreads = [(max(said) - mean) / spread for said in zip(*near, strict=True)]
    return max(map(_stays_away, rarity_of(view, words), spreads))


def _stays_away(rare: float, spreads: float) -> float:
    return rare * (_USUALLY_FAR - _A_SPREAD * spreads)


def _rarest_missing(view: View, hits: Sequence[Contender], question: Question) -> float:
    """How rare the rarest word of the question is that no hit holds; 0 if they hold them all."""
    held = {word for one in hits for word in one.holding(question.words)}
    return max(rarity_of(view, [word for word in question.words if word not in held | _NOT_MISSED]), default=0.0)
