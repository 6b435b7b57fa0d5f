"""History, the journal, and what the book believed then."""

from __future__ import annotations

from datetime import timedelta

import pytest

from commonplace.errors import InvalidError, NotFoundError
from commonplace.testing.clocks import EPOCH, FixedClock


@pytest.fixture
def story(book, clock):
    """A memory's life, and the moment after each step."""
    saved = book.save("Tabs.", type="profile", tags=["a"])
    moments = [clock.moment]
    for step in (
        lambda: book.save("Tabs.", type="profile"),
        lambda: book.archive(saved.id, reason="tidy"),
        lambda: book.restore(saved.id),
        lambda: book.evolve(saved.id, "Spaces.", reason="new editor"),
        lambda: book.forget(saved.id),
    ):
        step()
        moments.append(clock.moment)
    return saved, moments


def test_history_tells_who_when_why_and_what(book, story):
    saved, moments = story
    told = book.history(saved.id)
    assert [op.verb for op in told] == ["save", "reinforce", "archive", "restore", "evolve", "forget"]
    assert [op.at for op in told] == moments
    assert {op.actor for op in told} == {"alice"}
    assert {op.surface for op in told} == {"library"}
    (change,) = told[2].changes
    assert (change.before["status"], change.after["status"], told[2].reason) == ("active", "archived", "tidy")


def test_only_what_differs_is_in_a_change(book, story):
    saved, _ = story
    (change,) = book.history(saved.id)[1].changes
    assert change.after.keys() == change.before.keys() == {"occurrences", "updated_at"}


def test_as_of_gives_the_memory_as_it_was_at_each_moment(book, story):
    saved, moments = story
    then = [book.get(saved.id, as_of=moment) for moment in moments]
    assert [record.status for record in then] == ["active", "active", "archived", "active", "superseded", "deleted"]
    assert [record.occurrences for record in then] == [1, 2, 2, 2, 2, 2]
    assert then[0] == saved
    assert then[-1] == book.get(saved.id)


def test_before_it_was_saved_the_book_did_not_know_it(book, story):
    saved, _ = story
    with pytest.raises(NotFoundError):
        book.get(saved.id, as_of=EPOCH)
    assert book.list(as_of=EPOCH, statuses="all") == []


def test_as_of_lists_what_was_listed_then(book, clock):
    listed = []
    ids = [book.save(f"Number {n}.", type="episode", tags=["t"]).id for n in range(5)]
    for change in (
        lambda: book.archive(ids[1]),
        lambda: book.evolve(ids[2], "Other.", reason="r"),
        lambda: book.forget(ids[4]),
    ):
        listed.append((clock.moment, book.list(), book.list(tags="t", statuses="archived")))
        change()
    for moment, active, archived in listed:
        assert book.list(as_of=moment) == active
        assert book.list(as_of=moment, tags="t", statuses="archived") == archived


def test_as_of_pages_as_list_pages(book, clock):
    ids = [book.save(f"Number {n}.", type="episode").id for n in range(7)]
    then = clock.moment
    whole = book.list()
    for id in ids[::2]:
        book.archive(id)
    pages, after = [], None
    while page := book.list(as_of=then, limit=2, after=after):
        pages += page
        after = page[-1].id
    assert pages == whole


def test_memories_of_one_moment_are_listed_in_one_order_now_and_then(open_book):
    """Seam: newest first, then by the order in which the book learnt them; a clock may stand still."""
    still = FixedClock()
    book = open_book(clock=still)
    ids = [book.save(f"Number {n}.", type="episode").id for n in range(12)]
    whole = book.list()
    assert [record.id for record in whole] == ids[::-1]
    still.move(seconds=1)
    for id in ids[::3]:
        book.archive(id)
    assert book.list(as_of=EPOCH) == whole


def test_a_page_behind_a_memory_that_is_not_there_is_not_found_now_and_then(book, clock):
    book.save("One.", type="episode")
    for as_of in (None, clock.moment):
        with pytest.raises(NotFoundError):
            book.list(after="nobody", as_of=as_of)


def test_when_the_clock_goes_back_order_comes_from_the_sequence(open_book):
    """Row 71: a clock that jumps loses nothing; as of now the book believes what it believes now."""
    clock = FixedClock()
    book = open_book(clock=clock)
    saved = book.save("Tabs.", type="profile")
    clock.move(hours=-1)
    book.archive(saved.id)
    assert [op.verb for op in book.history(saved.id)] == ["save", "archive"]
    assert book.verify().ok
    later = EPOCH + timedelta(days=1)
    assert book.get(saved.id, as_of=later) == book.get(saved.id)
    assert book.list(as_of=later) == book.list() == []


def test_a_clock_that_jumps_ten_years_expires_nothing_and_ids_stay_unique(open_book):
    """Row 71."""
    clock = FixedClock()
    book = open_book(clock=clock)
    ids = []
    for years in (0, 10, -20, 10):
        clock.move(days=365 * years)
        ids.append(book.save(f"After {years} {len(ids)}.", type="episode").id)
    assert len({*ids}) == len(book.list()) == 4
    assert book.verify().ok


