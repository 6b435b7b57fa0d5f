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
    from commonplace.seam.terms import Hits, Strand

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
        self._passages: dict[int, int] = {}
        self._leaders: dict[int, list[int]] = {}

    @property
    def background(self) -> tuple[float, float]:
        return self.said.background

    def know_words(self, hits: Hits) -> None:
        """Take in what was found by words."""
        self.said.lexical.update(zip(hits.places, hits.scores, strict=True))

    def know_meanings(self, hits: Hits) -> None:
        """Take in what is near, and which passage of it."""
        self.said.semantic.update(zip(hits.places, hits.scores, strict=True))
        if hits.passages is not None:
            self._passages.update(zip(hits.places, hits.passages, strict=True))

    def put_in_order(self, fused: Fused) -> None:
        """What the contenders are ordered by. Who only borrowed, and was never looked at, is none."""
        for place in fused.sums.keys() - self.said.lexical.keys() - self.said.semantic.keys():
            del fused.sums[place]
        self.fused = fused

    def leaders(self, most: int) -> list[int]:
        """The places of the best, in no order."""
        if most not in self._leaders:
            self._leaders[most] = leading(self.fused.sums, most)
        return self._leaders[most]

    def best(
        self, most: int, names: Callable[[list[int]], dict[int, str]], also: Callable[[list[int]], set[int]]
    ) -> list[Contender]:
        """The best, best first; ties always break the same way, by id. Behind them those of the others that `also` names."""
        sums = self.fused.sums

        def ordered(places: Iterable[int]) -> list[tuple[float, str, int]]:
            return sorted([(-sums[place], id, place) for place, id in names([*places]).items()])

        best = ordered(self.leaders(most))
        taken = {place for _, _, place in best[:most]}
        named = also([place for place in sums if place not in taken]) if len(taken) < len(sums) else set()
        best[most:] = ordered(named) if named else []
        return self._contenders(best)

    def _contenders(self, best: list[tuple[float, str, int]]) -> list[Contender]:
        said, fused, passages, made = self.said, self.fused, self._passages, []
        lexical, semantic, words, meaning = said.lexical, said.semantic, fused.words, fused.meaning
        for _, id, place in best:
            one = Contender(id, place)
            if passages:
                one.passage = passages.get(place, 0)
            if place in lexical:
                one.raw["lexical"] = lexical[place]
            if place in semantic:
                one.raw["semantic"] = semantic[place]
            by_words, by_meaning = fused.by_words * words.get(place, 0.0), fused.by_meaning * meaning.get(place, 0.0)
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
        meanings: Hits | None = None
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
    ) -> Hits | None:
        """One stream, near and beyond."""
        if not getattr(self._profile, name):
            return None
        found = look(near, depth)
        hits = found.hits
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

    def _fuse(self, question: Question, words: Hits | None, meanings: Hits | None) -> None:
        """Twice where there is talk: once to know who is worth a look around, then with what stands beside them."""
        found, asked = self._found, self._found.asked
        if asked is not None:
            background, held = self._view.background(asked.model, asked.vector), self._held(question, words)
            found.said, found.is_handful = Streams({}, {}, background or asked.ordinary, held), background is None
        if words is not None:
            found.know_words(words)
        if meanings is not None:
            found.know_meanings(meanings)
        if asked is not None and words is not None:
            self._learn([place for place in words.places[:_BOTH] if place not in found.said.semantic], asked)
        fused = fuse(found.said, self._profile)
        found.put_in_order(self._look_around(fused.sums) or fused if self._profile.sequence else fused)

    def _held(self, question: Question, words: Hits | None) -> float:
        """How much of the question the best match by words holds. bm25 gives a memory of usual length that holds a word once
        what that word tells, so that its score is told in the same measure."""
        if not words or self._profile.has_own_arithmetic:
            return 1.0
        try:
            all_of_it = sum(rarity_of(self._view, question.words))
        except CommonplaceError:
            return 1.0  # the words cannot be counted; what was found by them is all there is to go by
        return min(max(words.scores) / max(_MOST_OF_IT * all_of_it, 1e-9), 1.0)

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
            self._found.know_meanings(self._view.similar(asked.model, asked.vector, places))


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
