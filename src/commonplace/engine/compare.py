"""Are two books the same book? What they hold, what became of it, how it came to be, and what they find."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from itertools import zip_longest
from typing import TYPE_CHECKING

from commonplace.engine.scribe import Scribe
from commonplace.model.finding import Check
from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.seam.catalog import View
from commonplace.seam.terms import Progress

if TYPE_CHECKING:
    from collections.abc import Iterable

_THINGS = {
    "memories": Entity.MEMORY,
    "links": Entity.LINK,
    "conflicts": Entity.CONFLICT,
    "sources": Entity.SOURCE,
    "events": Entity.EVENT,
}
QUESTIONS = 40


def compare(scribe: Scribe, other: Canon, progress: Progress | None = None) -> tuple[Check, ...]:
    """Every check, whether it held, and where it did not, by id."""
    checks: list[Check] = []
    with scribe.canon.reading() as ours, other.reading() as theirs:
        for name, entity in _THINGS.items():
            checks.append(_same_things(name, ours.nouns(entity), theirs.nouns(entity)))
            if progress:
                progress(len(checks), len(_THINGS) + 3)
        checks.append(_same_history(ours, theirs))
        checks.append(_same_tombstones(ours, theirs))
    checks.append(_same_answers(scribe, other))
    return tuple(checks)


def _same_things(name: str, ours: Iterator[object], theirs: Iterator[object]) -> Check:
    differing: list[str] = []
    number, digest = 0, sha256()
    for one, other in zip_longest(ours, theirs):
        number += 1
        if one is None or other is None or one != other:
            differing.append(str(getattr(one if one is not None else other, "id", "?")))
        else:
            digest.update(one.to_bytes())  # type: ignore[attr-defined]
    return _check(name, number, differing, digest.hexdigest())


def _same_history(ours: View, theirs: View) -> Check:
    differing: list[str] = []
    number, head = 0, b""
    for one, other in zip_longest(ours.chain(), theirs.chain()):
        number += 1
        if one is None or other is None or one.hash != other.hash:
            differing.append(f"entry {number}")
            break  # from here on every hash differs
        head = one.hash
    return _check("history", number, differing, head.hex())


def _same_tombstones(ours: View, theirs: View) -> Check:
    left, right = {*ours.tombstones()}, {*theirs.tombstones()}
    return _check("tombstones", len(left), sorted(id for id, _ in left ^ right))


def _same_answers(scribe: Scribe, other: Canon) -> Check:
    """Questions made of the memories' own words, asked of both at the same moment, on words alone: vectors come later."""
    now = scribe.clock.now()
    here, there = (
        Scribe(canon, actor=scribe.actor, trust=scribe.trust, clock=_Still(now)) for canon in (scribe.canon, other)
    )
    questions = [*_questions(scribe.canon)]
    differing = [question for question in questions if _answer(here, question) != _answer(there, question)]
    return _check("searches", len(questions), [f"question {questions.index(question) + 1}" for question in differing])


def _questions(canon: Canon) -> Iterator[tuple[str, str | None, str | None]]:
    """The first words of memories from all over the book, each asked where that memory belongs."""
    with canon.reading() as view:
        ids = [*view.ids(Entity.MEMORY)]
        for id in ids[:: max(len(ids) // QUESTIONS, 1)]:
            record = view.memory(id)
            if record is not None:
                yield " ".join(record.content.split()[:8])[:200], record.project_id, record.repo_id


def _answer(scribe: Scribe, question: tuple[str, str | None, str | None]) -> list[tuple[str, float]]:
    from commonplace.engine.search import Search, look

    query, project, repo = question
    found = look(scribe, Search(query=query, project=project, repo=repo, limit=10))
    return [(result.record.id, round(result.score, 6)) for result in found.results]


class _Still:
    """A clock that stands still."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now


_SHOWN = 20


def _check(name: str, number: int, differing: Iterable[str], digest: str | None = None) -> Check:
    named = [*differing]
    return Check(name=name, compared=number, equal=not named, differing=tuple(named[:_SHOWN]), sha256=digest)
