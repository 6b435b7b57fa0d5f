"""Whatever a book holds: consolidating loses no statement, twice is once, and reverting the run puts everything back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.consolidation.conftest import keep

import commonplace
from commonplace.ingest.consolidate.conflict import disagreement
from commonplace.ingest.consolidate.match import canonical, forms_of, is_nearly
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Relation, Status, Trust, Type
from commonplace.testing.clocks import EPOCH, TickingClock
from commonplace.testing.makers import a_conflict, a_link, a_memory
from commonplace.testing.state import nouns_of, state_of
from commonplace.testing.strategies import texts

_SAID = (
    "The API listens on port 8080.", "the API is listening on port 8080", "The API listens on port 9090",
    "The API never listens on port 8080", "Tests are run by pytest", "pytest runs the tests", "pytest runs the tests quickly",
    "pytest does not run the tests", "Alice lives in Berlin", "Alice moved to Paris", "The cache is enabled",
    "The cache is disabled", "Logs are kept for 30 days", "Logs are kept for thirty days", "日本語です", "…",
)  # fmt: skip
_OWNERS: tuple[dict[str, Any], ...] = (
    {"scope": "project", "project_id": "p"},
    {"scope": "project", "project_id": "q"},
    {"scope": "repo", "project_id": "p", "repo_id": "r"},
    {"scope": "agent", "agent_id": "a"},
    {"scope": "global"},
)


@st.composite
def memories(draw: st.DrawFn) -> MemoryRecord:
    fields = draw(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from([Type.PROJECT, Type.PROJECT, Type.PROFILE, Type.DECISION, Type.EPISODE]),
                "status": st.sampled_from([Status.INBOX, Status.INBOX, Status.INBOX, Status.ACTIVE, Status.ARCHIVED]),
                "trust": st.sampled_from(Trust),
                "source_ref": st.sampled_from(["s-1", "s-2", "s-3", None]),
                "evidence_ref": st.sampled_from([None, None, "s-1#1-2"]),
                "rationale": st.sampled_from([None, None, "because"]),
                "tags": st.sampled_from([(), ("a",), ("b", "c")]),
                "occurrences": st.integers(1, 3),
            }
        )
    )
    return a_memory(draw(st.sampled_from(_SAID)), **draw(st.sampled_from(_OWNERS)), **fields)


@st.composite
def books(draw: st.DrawFn) -> list[Any]:
    """Memories, and a few links and conflicts between them."""
    held = draw(st.lists(memories(), min_size=2, max_size=12))
    pairs = draw(st.lists(st.tuples(st.sampled_from(held), st.sampled_from(held)), max_size=4))
    distinct = {(one.id, other.id): (one, other) for one, other in pairs if one.id != other.id}.values()
    links = [a_link(*ends[:1], draw(st.sampled_from(["derived_from", "supports"])), *ends[1:]) for ends in distinct]
    conflicts = [a_conflict(*ends) for ends in distinct if draw(st.booleans())]
    return [*held, *links, *conflicts]


def _looks(book: commonplace.Book) -> dict[str, Any]:
    with book._scribe.reading() as view:
        held = nouns_of(view)
    held["memory"] = [{**memory, "updated_at": None} for memory in held["memory"]]
    return held


def _is_kept(book: commonplace.Book, record: MemoryRecord) -> bool:
    """Is it live, or does a live memory that it was linked to say the same?"""
    with book._scribe.reading() as view:
        now = view.memory(record.id)
        assert now is not None
        assert now.content == record.content
        if now.status in (Status.ACTIVE, Status.INBOX):
            return True
        ends = [link.to_id for link in view.links(record.id) if link.relation is Relation.SUPPORTS]
        others = view.by_id(ends).values()
        return any(
            other.status in (Status.ACTIVE, Status.INBOX) and canonical(other) == canonical(record) for other in others
        )


@given(books())
def test_no_statement_is_lost_twice_is_once_and_reverting_puts_all_back(held):
    with tempfile.TemporaryDirectory() as folder:
        clock = TickingClock(EPOCH)
        clock.move(days=30)
        with commonplace.open(f"sqlite:{Path(folder, 'book.sqlite')}", actor="alice", clock=clock) as book:
            keep(book, *held)
            before = _looks(book)
            report = book.consolidate()
            live = [
                one for one in held if isinstance(one, MemoryRecord) and one.status in (Status.ACTIVE, Status.INBOX)
            ]
            assert [record.content for record in live if not _is_kept(book, record)] == []
            after = state_of(book._scribe.canon)
            again = book.consolidate()
            assert (again.steps, again.dropped) == ((), ())
            assert state_of(book._scribe.canon) == after
            if report.run is not None:
                book.revert(report.run)
            there = {memory["id"] for memory in before["memory"]}
            left = _looks(book)
            left["memory"] = [memory for memory in left["memory"] if memory["id"] in there]
            assert left == before
            assert book.verify().ok


_WORDS = (
    "the",
    "API",
    "port",
    "8080",
    "9090",
    "not",
    "never",
    "is",
    "uses",
    "and",
    "two",
    "3.11",
    "Friday",
    "by",
    "in",
    "it",
)
_phrases = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9).map(" ".join)


@given(texts | _phrases, texts | _phrases)
def test_any_two_texts_can_be_compared_from_either_side_and_what_says_the_same_never_disagrees(one, other):
    assert (disagreement(one, other) is None) == (disagreement(other, one) is None)
    assert is_nearly(one, other) == is_nearly(other, one)
    assert disagreement(one, one) is None
    if forms_of(one) == forms_of(other):
        assert disagreement(one, other) is None