class TestTheJournal:
    def test_it_is_narrowed_by_time_actor_verb_and_count(self, book, agent, clock):
        one = book.save("One.", type="episode")
        middle = clock.moment
        agent.save("Two.", type="episode")
        book.archive(one.id)
        assert [op.verb for op in book.journal()] == ["save", "save", "archive"]
        assert [op.verb for op in book.journal(actor="agent:claude")] == ["save"]
        assert [op.actor for op in book.journal(since=middle + timedelta(microseconds=1))] == ["agent:claude", "alice"]
        assert [op.seq for op in book.journal(until=middle)] == [1]
        assert [op.seq for op in book.journal(verb="archive")] == [3]
        assert [op.seq for op in book.journal(limit=2)] == [2, 3]

    def test_an_operation_is_found_by_its_id(self, book):
        book.archive(book.save("One.", type="episode").id)
        archived = next(op for op in book.journal() if op.verb == "archive")
        assert book.revert(archived.id).reverts == (archived.id,)

    @pytest.mark.parametrize("limit", [0, -1])
    def test_a_limit_below_one_is_refused(self, book, limit):
        with pytest.raises(InvalidError):
            book.journal(limit=limit)

    def test_a_limit_may_be_larger_than_any_list(self, book):
        book.save("One.", type="episode")
        assert len(book.journal(limit=2**63)) == 1


@pytest.mark.parametrize(
    "moment",
    ["2026-05-03T12:00:00", "2026-05-03T23:59:60Z", "10000-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "yesterday", "", 7,
     "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"],
)  # fmt: skip
def test_a_moment_nobody_can_place_is_refused_by_every_verb_that_takes_one(book, everything, moment):
    """Row 72."""
    saved = book.save("One.", type="episode")
    before = everything(book)
    asks = [lambda field=field: book.save("Two.", type="episode", **{field: moment})
            for field in ("observed_at", "valid_from", "valid_to")]  # fmt: skip
    asks += [lambda: book.get(saved.id, as_of=moment), lambda: book.list(as_of=moment)]
    asks += [lambda field=field: book.list(**{field: moment}) for field in ("since", "until")]
    asks += [lambda field=field: book.journal(**{field: moment}) for field in ("since", "until")]
    for ask in asks:
        with pytest.raises(InvalidError) as refused:
            ask()
        assert refused.value.hint
    assert everything(book) == before


def test_an_offset_is_turned_into_utc(book):
    """Row 72: +14:00 is a real offset."""
    saved = book.save("One.", type="episode", observed_at="2026-05-03T12:00:00+14:00")
    assert saved.observed_at.isoformat() == "2026-05-02T22:00:00+00:00"


def test_a_time_that_ends_before_it_begins_is_refused(book):
    with pytest.raises(InvalidError, match="valid_to"):
        book.save("x y", type="episode", valid_from="2026-05-03T12:00:00Z", valid_to="2026-05-02T12:00:00Z")


@pytest.mark.parametrize("ask", [{"actor": "alice"}, {"verb": "archive"}, {"actor": "alice", "verb": "save"}])
def test_the_journal_is_narrowed_alike_whether_or_not_its_keys_are_taken_in(book, agent, ask):
    """Entries by actor and verb are indexed 64 at a time; the newest few are looked through. The answer is the same."""
    for n in range(150):
        (book if n % 3 else agent).save(f"Number {n}.", type="episode")
        if n % 10 == 0:
            book.archive(book.list(limit=1)[0].id)
    everything = book.journal(limit=10_000)
    assert len(everything) > 150
    wanted = [op.id for op in everything if all(getattr(op, field) == word for field, word in ask.items())]
    assert [op.id for op in book.journal(**ask, limit=10_000)] == wanted
    assert [op.id for op in book.journal(**ask, limit=7)] == wanted[-7:]


def test_what_is_no_memory_was_none_then_either(book):
    one, two = (book.save(text, type="episode") for text in ("One.", "Two."))
    link = book.link(one.id, two.id, "supports")
    for id in (one.source_ref, link.id, book.contradict(one.id, two.id).id):
        with pytest.raises(NotFoundError):
            book.get(id, as_of=book.journal()[-1].at)


def test_between_clocks_that_were_set_back_every_moment_finds_its_last_entry(open_book):
    """Row 71: the search halves the journal, and must not halve it where time went backwards."""
    clock = FixedClock()
    book = open_book(clock=clock)
    for step in (10, 10, 10, -25, 10, 10, 10, 10, -38, 1, 1, 1, 50, -20, 2, 2):
        clock.move(seconds=step)
        book.save(f"At {clock.moment} after {step}.", type="episode")
    told = book.journal()
    for second in range(-20, 60):
        moment = EPOCH + timedelta(seconds=second)
        last = max((operation.seq for operation in told if operation.at <= moment), default=0)
        assert len(book.list(as_of=moment, limit=1000)) == last
        assert book.journal(since=moment) == [operation for operation in told if operation.at >= moment]
        assert book.journal(until=moment) == [operation for operation in told if operation.at <= moment]
