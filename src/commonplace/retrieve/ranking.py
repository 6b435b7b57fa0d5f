"""The search, step by step: understand, gather, links, weigh, breadth, coverage, rerank, freshest first, thresholds, diversity.

Each step is one file of this folder; this one only says in which order they come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from commonplace import settings
from commonplace.errors import CommonplaceError
from commonplace.model.filter import PRIVATE, Circle, Filter
from commonplace.model.receipt import Candidate, Outcome, StreamReport
from commonplace.model.result import Reach, RetrievalResult
from commonplace.model.source import Source
from commonplace.model.words import Entity
from commonplace.retrieve import (
    aegis,
    diversity,
    links,
    mentions,
    relevance,
    sequence,
    then,
    vault,
    weigh,
    why,
)
from commonplace.retrieve.breadth import broaden
from commonplace.retrieve.confidence import confidence, worth
from commonplace.retrieve.coverage import are_long, cover
from commonplace.retrieve.crossing import Strangers
from commonplace.retrieve.evidence import evidence_for, span_of
from commonplace.retrieve.freshest import FIRST, LONGEST_CHANGE, freshest_first, tells_of_a_change
from commonplace.retrieve.gathering import BEYOND, Gathered, Gathering, filters_for
from commonplace.retrieve.likeness import Likeness
from commonplace.retrieve.passages import LENGTH
from commonplace.retrieve.stopwatch import Stopwatch
from commonplace.retrieve.understand import Question, understand
from commonplace.retrieve.wishes import LONGEST, is_instruction, is_wish
from commonplace.seam.terms import Page

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.retrieve.contender import Contender
    from commonplace.retrieve.meaning import Meaning
    from commonplace.retrieve.profiles import Profile
    from commonplace.seam.catalog import View
    from commonplace.seam.embedder import Vectors
    from commonplace.seam.terms import Strand

# How many of the best are looked at closely, with their records.
_CLOSELY = 40
# When essays are among them: a statement that stood behind forty of those may be the answer. As many as for fifty results, so
# that the first ten are the same ones for whoever asks for ten.
_CLOSELY_LONG = 100
# When a time is asked about: it lifts also what neither words nor meaning bring up first.
_CLOSELY_DATED = 160
# So many of those that the book learnt last say how new the newest is.
_LAST = 8


class Found(NamedTuple):
    """What a search brought up, and all that its receipt needs to know."""

    results: list[RetrievalResult]
    near_misses: list[Candidate]
    point: float
    """What a point of the ranking, in which weights and floors are told, is worth in the scores."""
    outcome: Outcome
    confidence: float
    streams: tuple[StreamReport, ...]
    thresholds: dict[str, float]
    timings: dict[str, float]
    models: dict[str, str]


class Memories(Protocol):
    """Where the records of contenders come from, when not from the book as it is."""

    def records(self, ids: Sequence[str]) -> dict[str, MemoryRecord]: ...


class Hunt:
    """One search."""

    def __init__(
        self,
        view: View,
        where: Filter,
        circle: Circle,
        profile: Profile,
        meaning: Meaning,
        now: datetime,
        past: Memories | None = None,
    ) -> None:
        self._view, self._where, self._circle, self._profile = view, where, circle, profile
        self._meaning, self._now, self._past = meaning, now, past
        # The usual filter, and the cheapest: dozens of records are asked about.
        self._only_statuses = msgspec.structs.replace(where, statuses=()) == Filter(statuses=())
        self._everywhere = circle.is_everything
        self._watch = Stopwatch()
        self._models: dict[str, str] = {}
        # Of contenders that are weighed without being read, by place: what is known of them, who is an instruction or a wish,
        # and who tells of a change.
        self._known: dict[int, Strand] = {}
        self._standing: set[int] = set()
        self._wishes: set[int] = set()
        self._changes: set[int] = set()
        self._passages: dict[int, Vectors] = {}
        """Vectors of the passages of the long ones, by place."""
        self._answer: float | None = None
        """What a reranker that knows when there is no answer said of the best ones."""
        self._lost: dict[str, str] = {}
        self._reports: list[StreamReport] = []

    def run(self, query: str, limit: int) -> Found:
        step = self._watch.step
        with step("understand"):
            question = self._by_the_book(understand(query, self._now))
        gathered = self._gather(question, limit)
        ranked = self._closely(question, gathered, limit)
        with step("rerank"):
            ranked = self._reread(question, ranked, gathered)
        with step("records"):
            ranked = self._readable(ranked, max(limit, FIRST))
        with step("choose"):
            if self._profile.freshest_first:
                likeness = Likeness(self._view, self._models.get("embedder"), ranked[:FIRST], gathered.background)
                long, judged = self._are_long_throughout(ranked), self._answer is not None
                ranked = freshest_first(ranked, question, likeness, are_long=long, is_judged=judged)
            strangers = Strangers(self._view, self._circle, [] if self._everywhere else ranked)
            near = self._near_ones(ranked, limit)
            ranked = self._without_unreadable(ranked, [*near, *strangers.seen])
            self._judge([*near, *strangers.seen], question, gathered)
            sure = confidence(self._view, ranked, question, gathered.asked, self._answer, gathered.said.held)
            chosen = self._choose(ranked, strangers.judge(near), limit)
            self._judge(chosen, question, gathered)
        point = self._point(chosen, sure)
        with step("explain"):
            results = self._results(chosen, question, point)
        return Found(
            results=results,
            near_misses=self._near_misses(ranked, chosen, point),
            point=point,
            outcome=self._outcome(results),
            confidence=round(sure, 4),
            streams=tuple(self._reports),
            thresholds={
                "least": self._profile.least,
                "linked": settings.LINKED_THRESHOLD,
                "strong": settings.STRONG_THRESHOLD,
            },
            timings=self._watch.taken,
            models=self._models,
        )

    def _by_the_book(self, question: Question) -> Question:
        if not question.spans or not self._profile.time or self._past is not None:
            return question
        near, _ = filters_for(self._where, self._circle, None)
        return then.by_the_book(question, self._view.memories(near, Page(limit=_LAST)))

    def _gather(self, question: Question, limit: int) -> Gathered:
        near, beyond = filters_for(self._where, self._circle, past=self._now if self._past else None)
        gathered = Gathering(self._view, self._profile, self._meaning, self._watch).run(question, near, beyond, limit)
        self._reports = gathered.reports
        if gathered.asked is not None:
            self._models["embedder"] = gathered.asked.model
        return gathered

    # A closer look ------------------------------------------------------------------------------------------------------

    def _closely(self, question: Question, gathered: Gathered, limit: int) -> list[Contender]:
        """The best, weighed; what may not be seen is gone. Most of them will not be shown: only who must be is read."""
        weighing = weigh.Weighing(question, self._profile, self._now)
        with self._watch.step("records"):
            ranked = gathered.best(
                self._room(question, gathered, limit),
                self._view.names,
                lambda others: self._wanted_anyway(others, weighing),
            )
            ranked = self._not_read(ranked, weighing) if self._may_stay_unread(weighing) else self._admitted(ranked)
        with self._watch.step("links"):
            if self._profile.links and self._past is None:
                ranked += links.bring_in(self._view, ranked, self._admits)
                ranked = self._readable(ranked, max(limit, mentions.STRONG))  # most of these are going to be shown
                ranked += self._mentioned(ranked)
        with self._watch.step("weigh"):
            for contender in ranked:
                self._weigh(contender, weighing)
            if self._profile.has_own_arithmetic:
                return self._by_its_own_arithmetic(question, ranked)
            self._by_passages(ranked, question, gathered)
        spoken_for = (one for one in ranked if _is_spoken_for(one, gathered.is_handful))
        return sorted(spoken_for, key=lambda one: one.order)

    def _room(self, question: Question, gathered: Gathered, limit: int) -> int:
        """How many are looked at closely."""
        room = max(_CLOSELY_DATED if question.spans else _CLOSELY, 2 * limit)
        if self._profile.brevity and self._has_long_ones(gathered.leaders(_CLOSELY)):
            room = max(room, _CLOSELY_LONG)
        # What lies beyond must not take the places of what is near: it may all be turned away.
        return room + (0 if self._everywhere else 2 * BEYOND)

    def _has_long_ones(self, places: list[int]) -> bool:
        known = self._view.strands(places).values()
        return any(weigh.is_sound(strand) and strand.length > weigh.PARAGRAPH for strand in known)

    def _wanted_anyway(self, places: list[int], weighing: weigh.Weighing) -> set[int]:
        """What is wanted every time shares few words with any question: it may stand far down."""
        such = [is_instruction] if weighing.instructions else []
        such += [is_wish] if weighing.wants_wishes else []
        return {place for one in such for place in self._view.such(places, one, LONGEST)}

    def _mentioned(self, ranked: list[Contender]) -> list[Contender]:
        try:
            near, _ = filters_for(self._where, self._circle, None)
            return mentions.bring_in(self._view, ranked, near, self._admits)
        except CommonplaceError:
            return []  # the words cannot be looked through; the lexical stream has said so

    def _by_its_own_arithmetic(self, question: Question, ranked: list[Contender]) -> list[Contender]:
        """As one of the designs that we unite says, to the letter (A73, G34)."""
        for contender in ranked:
            assert contender.record is not None
            if self._profile.name == "vault":
                vault.score(contender, contender.record, question.text, self._profile)
            else:
                aegis.score(contender, contender.record, question.text, self._now)
        order = vault.order if self._profile.name == "vault" else aegis.order
        return sorted((one for one in ranked if one.score > 0), key=order)

    def _may_stay_unread(self, weighing: weigh.Weighing) -> bool:
        """Can all that there is to say of a contender be said without its text?"""
        profile = self._profile
        return self._past is None and not (weighing.reads or profile.least or profile.has_own_arithmetic)

    def _not_read(self, ranked: list[Contender], weighing: weigh.Weighing) -> list[Contender]:
        """Those that may be seen, which is known without reading them."""
        places = [one.place for one in ranked]
        strands = self._view.strands(places)
        if self._only_statuses:
            statuses = self._where.statuses
            passing = {at for at, strand in strands.items() if strand.status in statuses}
        else:
            passing = self._view.passing(places, self._where)
        self._known = {at: strand for at, strand in strands.items() if at in passing and self._is_seen(strand)}
        self._standing = self._view.such(places, is_instruction, LONGEST)
        if weighing.wants_wishes:
            self._wishes = self._view.such(places, is_wish, LONGEST)
        if weighing.wants_the_latest:
            self._changes = self._view.such(places, tells_of_a_change, LONGEST_CHANGE)
        return [one for one in ranked if one.place in self._known]

    def _is_seen(self, strand: Strand) -> bool:
        """As `_admits`, of whom was not read."""
        return weigh.is_sound(strand) and (strand.scope not in PRIVATE or self._is_near(strand))

    def _is_near(self, strand: Strand) -> bool:
        return self._everywhere or self._circle.is_around(strand.scope, *strand.owner[1:])

    def _admitted(self, ranked: list[Contender]) -> list[Contender]:
        read = self._readable(ranked, len(ranked))
        return [one for one in read if one.record is not None and self._admits(one.record)]

    def _readable(self, ranked: list[Contender], first: int) -> list[Contender]:
        """The first of them with their records; whoever cannot be read is gone, and the next one moves up."""
        while unread := [one for one in ranked[:first] if one.record is None]:
            ranked = self._without_unreadable(ranked, unread)
        return ranked

    def _without_unreadable(self, ranked: list[Contender], some: list[Contender]) -> list[Contender]:
        """Some of them with their records; whoever cannot be read is gone."""
        unread = [one for one in some if one.record is None]
        known = self._records([one.id for one in unread]) if unread else {}
        for one in unread:
            one.record = known.get(one.id)
        gone = {one.id for one in unread if one.record is None}
        return [one for one in ranked if one.id not in gone] if gone else ranked

    def _records(self, ids: list[str]) -> dict[str, MemoryRecord]:
        return self._past.records(ids) if self._past is not None else self._view.by_id(ids)

    def _admits(self, record: MemoryRecord) -> bool:
        """May it be seen at all? What is not near has to cross over, and that is judged later; what is private never does."""
        matches = record.status in self._where.statuses if self._only_statuses else self._where.matches(record)
        crosses = self._past is None and record.scope not in PRIVATE
        return matches and (crosses or self._circle.holds(record))

    def _weigh(self, contender: Contender, weighing: weigh.Weighing) -> None:
        place, record = contender.place, contender.record
        known = self._known.get(place)
        if known is not None:
            standing, wished, changed = place in self._standing, place in self._wishes, place in self._changes
        elif record is not None:
            known, said = weigh.strand_of(record), record.content
            standing, changed = is_instruction(said), tells_of_a_change(said)
            wished = weighing.wants_wishes and is_wish(said)
        else:
            return
        if not self._is_near(known):
            contender.reach = str(Reach.STRONG)
        weighing.weigh(contender, known, is_standing=standing, is_wished=wished, is_change=changed)

    def _by_passages(self, ranked: list[Contender], question: Question, gathered: Gathered) -> None:
        """Of long ones: how much of it is about the question, and whether all of the question is in it."""
        asked, profile = gathered.asked, self._profile
        if asked is None or not (profile.breadth or profile.coverage):
            return
        lengths = {one.place: len(one.record.content) for one in ranked if one.record is not None}
        lengths |= {place: strand.length for place, strand in self._known.items()}
        long = [one.place for one in ranked if lengths.get(one.place, 0) > LENGTH]
        with suppress(CommonplaceError):  # vectors that cannot be read: the semantic stream says so
            passages = self._passages = self._view.vectors_of(asked.model, long) if long else {}
            broaden(
                ranked, passages, asked.vector, profile.breadth * question.wanted.brevity * gathered.fused.by_meaning
            )
            cover(self._view, asked, gathered.background[1], profile.coverage, ranked, lengths, passages)

    def _reread(self, question: Question, ranked: list[Contender], gathered: Gathered) -> list[Contender]:
        if not self._profile.rerank or not ranked:
            return ranked
        from commonplace.retrieve import rerank, telling

        try:
            reranker = self._meaning.reranker()
            if reranker is None:
                return ranked
            ranked = self._readable(ranked, rerank.FIRST)
            long = are_long(ranked, self._passages)
            if gathered.asked is not None and long:
                asked, spread = gathered.asked.vector, gathered.background[1]
                telling.point_out(ranked[: rerank.FIRST], self._passages, asked, spread, question.words)
            places = sequence.before([one.place for one in ranked[: rerank.FIRST]], gathered.strands)
            said_before = {at: one for at, one in self._view.at_places(places).items() if self._admits(one)}
            rerank.rerank(reranker, question, ranked, said_before, are_long=long)
            self._models["reranker"] = reranker.model
            self._answer = rerank.best_answer(reranker, ranked)
        except CommonplaceError as cause:
            self._reports.append(StreamReport(name="rerank", searched=False, why_not=cause.message))
        return sorted(ranked, key=lambda one: one.order)

    def _are_long_throughout(self, ranked: list[Contender]) -> bool:
        """Are they all long, those at the head as well? Where a few statements stand among essays, they often stand there."""
        passages, head = self._passages, ranked[:FIRST]
        of_head = {one.place: passages[one.place] for one in head if one.place in passages}
        return are_long(ranked, passages) and are_long(head, of_head)

    def _judge(self, contenders: list[Contender], question: Question, gathered: Gathered) -> None:
        for contender in contenders:
            relevance.judge(contender, question.words, gathered.background)

    # The choice ---------------------------------------------------------------------------------------------------------

    def _near_ones(self, ranked: list[Contender], limit: int) -> list[Contender]:
        """Those that must be judged to know who is shown and who nearly is. Whom nobody can keep out is judged once it is
        chosen."""
        if self._profile.least:
            return [one for one in ranked if one.reach == str(Reach.NEAR)]
        if self._everywhere:
            return []
        return [one for one in ranked if one.reach == str(Reach.NEAR)][: limit + settings.NEAR_MISSES_KEPT]

    def _choose(self, ranked: list[Contender], turned_away: dict[str, str], limit: int) -> list[Contender]:
        self._lost.update(turned_away)
        for contender in ranked:
            if contender.relevance < self._profile.least:
                self._lost.setdefault(contender.id, f"relevance {contender.relevance:.2f} is too low")
        left = [one for one in ranked if one.id not in self._lost]
        chosen, repeating = diversity.without_repeats(self._read_along(left, limit), limit)
        self._lost.update({id: f"says the same as {twin}" for id, twin in repeating.items()})
        return chosen

    def _read_along(self, ranked: list[Contender], some: int) -> Iterator[Contender]:
        """Each with its record, some at a time: who comes that far down has to know what they say."""
        for start in range(0, len(ranked), some):
            yield from self._readable(ranked[start : start + some], some)

    def _point(self, chosen: list[Contender], sure: float) -> float:
        if self._profile.has_own_arithmetic:
            return 1.0
        return worth(max((one.score for one in chosen), default=0.0), sure)

    def _near_misses(self, ranked: list[Contender], chosen: list[Contender], point: float) -> list[Candidate]:
        taken = {contender.id for contender in chosen}
        missed = [contender for contender in ranked if contender.id not in taken][: settings.NEAR_MISSES_KEPT]
        return [
            Candidate(
                memory_id=one.id,
                score=round(one.score * point, 6),
                scores=_rounded(one.scores, point),
                reach=one.reach,
                reason=self._lost.get(one.id, "others scored higher"),
            )
            for one in missed
        ]

    def _results(self, chosen: list[Contender], question: Question, point: float) -> list[RetrievalResult]:
        ranks = _ranks(chosen)
        bodies = self._bodies([one.record for one in chosen if one.record])
        return [
            RetrievalResult(
                record=one.record,
                score=round(one.score * point, 6),
                scores=_rounded(one.scores, point),
                ranks=ranks[one.id],
                relevance=round(one.relevance, 4),
                matched_scope=one.record.scope,
                reach=Reach(one.reach),
                evidence=evidence_for(one.record, question.words, one.passage, bodies),
                explanation=why.sentence(one, one.record, question),
            )
            for one in chosen
            if one.record is not None
        ]

    def _bodies(self, records: list[MemoryRecord]) -> dict[str, str | None]:
        """The texts of the sources that are cited by span."""
        cited = {span[0] for record in records if (span := span_of(record))}
        sources = {id: self._view.noun(Entity.SOURCE, id) for id in cited}
        return {id: source.body for id, source in sources.items() if isinstance(source, Source)}

    def _outcome(self, results: list[RetrievalResult]) -> Outcome:
        if results:
            return Outcome.FOUND
        # Meaning may be missing and nothing is wrong; but who could not look for the words cannot say that nothing is there.
        looked = all(stream.searched for stream in self._reports if stream.name == "lexical")
        return Outcome.NOTHING_FOUND if looked else Outcome.NOT_SEARCHED


_SPEAKS_FOR_IT = ("lexical", "semantic", "links", "mentions", "wishes", "instructions")
"""Without one of these nothing says that it answers the question: it is only less far away than others."""


def _is_spoken_for(contender: Contender, few: bool) -> bool:
    """In a book of few memories nobody knows what is ordinary: there a little less than that will do."""
    scores = contender.scores
    for name in _SPEAKS_FOR_IT:
        if scores.get(name, 0.0) > 0:
            return True
    return few and scores.get("semantic", -9.0) > -1.2


def _rounded(scores: dict[str, float], point: float) -> dict[str, float]:
    return {name: round(score * point, 6) for name, score in scores.items()}


def _ranks(chosen: list[Contender]) -> dict[str, dict[str, int]]:
    """Where each one stands by each component, among those that were chosen."""
    ranks: dict[str, dict[str, int]] = {one.id: {} for one in chosen}
    for name in sorted({name for one in chosen for name in one.scores}):
        having = sorted([(-one.scores[name], one.id) for one in chosen if name in one.scores])
        for rank, (_, id) in enumerate(having, 1):
            ranks[id][name] = rank
    return ranks
