"""Gathering: what the streams bring up, near and beyond, as one set of contenders with fused scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from commonplace.errors import CommonplaceError
from commonplace.model.filter import EVERY_STATUS, Circle, Filter
from commonplace.model.receipt import StreamReport
from commonplace.retrieve import sequence, streams
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.fuse import Fused, Streams, fuse, leading
from commonplace.retrieve.meaning import ORDINARY
from commonplace.retrieve.rarity import rarity_of
from commonplace.retrieve.stopwatch import Stopwatch

if TYPE_CHECKING:
    from commonplace.retrieve.meaning import Asked, Meaning
    from commonplace.retrieve.profiles import Profile
    from commonplace.retrieve.understand import Question
    from commonplace.seam.catalog import View
    from commonplace.seam.terms import Hit, Strand

# How deep each stream looks, near and beyond.
_DEPTH = 100
BEYOND = 40
# Of so many of the best by words, what they mean is looked up too; around so many of the best by both, one looks around.
_BOTH = 40
_AROUND = 24
# Words count in full from here on: if the best match by them holds two thirds of what the question's words tell (ADR 42).
_MOST_OF_IT = 2 / 3


class Gathered:
    """What the streams say of every contender, what each of them reports, and what is ordinary in this book."""

    def __init__(self) -> None:
        self.said = Streams({}, {}, ORDINARY)
        self.is_handful = True
        """Are there too few memories to say what is ordinary among them?"""
        self.fused = Fused({}, {}, {}, 0.0, 0.0)
        self.strands: dict[int, Strand] = {}
        self.reports: list[StreamReport] = []
        self.asked: Asked | None = None
        self._hits: dict[int, Hit] = {}
        self._leaders: dict[int, list[int]] = {}

    @property
    def background(self) -> tuple[float, float]:
        return self.said.background

    def know(self, words: Iterable[Hit], meanings: Iterable[Hit]) -> None:
        """Take in what a stream found. Of a memory that both found, the passage is the one that means most."""
        lexical, semantic, hits = self.said.lexical, self.said.semantic, self._hits
        for hit in words:
            _, place, score, _ = hit
            lexical[place] = score
            hits.setdefault(place, hit)
        for hit in meanings:
            _, place, score, _ = hit
            semantic[place] = score
            hits[place] = hit

    def put_in_order(self, fused: Fused) -> None:
        """What the contenders are ordered by. Who only borrowed, and was never looked at, is none."""
        for place in fused.sums.keys() - self._hits.keys():
            del fused.sums[place]
        self.fused = fused

    def leaders(self, most: int) -> list[int]:
        """The places of the best, in no order."""
        if most not in self._leaders:
            self._leaders[most] = leading(self.fused.sums, most)
        return self._leaders[most]

    def best(self, most: int, also: Callable[[list[int]], set[int]]) -> list[Contender]:
        """The best, best first; ties always break the same way. Behind them those of the others that `also` names."""
        hits, sums = self._hits, self.fused.sums
        # Ties by id, which comes first in a hit.
        best = sorted([(-sums[place], hits[place]) for place in self.leaders(most)])
        taken = {hit.place for _, hit in best[:most]}
        named = also([place for place in sums if place not in taken]) if len(taken) < len(sums) else set()
        best[most:] = sorted([(-sums[place], hits[place]) for place in named])
        return self._contenders([hit for _, hit in best])

    def _contenders(self, hits: list[Hit]) -> list[Contender]:
        lexical, semantic, adds, made = self.said.lexical, self.said.semantic, self.fused.adds, []
        for id, place, _, passage in hits:
            one = Contender(id, place)
            one.passage = passage
            by_words, by_meaning = adds(place)
            if place in lexical:
                one.raw["lexical"] = lexical[place]
            if place in semantic:
                one.raw["semantic"] = semantic[place]
            if by_words:
                one.scores["lexical"] = by_words
            if by_meaning:
                one.scores["semantic"] = by_meaning
            one.score = by_words + by_meaning
            made.append(one)
        return made


class Gathering:
    """The streams of one search."""

    def __init__(self, view: View, profile: Profile, meaning: Meaning, watch: Stopwatch) -> None:
        self._view, self._profile, self._meaning, self._watch = view, profile, meaning, watch
        self._found = Gathered()

    def run(self, question: Question, near: Filter, beyond: Filter | None, depth: int) -> Gathered:
        depth = max(depth, _DEPTH)
        with self._watch.step("lexical"):
            words = self._both(
                "lexical", lambda where, most: streams.lexical(self._view, question, where, most), near, beyond, depth
            )
        asked = self._found.asked = self._vector(question)
        meanings: list[Hit] = []
        if asked is not None:
            with self._watch.step("semantic"):
                meanings = self._both(
                    "semantic",
                    lambda where, most: streams.semantic(self._view, asked, where, most),
                    near,
                    beyond,
                    depth,
                )
            if not self._found.reports[-1].searched:
                self._found.asked = None
        with self._watch.step("fuse"):
            self._fuse(question, words, meanings)
        return self._found

    def _both(
        self, name: str, look: Callable[[Filter, int], streams.Stream], near: Filter, beyond: Filter | None, depth: int
    ) -> list[Hit]:
        """One stream, near and beyond."""
        if not getattr(self._profile, name):
            return []
        found = look(near, depth)
        hits = list(found.hits)
        if beyond is not None and found.report.searched:
            hits += look(beyond, BEYOND).hits
        self._found.reports.append(msgspec.structs.replace(found.report, found=len(hits)))
        return hits

    def _vector(self, question: Question) -> Asked | None:
        """The question as a vector, or a report that says why there is none."""
        if not self._profile.semantic:
            return None
        try:
            why_not = self._why_not(question)
            if why_not is None:
                with self._watch.step("embed"):
                    return self._meaning.of(question.text)
        except CommonplaceError as cause:
            why_not = cause.message
        self._found.reports.append(StreamReport(name="semantic", searched=False, why_not=why_not))
        return None

    def _why_not(self, question: Question) -> str | None:
        model = self._meaning.model()
        if model is None:
            return "there is no embedder: everything works on words"
        if not self._view.has_vectors(model):
            return "there are no vectors yet: `index` makes them"
        return None if question.text.strip() else "nothing was asked"

    def _fuse(self, question: Question, words: list[Hit], meanings: list[Hit]) -> None:
        """Twice where there is talk: once to know who is worth a look around, then with what stands beside them."""
        found, asked = self._found, self._found.asked
        if asked is not None:
            background, held = self._view.background(asked.model, asked.vector), self._held(question, words)
            found.said, found.is_handful = Streams({}, {}, background or asked.ordinary, held), background is None
        found.know(words, meanings)
        if asked is not None:
            self._learn([hit.place for hit in words[:_BOTH] if hit.place not in found.said.semantic], asked)
        fused = fuse(found.said, self._profile)
        found.put_in_order(self._look_around(fused.sums) or fused if self._profile.sequence else fused)

    def _held(self, question: Question, words: list[Hit]) -> float:
        """How much of the question the best match by words holds. bm25 gives a memory of usual length that holds a word once
        what that word tells, so that its score is told in the same measure."""
        if not words or self._profile.has_own_arithmetic:
            return 1.0
        try:
            all_of_it = sum(rarity_of(self._view, question.words))
        except CommonplaceError:
            return 1.0  # the words cannot be counted; what was found by them is all there is to go by
        return min(max(hit.score for hit in words) / max(_MOST_OF_IT * all_of_it, 1e-9), 1.0)

    def _look_around(self, sums: sequence.Scores) -> Fused | None:
        """With what neighbours lend; None if nobody talks."""
        found = self._found
        best = sorted(leading(sums, _AROUND), key=lambda place: (-sums[place], place))
        strands = self._view.strands(best[:_AROUND])
        talk = [place for place, strand in strands.items() if sequence.is_talk(strand)]
        if not talk:
            return None
        beside = sequence.around(talk, sequence.ADOPTED)
        lending = sequence.around(talk, sequence.ADOPTED + sequence.REACH) & sums.keys()
        found.strands = strands | self._view.strands([*((beside | lending) - strands.keys())])
        if found.asked is not None:
            self._learn([place for place in beside if place in found.strands and place not in sums], found.asked)
        return fuse(found.said, self._profile, sequence.Neighbours(beside, found.strands))

    def _learn(self, places: list[int], asked: Asked) -> None:
        """What the semantic stream says of these; whoever was not a contender yet becomes one."""
        if places:
            self._found.know((), self._view.similar(asked.model, asked.vector, places))


def filters_for(where: Filter, circle: Circle, past: datetime | None) -> tuple[Filter, Filter | None]:
    """What is near, and what may cross over. Nothing crosses over from the past."""
    if past is not None:
        return _that_may_have_matched(where, circle, past), None
    if circle.is_everything:
        return where, None
    near = msgspec.structs.replace(where, within=circle)
    if circle.project_id is None and circle.repo_id is None:
        return near, None  # near to an agent is all that is not another's own, and that never crosses over
    return near, msgspec.structs.replace(where, beyond=circle)


def _that_may_have_matched(where: Filter, circle: Circle, past: datetime) -> Filter:
    """Whose a memory is, of which sort and since when, no verb changes; the rest is compared with what it was then."""
    then = past + timedelta(microseconds=1)
    until = then if where.until is None else min(where.until, then)
    return msgspec.structs.replace(where, statuses=EVERY_STATUS, tags=None, trusts=None, until=until, within=circle)
