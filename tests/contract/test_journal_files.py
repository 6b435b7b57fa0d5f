"""The journal beside the files, byte by byte: what its end, its checksums and its witness promise (R1, R4; rows 27, 42)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import commonplace
from commonplace import Book
from commonplace.formats import witness as seeing
from commonplace.formats.journal_check import OPEN, is_sealed, seal
from commonplace.formats.witness import Witness

LINE = b'{"commit":{"seq":7,"lines":1,"check":"' + OPEN.encode() + b'"}}'


@pytest.fixture(params=["jsonl", "ledger", "vault"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return f"{request.param}:{tmp_path / 'book'}"


def journal(tmp_path: Path) -> Path:
    return next((tmp_path / "book" / ".commonplace").glob("journal-*.jsonl"))


def save(book: Book, text: str) -> str:
    return book.save(text, type="project", scope="global").id


def test_a_change_whose_commit_lacks_only_its_line_end_happened_for_everybody(url: str, tmp_path: Path) -> None:
    """Else the next change would end the line, and whoever reads the journal later would take the one for the other."""
    with commonplace.open(url) as book:
        first = save(book, "The gate opens at seven.")
        second = save(book, "The gate closes at nine.")
    raw = journal(tmp_path).read_bytes()
    journal(tmp_path).write_bytes(raw[:-1])
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(url) as book:
        assert {record.id for record in book.list()} == {first, second}
        third = save(book, "The gate is green.")
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(url) as book:
        assert {record.id for record in book.list()} == {first, second, third}
        assert [str(one.verb) for one in book.history(third)] == ["save"]
        assert book.verify().ok


def test_a_damaged_change_is_not_carried_out_again(url: str, tmp_path: Path) -> None:
    """Its steps name the files that it changes. One letter of such a name is another file, and that is not ours."""
    with commonplace.open(url) as book:
        ids = {save(book, "The gate opens at seven."), save(book, "The gate closes at nine.")}
    folder = tmp_path / "book"
    raw = journal(tmp_path).read_bytes()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path != journal(tmp_path)}
    last = raw.rindex(b'{"commit"')
    at = raw.index(b'"path":"', last) + len(b'"path":"')
    journal(tmp_path).write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(url) as book:
        assert {record.id for record in book.list()} == ids
        assert "corrupt" in {one.code for one in book.doctor().findings}
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path != journal(tmp_path)}
    assert {path.name for path in after} == {path.name for path in before}
    assert {path: raw for path, raw in after.items() if "digest" not in path.name} == {
        path: raw for path, raw in before.items() if "digest" not in path.name
    }


def _group(raw: bytes) -> bytes:
    """The last change in a journal."""
    lines = raw.splitlines(keepends=True)
    commits = [at for at, line in enumerate(lines) if line.startswith(b'{"commit"')]
    return b"".join(lines[commits[-2] + 1 :])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_what_a_killed_writer_left_of_a_change_is_no_damage(url: str, tmp_path: Path, share: float) -> None:
    """Row 1: a part of a group never happened; the next change follows the one before it, and nothing is missing."""
    with commonplace.open(url) as book:
        save(book, "The gate opens at seven.")
        save(book, "The gate closes at nine.")
        left = _group(journal(tmp_path).read_bytes())
    shutil.rmtree(tmp_path / "book")
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(url) as book:
        kept = {save(book, "The gate opens at seven.")}
        with journal(tmp_path).open("ab") as file:
            file.write(left[: int(len(left) * share)])
        kept.add(save(book, "The gate is green."))
        assert {(one.code, str(one.severity)) for one in book.doctor().findings} <= {("left_over", "info")}
        assert book.doctor().ok
        assert book.verify().ok
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(url) as book:
        assert {record.id for record in book.list()} == kept
        assert book.doctor().ok


def test_but_a_commit_that_is_missing_from_the_middle_is(url: str, tmp_path: Path) -> None:
    """The change it closed was acknowledged, and the next one does not follow the last that can be read."""
    with commonplace.open(url) as book:
        for text in ("The gate opens at seven.", "The gate closes at nine.", "The gate is green."):
            save(book, text)
    lines = journal(tmp_path).read_bytes().splitlines(keepends=True)
    second = [at for at, line in enumerate(lines) if line.startswith(b'{"commit"')][-2]
    lines[second] = lines[second][:40] + b"\n"
    journal(tmp_path).write_bytes(b"".join(lines))
    with commonplace.open(url) as book:
        named = [one.where for one in book.doctor().findings if one.code == "corrupt"]
    assert [str(where).rpartition(":")[2] for where in named] == [str(second + 1)]


def _altered(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"green", b"amber") for line in lines]


def _swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:3], *lines[5:7], *lines[3:5], *lines[7:]]


def _taken_out(lines: list[bytes]) -> list[bytes]:
    gone = b"".join(lines[3:5])
    return [*lines[:3], *lines[5:], b" " * (len(gone) - 1) + b"\n"]


def _repeated(lines: list[bytes]) -> list[bytes]:
    return [*lines, *lines[3:5]]


@pytest.mark.parametrize("tampering", [_altered, _swapped, _taken_out, _repeated])
def test_verify_reads_the_journals_file_also_where_the_catalog_is_whole(
    url: str, tmp_path: Path, tampering: Callable[[list[bytes]], list[bytes]]
) -> None:
    """The file is the truth: who alters, reorders or takes out an entry there is found, though the catalog still knows all."""
    with commonplace.open(url) as book:
        saved = {save(book, f"Gate {number} is green.") for number in range(4)}
        assert book.verify().ok
    lines = journal(tmp_path).read_bytes().splitlines(keepends=True)
    journal(tmp_path).write_bytes(b"".join(tampering(lines)))
    with commonplace.open(url) as book:
        found = book.verify()
        assert [one.code for one in found.findings] == ["journal_broken"]
        assert {*found.findings} <= {*book.doctor(full=True).findings}
        book.doctor(repair=True)
        assert book.verify().ok
        assert {record.id for record in book.list()} == saved
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(url) as book:
        assert book.verify().ok
        assert {record.id for record in book.list()} == saved


def test_every_kind_of_line_is_named_if_one_letter_of_it_changes(url: str, tmp_path: Path) -> None:
    """Row 42: entries by their own hashes, all the rest by the checksum of their group, the first line by its own."""
    with commonplace.open(url) as book:
        save(book, "The gate opens at seven.")
        book.save("The gate closes at nine.", type="project", scope="global", idempotency_key="a key")
    raw = journal(tmp_path).read_bytes()
    for letter in (b"The gate opens", b"a key", b'"places"', b'"tombstone_key":"'):
        at = raw.index(letter) + len(letter)
        changed = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
        journal(tmp_path).write_bytes(changed)
        try:
            with commonplace.open(url) as book:
                said = [one for one in book.doctor().findings if one.code == "corrupt"]
            assert len(said) == 1, letter
        finally:
            journal(tmp_path).write_bytes(raw)


class TestSealing:
    def test_what_was_sealed_is_as_it_was_and_nothing_else_is(self) -> None:
        sealed = seal(LINE, [b"one line", b"another"])
        assert is_sealed(sealed, [b"one line", b"another"])
        assert is_sealed(sealed + b"\n", [b"one line\n", b"another\n"])
        assert not is_sealed(sealed, [b"one lime", b"another"])
        assert not is_sealed(sealed, [b"another", b"one line"])
        assert not is_sealed(sealed.replace(b'"seq":7', b'"seq":8'), [b"one line", b"another"])

    def test_a_line_of_an_earlier_version_has_no_seal_to_break(self) -> None:
        assert is_sealed(b'{"commit":{"seq":7,"lines":1}}')


class TestTheWitness:
    def test_it_knows_what_is_missing_and_does_not_forget_it(self) -> None:
        seen = Witness().saw("book", 0, 5).saw("book", 5, 9)
        assert seen.lost_at("book", 9) == 0
        assert seen.lost_at("book", 6) == 3
        assert seen.saw("book", 6, 7) == Witness("book", 7, 3)

    def test_it_says_nothing_of_another_book(self) -> None:
        assert Witness("book", 9, 2).lost_at("other", 1) == 0
        assert Witness("book", 9, 2).saw("other", 0, 1) == Witness("other", 1, 0)

    def test_it_lies_in_a_file_and_a_damaged_one_says_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "seen"
        assert seeing.witness(str(path)) == Witness()
        seeing.testify(str(path), Witness("book", 9, 2))
        assert seeing.witness(str(path)) == Witness("book", 9, 2)
        raw = path.read_bytes()
        for at in range(len(raw) - 1):
            path.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
            assert seeing.witness(str(path)) == Witness()
        path.write_bytes(b"\xff" * 300)
        assert seeing.witness(str(path)) == Witness()

    def test_a_link_in_its_place_is_not_written_through(self, tmp_path: Path) -> None:
        """R8, row 84."""
        (tmp_path / "outside").write_text("mine")
        (tmp_path / "seen").symlink_to(tmp_path / "outside")
        seeing.testify(str(tmp_path / "seen"), Witness("book", 9, 2))
        assert (tmp_path / "outside").read_text() == "mine"
