"""Bytes that change on disk (rows 37, 39, 133; G5; R3, R4): found or harmless, never served as what was saved.

Looking never changes the damaged file: it may be the only copy there is.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from commonplace import CommonplaceError

from . import damage_files
from .books import (
    Template,
    book_in,
    every_memory,
    furnish,
    in_files,
    on_every_canon,
    on_file_canons,
    open_book,
    open_warm,
)
from .damage import Verdict, look
from .damage_files import FileVerdict

Harm = Callable[[bytearray], None]


def _harmed(template: Template, place: Path, harm: Harm) -> Verdict:
    folder = place / "harmed"
    shutil.rmtree(folder, ignore_errors=True)
    template.copy(folder)
    data = bytearray((folder / "book.sqlite").read_bytes())
    harm(data)
    (folder / "book.sqlite").write_bytes(data)
    return look(folder, template.truth)


def _flip(offset: int, bits: int) -> Harm:
    def harm(data: bytearray) -> None:
        data[offset % len(data)] ^= bits

    return harm


def _cut(length: int) -> Harm:
    def harm(data: bytearray) -> None:
        del data[length:]

    return harm


def _survey(template: Template, place: Path, harms: Iterable[tuple[str, Harm]]) -> list[str]:
    problems: list[str] = []
    outcomes: Counter[str] = Counter()
    served = errors = 0
    for name, harm in harms:
        verdict = _harmed(template, place, harm)
        outcomes["refused" if verdict.refused else "found" if verdict.detected else "harmless"] += 1
        if not verdict.refused:
            served, errors = served + verdict.served, errors + verdict.errors
        problems += [f"{name}: {problem}" for problem in verdict.problems]
    print(f"{dict(outcomes)}, {served} memories served, {errors} refused one by one")
    return problems


def _flips(template: Template, rng: random.Random, number: int) -> Iterable[tuple[str, Harm]]:
    size = (template.folder / "book.sqlite").stat().st_size
    for _ in range(number):
        offset, bits = rng.randrange(size), rng.randrange(1, 256)
        yield f"byte {offset} ^ {bits}", _flip(offset, bits)


def _cuts(template: Template, rng: random.Random, number: int) -> Iterable[tuple[str, Harm]]:
    size = (template.folder / "book.sqlite").stat().st_size
    for _ in range(number):
        length = rng.randrange(size)
        yield f"cut at {length}", _cut(length)


def test_a_flipped_byte_is_found_or_harmless_150_times(template: Template, place: Path, rng: random.Random) -> None:
    assert _survey(template, place, _flips(template, rng, 150)) == []


def test_a_truncated_file_is_found_150_times(template: Template, place: Path, rng: random.Random) -> None:
    assert _survey(template, place, _cuts(template, rng, 150)) == []


@pytest.mark.nightly
def test_a_flipped_byte_is_found_or_harmless_1_000_times(template: Template, place: Path, rng: random.Random) -> None:
    assert _survey(template, place, _flips(template, rng, 1_000)) == []


@pytest.mark.nightly
def test_a_truncated_file_is_found_1_000_times(template: Template, place: Path, rng: random.Random) -> None:
    assert _survey(template, place, _cuts(template, rng, 1_000)) == []


def test_a_changed_letter_of_a_memory_is_never_served(template: Template, place: Path) -> None:
    """Flips that hit the words themselves, where no checksum of SQLite's is."""
    data = (template.folder / "book.sqlite").read_bytes()
    harms = []
    for id in template.ids[:4]:
        words = template.truth[id]["content"].encode()
        offset, places = data.find(words), 0
        while offset >= 0:
            places += 1
            harms.append((f"memory {id}, place {places}", _flip(offset + len(words) // 2, 1)))
            offset = data.find(words, offset + 1)
        assert places, "the words are nowhere in the file: the test hits nothing"
    assert _survey(template, place, harms) == []


def test_a_damaged_page_costs_only_what_was_on_it(template: Template, place: Path) -> None:
    """A page full of garbage: what was on it is refused or named, everything else is still served."""
    data = (template.folder / "book.sqlite").read_bytes()
    words = template.truth[template.ids[0]]["content"].encode()
    pages = {match.start() // 4096 * 4096 for match in re.finditer(re.escape(words), data)}
    garbage = random.Random(1).randbytes(4096)
    served = errors = 0
    for page in pages:
        verdict = _harmed(template, place, lambda data, page=page: data.__setitem__(slice(page, page + 4096), garbage))
        assert verdict.problems == []
        assert verdict.detected
        served, errors = served + verdict.served, errors + verdict.errors
    assert errors, "no page of the memories was hit"
    assert served, "one bad page took the whole book"


@on_every_canon
def test_looking_at_a_book_does_not_change_it(place: Path) -> None:
    """A damaged file may be the only copy there is. So reading and examining leave every byte as it is."""
    with open_book(place) as book:
        ids = furnish(book, 12)
    before = _bytes_of(place)
    with open_book(place) as book:
        book.get(ids[0])
        book.list(statuses="all")
        book.history(ids[0])
        book.verify()
        book.doctor()
        book.doctor(full=True)
        book.scan()
        book.export(str(place / "export.jsonl"))
    assert _bytes_of(place) == before


def _bytes_of(place: Path) -> dict[str, bytes]:
    """Of the book itself: the file, or every file of it with its journal."""
    if not in_files():
        return {"book.sqlite": (place / "book.sqlite").read_bytes()}
    journal = damage_files.journal_in(place)
    return {**damage_files.own_files(place), journal.name: journal.read_bytes()}


def _header(data: bytearray) -> None:
    data[:100] = b"\xde\xad" * 50


@pytest.mark.parametrize(
    ("harm", "name"),
    [
        (lambda data: data.clear(), "empty"),
        (_header, "garbage header"),
        (lambda data: data.__delitem__(slice(len(data) // 2, None)), "half"),
        (lambda data: data.__setitem__(slice(None), b"\0" * len(data)), "zeros"),
        (lambda data: data.__setitem__(slice(None), b"These are not the bytes of a book." * 900), "text"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_no_book_any_more_is_refused_and_kept(
    template: Template, place: Path, harm: Harm, name: str
) -> None:
    folder = template.copy(place / "harmed")
    data = bytearray((folder / "book.sqlite").read_bytes())
    harm(data)
    (folder / "book.sqlite").write_bytes(data)
    verdict = look(folder, template.truth)
    assert verdict.problems == []
    assert verdict.refused == "corrupt" or verdict.findings
    assert _take(folder) in ({"corrupt", "unavailable"} if name != "half" else {"corrupt", "unavailable", "taken"})


def _take(folder: Path) -> str:
    try:
        with open_book(folder) as book:
            book.save("Never into a file that is no book.", type="project", project_id="atlas")
    except CommonplaceError as cause:
        return cause.kind
    return "taken"


@on_every_canon
class TestTheFullTextIndex:
    """It is derived: whatever happens to it, no memory is lost, and it can be made anew (row 39)."""

    HARMS = (
        "UPDATE memories_fts_data SET block = randomblob(200) WHERE id > 10",
        "DELETE FROM memories_fts_data WHERE id > 10",
        "UPDATE memories_fts_docsize SET sz = randomblob(3)",
        "DELETE FROM memories_fts_docsize WHERE id % 2",
    )

    @pytest.mark.parametrize("harm", HARMS)
    def test_damage_is_found_and_healed_and_no_memory_is_lost(self, template: Template, place: Path, harm: str) -> None:
        folder = template.copy(place / "harmed")
        with open_warm(folder) as book:
            book.search("valley")  # so that nothing waits to be taken into the index
        _harm_index(folder, harm)
        with open_book(folder) as book:
            assert every_memory(book) == template.truth
            assert "index_damaged" in {one.code for one in book.doctor(full=True).findings}
            assert [one.code for one in book.verify().findings] == []
            book.doctor(repair=True)
            assert [one.code for one in book.doctor(full=True).findings] == []
            assert every_memory(book) == template.truth
            assert {one.record.id for one in book.search("cedar", limit=50)} >= {template.ids[2]}

    @pytest.mark.parametrize("harm", HARMS[:2])
    def test_a_search_in_a_damaged_index_does_not_say_nothing_found(
        self, template: Template, place: Path, harm: str
    ) -> None:
        folder = template.copy(place / "harmed")
        with open_warm(folder) as book:
            expected = {one.record.id for one in book.search("finding", project="atlas", limit=50)}
        _harm_index(folder, harm)
        with open_book(folder) as book:
            try:
                found = {one.record.id for one in book.search("finding", project="atlas", limit=50)}
            except CommonplaceError as cause:
                found, expected = {cause.kind}, {"not_searched"} if cause.kind == "not_searched" else {"corrupt"}
            assert found == expected


def _harm_index(folder: Path, harm: str) -> None:
    """In the database, or in the catalog of a book in files."""
    db = apsw.Connection(str(damage_files.catalog_of(folder) if in_files() else folder / "book.sqlite"))
    db.execute(harm).fetchall()
    db.close()


def test_the_control_without_hashes_serves_the_changed_letter(place: Path) -> None:
    """What plain SQLite does with a flipped byte inside a text: nothing. So the flips do bite, and ours are found."""
    path = place / "plain.sqlite"
    db = apsw.Connection(str(path))
    db.execute(
        "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('Anna prefers tea in the morning.')"
    ).fetchall()
    db.close()
    data = bytearray(path.read_bytes())
    data[data.find(b"tea")] ^= 1
    path.write_bytes(data)
    db = apsw.Connection(str(path))
    try:
        assert db.execute("PRAGMA integrity_check").get == "ok"
        assert db.execute("SELECT text FROM notes").get == "Anna prefers uea in the morning."
    finally:
        db.close()


@dataclass(frozen=True)
class Tally:
    """How damaged books in files answered, and what was wrong about it."""

    outcomes: Counter[str]
    problems: list[str]


def _in_files(
    template: Template, place: Path, rng: random.Random, number: int, harm: str, which: str
) -> Iterator[tuple[str, FileVerdict]]:
    """The book, harmed so often: a byte flipped or the rest cut off, in its own files or in its journal."""
    whole = damage_files.own_files(template.folder)
    for _ in range(number):
        folder = damage_files.fresh_copy(template.folder, place / "harmed")
        own = [book_in(folder) / name for name in damage_files.own_files(folder)]
        path, offset = damage_files.any_byte(own if which == "own" else [damage_files.journal_in(folder)], rng)
        name = (
            damage_files.cut(path, offset) if harm == "cut" else damage_files.flip(path, offset, rng.randrange(1, 256))
        )
        damage_files.let_settle(folder)
        yield name, damage_files.look(folder, template.truth, whole)


def _problems_of_own(verdict: FileVerdict) -> list[str]:
    """A person's edit, or something that is named; never a loss, never a change by looking."""
    told = [*verdict.troubles]
    told += [f"refused: {verdict.refused}"] if verdict.refused else []
    told += [f"{len(verdict.missing)} are nowhere"] if verdict.missing else []
    told += [f"SILENT: {len(verdict.wrong)} differ, and no edit tells it"] if verdict.wrong else []
    told += [f"verify: {verdict.verified}"] if verdict.verified else []
    touched = [name for name in verdict.touched if name not in MADE_ANEW]
    return told + ([f"changed by looking: {touched}"] if touched else [])


# What is made of the rest, or comes back if it lost every byte (row 41).
MADE_ANEW = ("Agent/Memory/_index.md", "digest.md")


def _problems_of_journal(verdict: FileVerdict) -> list[str]:
    """Found or harmless."""
    told = [*verdict.troubles]
    if (verdict.wrong or verdict.missing or verdict.told) and not verdict.is_noticed:
        told.append(f"SILENT: {len(verdict.wrong)} wrong, {len(verdict.told)} edited, {len(verdict.missing)} missing")
    return told + ([f"changed by looking: {verdict.touched}"] if {*verdict.touched} - {*MADE_ANEW} else [])


def _survey_files(
    verdicts: Iterable[tuple[str, FileVerdict]], problems_of: Callable[[FileVerdict], list[str]]
) -> Tally:
    tally = Tally(Counter(), [])
    for name, verdict in verdicts:
        kind = (
            "refused"
            if verdict.refused
            else "named"
            if verdict.is_noticed
            else "honoured"
            if verdict.told
            else "harmless"
        )
        tally.outcomes[kind] += 1
        tally.problems.extend(f"{name}: {problem}" for problem in problems_of(verdict))
    print(dict(tally.outcomes))
    return tally


in_each_way = pytest.mark.parametrize("harm", ["flip", "cut"])


@on_file_canons
class TestBooksInFiles:
    """Rows 27, 28, 37, 39, 42 on books in files: what their bytes mean depends on whose they are."""

    @in_each_way
    def test_damage_to_a_file_is_an_edit_or_is_named_and_nothing_is_lost(
        self, template: Template, place: Path, rng: random.Random, harm: str
    ) -> None:
        tally = _survey_files(_in_files(template, place, rng, 6, harm, "own"), _problems_of_own)
        assert tally.problems == []

    @in_each_way
    def test_damage_to_the_journal_is_named_or_harmless(
        self, template: Template, place: Path, rng: random.Random, harm: str
    ) -> None:
        tally = _survey_files(_in_files(template, place, rng, 6, harm, "journal"), _problems_of_journal)
        assert tally.problems == []

    @in_each_way
    def test_a_damaged_catalog_is_made_anew_with_the_same_answers(
        self, template: Template, place: Path, rng: random.Random, harm: str
    ) -> None:
        assert _catalogs(template, place, rng, 6, harm) == []

    @pytest.mark.nightly
    @in_each_way
    @pytest.mark.parametrize("which", ["own", "journal"])
    def test_damage_to_its_files_1_000_times(
        self, template: Template, place: Path, rng: random.Random, harm: str, which: str
    ) -> None:
        problems_of = _problems_of_own if which == "own" else _problems_of_journal
        assert _survey_files(_in_files(template, place, rng, 1_000, harm, which), problems_of).problems == []

    @pytest.mark.nightly
    @in_each_way
    def test_damage_to_its_catalog_1_000_times(
        self, template: Template, place: Path, rng: random.Random, harm: str
    ) -> None:
        assert _catalogs(template, place, rng, 1_000, harm) == []


def _catalogs(template: Template, place: Path, rng: random.Random, number: int, harm: str) -> list[str]:
    """Whatever is harmed there: nothing wrong is served, and once it was noticed the next reader has all of it again."""
    warm = damage_files.Warm(template.copy(place / "harmed"))
    problems: list[str] = []
    outcomes: Counter[str] = Counter()
    for _ in range(number):
        warm.put_back()
        path, offset = damage_files.any_byte([warm.catalog], rng)
        name = (
            damage_files.cut(path, offset) if harm == "cut" else damage_files.flip(path, offset, rng.randrange(1, 256))
        )
        first = damage_files.look(warm.folder, template.truth)
        with open_book(warm.folder) as book:
            book.doctor(repair=True)
        second = damage_files.look(warm.folder, template.truth)
        outcomes["noticed" if first.is_noticed else "harmless"] += 1
        if first.wrong or first.told or ((first.missing or first.touched) and not first.is_noticed):
            problems.append(f"{name}: {first}")
        if second != FileVerdict():
            problems.append(f"{name}: afterwards {second}")
    print(dict(outcomes))
    return problems
