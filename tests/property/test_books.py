"""Properties of whole books: any filter, any page, any query, any import, any moment."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import commonplace
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.errors import CommonplaceError
from commonplace.guard import secrets
from commonplace.model.words import Entity
from commonplace.seam.terms import Page
from commonplace.testing.clocks import TickingClock
from commonplace.testing.makers import a_signature
from commonplace.testing.state import nouns_of, state_of
from commonplace.testing.strategies import filters, records, statements, texts


@contextmanager
def a_folder():
    folder = Path(tempfile.mkdtemp(prefix="commonplace-property-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def a_book(folder, name="book", actor="alice"):
    with commonplace.open(f"sqlite:{folder / name}.sqlite", actor=actor, clock=TickingClock()) as book:
        yield book


@given(st.lists(records(), max_size=25, unique_by=lambda record: record.id), st.lists(filters, min_size=4, max_size=8))
def test_a_filter_in_the_catalog_is_the_filter_in_python(held, asked):
    with a_folder() as folder:
        canon = SqliteCanon(str(folder / "book.sqlite"), timeout=5)
        with canon.writing(5) as draft:
            for record in held:
                draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
        with canon.reading() as view:
            assert {record.id: record for record in view.nouns(Entity.MEMORY)} == {record.id: record for record in held}
            newest = held[::-1]
            newest.sort(
                key=lambda record: record.created_at, reverse=True
            )  # stable: of equals the later learnt is first
            for where in asked:
                wanted = [record.id for record in newest if where.matches(record)]
                assert [record.id for record in view.memories(where)] == wanted
                for limit in (1, 3):
                    assert walked(view, where, limit) == wanted
                found = view.words(("tabs", "port", "falcon"), where, 1000)
                assert {record.id for record, _ in found} <= {*wanted}
        canon.close()


def walked(view, where, limit):
    found, after = [], None
    while page := [record.id for record in view.memories(where, Page(limit=limit, after=after))]:
        assert len(page) <= limit
        found += page
        after = page[-1]
    return found


@given(st.lists(texts, max_size=6), st.lists(statements, min_size=1, max_size=5))
def test_any_text_is_a_legal_query_and_what_was_said_is_found(queries, said):
    """Row 85."""
    said = [text for text in said if not secrets.has_secret(text)]
    with a_folder() as folder, a_book(folder) as book:
        for text in [*said, "The falcon flies."]:
            book.save(text, type="episode")
        for query in queries:
            assert all(result.score for result in book.search(query))
        assert "The falcon flies." in [result.record.content for result in book.search("falcon")]


@given(statements)
def test_any_statement_comes_back_as_it_went(text):
    assume(not secrets.has_secret(text))
    with a_folder() as folder:
        with a_book(folder) as book:
            id = book.save(text, type="episode", title=text[:100] or None, summary=text, rationale=text).id
        with a_book(folder) as book:
            record = book.get(id)
            assert (record.content, record.summary, record.rationale) == (text, text, text)
            assert book.save(text, type="episode").id == id
            assert book.verify().ok


verbs = st.lists(st.tuples(st.sampled_from(["save", "evolve", "archive", "link", "purge", "revert", "forget"]),
                           st.integers(0, 5)), max_size=14)  # fmt: skip


def live(book, steps, voice="Alice"):
    """A random life; what is refused is refused. Each voice has words of its own: what one book purged, another may say."""
    for n, (verb, pick) in enumerate(steps):
        known = [record.id for record in book.list(statuses="all", limit=1000)] or ["nobody"]
        id = known[pick % len(known)]
        try:
            match verb:
                case "save":
                    book.save(f"{voice} says {pick}.", type="episode", tags=["t"], aliases=[f"m-{n}"])
                case "evolve":
                    book.evolve(id, f"{voice} says {n} anew.", reason="r")
                case "link":
                    book.link(id, known[0], "supports")
                case "revert":
                    book.revert(book.journal()[-1 - pick % max(book.stats().operations, 1)])
                case _:
                    getattr(book, verb)(id)
        except (CommonplaceError, IndexError):
            continue


@given(verbs, verbs)
def test_an_export_is_the_book_and_importing_twice_is_importing_once(one, other):
    with a_folder() as folder, a_book(folder) as book, a_book(folder, "copy") as copy, a_book(folder, "mix") as mix:
        live(book, [("save", 0), *one])
        live(mix, [("save", 9), *other], "Bob")
        book.export(str(folder / "x.jsonl"))
        copy.import_(str(folder / "x.jsonl"))
        assert state_of(copy._scribe.canon) == state_of(book._scribe.canon)
        mix.import_(str(folder / "x.jsonl"))
        before = state_of(mix._scribe.canon)
        assert mix.import_(str(folder / "x.jsonl")).added == {}
        assert state_of(mix._scribe.canon) == before
        with book._scribe.canon.reading() as ours, mix._scribe.canon.reading() as theirs:
            mixed = {record["id"]: record for record in nouns_of(theirs)["memory"]}
            assert all(mixed[record["id"]] == record for record in nouns_of(ours)["memory"])
        for checked in (book, copy, mix):
            assert checked.verify().ok


junk = st.lists(st.one_of(st.binary(max_size=40), texts.map(str.encode), st.just(b'{"memory":{"id":"x"}}'), st.just(b"null")),
                min_size=1, max_size=5)  # fmt: skip


@given(verbs, junk, st.data())
def test_bad_lines_between_good_ones_lose_no_good_one(steps, junk, data):
    """Rows 28-29."""
    with a_folder() as folder, a_book(folder) as book, a_book(folder, "copy") as copy:
        live(book, [("save", 0), *steps])
        book.export(str(folder / "x.jsonl"))
        lines = (folder / "x.jsonl").read_bytes().splitlines(keepends=True)
        for bad in junk:
            lines.insert(data.draw(st.integers(1, len(lines) - 1)), bad.replace(b"\n", b"") + b"\n")
        (folder / "y.jsonl").write_bytes(b"".join(lines))
        copy.import_(str(folder / "y.jsonl"))
        with book._scribe.canon.reading() as ours, copy._scribe.canon.reading() as theirs:
            for entity, held in nouns_of(ours).items():
                there = nouns_of(theirs)[entity]
                assert [noun for noun in held if noun not in there] == []
        assert copy.verify().ok


@given(verbs, st.integers(0, 14))
def test_an_import_that_was_cut_off_and_repeated_is_whole(steps, keep):
    """Row 92."""
    with a_folder() as folder, a_book(folder) as book, a_book(folder, "copy") as copy:
        live(book, [("save", 0), *steps])
        copy.save("Here before.", type="project")
        book.export(str(folder / "x.jsonl"))
        lines = (folder / "x.jsonl").read_bytes().splitlines(keepends=True)
        (folder / "cut.jsonl").write_bytes(b"".join(lines[: -1 - keep % len(lines)]))
        assert not copy.import_(str(folder / "cut.jsonl")).complete
        assert copy.import_(str(folder / "x.jsonl")).complete
        with book._scribe.canon.reading() as ours, copy._scribe.canon.reading() as theirs:
            there = nouns_of(theirs)
            for entity in ("memory", "link"):
                assert [noun for noun in nouns_of(ours)[entity] if noun not in there[entity]] == []


@given(verbs)
def test_as_of_is_what_the_book_said_then(steps):
    with a_folder() as folder, a_book(folder) as book:
        told = []
        for step in [("save", 0), ("save", 1), *steps]:
            live(book, [step])
            if step[0] != "purge":
                told.append((book.journal()[-1].at, book.list(statuses="all", limit=1000)))
        left = {record.id for record in book.list(statuses="all", limit=1000)}
        for moment, then in told:
            now = book.list(statuses="all", limit=1000, as_of=moment)
            assert now == [record for record in then if record.id in left]
            for record in now:
                assert book.get(record.id, as_of=moment) == record


PROPERTIES = [thing for thing in [*globals().values()] if hasattr(thing, "hypothesis")]


@pytest.mark.nightly
@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_it_holds_for_many_more_books(holds):
    settings.get_profile("nightly")(holds)()
