"""Troubles of files that every format can meet: the same outcome, and one name for it (R13; rows 21, 26, 44, 49, 50, 126)."""

from __future__ import annotations

import ctypes  # noqa: F401 - the other user cannot load it any more
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

import commonplace
from commonplace import Book, settings
from commonplace.catalog.sqlite import schema
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.errors import CorruptError, UnavailableError
from commonplace.formats.journal_file import Intent
from commonplace.formats.ledger import format as ledger_format
from commonplace.formats.steps import Files
from commonplace.formats.vault import scan as vault_scan
from commonplace.formats.vault.format import VaultFormat
from commonplace.seam.format import Remove
from commonplace.storage.atomic_write import partial_name
from commonplace.storage.quarantine import Quarantine

ROOT = Path(__file__).parents[2]
CANONS = ("jsonl", "ledger", "vault")
MAIN = {"jsonl": "memories.jsonl", "ledger": "digest.md", "vault": "Agent/Memory/note/gate.md"}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(params=CANONS)
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(tmp_path: Path, scheme: str) -> Book:
    return commonplace.open(f"{scheme}:{tmp_path / 'book'}")


def furnished(tmp_path: Path, scheme: str) -> tuple[Path, str]:
    """A book with one memory in its main file, and that memory's id."""
    with opened(tmp_path, scheme) as book:
        if scheme == "ledger":
            book.retain(digest="The xylophonecanary sings.")
            id = book.get("digest.md").id
        else:
            saved = book.save("The xylophonecanary sings.", type="project", scope="global", kind="note", title="gate")
            id = saved.id
        book.list()
    assert (tmp_path / "book" / MAIN[scheme]).is_file()
    return tmp_path / "book", id


def found(book: Book) -> set[str]:
    return {one.code for one in book.doctor().findings}


class TestOneNameForOneTrouble:
    def _harm(self, folder: Path, scheme: str, trouble: str) -> None:
        main = folder / MAIN[scheme]
        stem, ending = os.path.splitext(main)
        harms: dict[str, Callable[[], object]] = {
            "conflict_copy": lambda: Path(f"{stem} (conflicted copy 2026-11-15 093612){ending}").write_text("x\n"),
            "not_downloaded": lambda: main.rename(main.parent / f".{main.name}.icloud"),
            "not_understood": lambda: main.write_bytes("x".encode("utf-16")),
            "left_over": lambda: Path(partial_name(str(main))).write_text("x\n"),
        }
        harms[trouble]()
        if main.exists():
            os.utime(main, (1_700_000_000, 1_700_000_000))  # else one would wait for the end of a line that has none

    @pytest.mark.parametrize("trouble", ["conflict_copy", "not_downloaded", "not_understood", "left_over"])
    def test_it_has_the_same_code_in_every_format_and_takes_nothing_away(
        self, tmp_path: Path, scheme: str, trouble: str
    ) -> None:
        folder, id = furnished(tmp_path, scheme)
        self._harm(folder, scheme, trouble)
        with opened(tmp_path, scheme) as book:
            said = [one for one in book.doctor().findings if one.code == trouble]
            assert len(said) == 1
            assert said[0].hint
            assert book.get(id).status == "active"

    def test_every_code_is_described_on_the_page_of_books_in_files_or_on_its_formats_own(self) -> None:
        pages = {name: (ROOT / f"docs/format/{name}.md").read_text() for name in ("files", *CANONS)}
        told = {name: {*re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)} for name, text in pages.items()}
        for path in (ROOT / "src/commonplace/formats").rglob("*.py"):
            own = told.get(path.parent.name, set())
            for code in re.findall(r"Finding\(\s*code=\"(\w+)\"", path.read_text()):
                assert code in told["files"] | own, f"{path.name}: {code}"


class TestACatalogThatIsNotWhatItWas:
    """X-1, rows 37, 39: it is derived. Who comes upon it may be told; it is made anew, and nobody has to do anything."""

    def _harmed(self, tmp_path: Path, scheme: str, harm: str, *, changes: bool = False) -> None:
        with opened(tmp_path, scheme) as book:
            id = book.save("The gate opens at seven.", type="project", scope="global").id
        text = "The gate closes at nine."
        path = next(Path(os.environ["XDG_CACHE_HOME"]).rglob("catalog.sqlite"))
        with closing(apsw.Connection(str(path))) as catalog:
            catalog.execute(harm)
        with opened(tmp_path, scheme) as book:
            with suppress(CorruptError):
                book.save(text, type="project", scope="global") if changes else book.history(id)
            assert book.get(id).content == "The gate opens at seven."
            other = book.save(text, type="project", scope="global").id
            assert book.verify().ok
        with opened(tmp_path, scheme) as book:
            assert {record.id for record in book.list()} == {id, other}
            assert [str(one.verb) for one in book.history(id)] == ["save"], "an edit that nobody made"

    @pytest.mark.parametrize(
        "harm",
        [
            "UPDATE inventory_facts SET journal_size = journal_size - 1",
            "UPDATE inventory_facts SET journal_size = NULL",
            "UPDATE inventory_facts SET journal_size = 'x'",
            "UPDATE inventory_facts SET journal_seq = 0",
            "UPDATE inventory_facts SET journal_edition = 0, journal_size = 2 * journal_size",
            "UPDATE inventory_facts SET generation = 0",
            "DELETE FROM inventory_facts",
            "DROP TABLE inventory_facts; CREATE TABLE inventory_facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
        ],
    )
    def test_what_it_remembers_of_the_files(self, tmp_path: Path, scheme: str, harm: str) -> None:
        """Who reads the journal from another place than the last time would take it for somebody's edits."""
        self._harmed(tmp_path, scheme, harm)

    @pytest.mark.parametrize("name", ["id", "tombstone_key"])
    def test_another_name_or_key(self, tmp_path: Path, scheme: str, name: str) -> None:
        self._harmed(tmp_path, scheme, f"UPDATE book SET value = replace(value, '0', '1') WHERE key = '{name}'")

    @pytest.mark.parametrize("name", ["id", "tombstone_key"])
    def test_a_name_or_key_that_is_no_text(self, tmp_path: Path, scheme: str, name: str) -> None:
        self._harmed(tmp_path, scheme, f"UPDATE book SET value = CAST(x'3080' AS TEXT) WHERE key = '{name}'")

    @pytest.mark.parametrize("changes", [False, True], ids=["read", "written"])
    @pytest.mark.parametrize("table", ["memories", "inventory_facts", "journal"])
    def test_a_table_that_is_gone(self, tmp_path: Path, scheme: str, table: str, changes: bool) -> None:
        self._harmed(tmp_path, scheme, f"ALTER TABLE {table} RENAME TO somewhere_else", changes=changes)

    def test_a_change_that_the_journal_holds_has_happened_though_the_catalog_breaks_under_it(
        self, tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = SqliteCanon.writing

        @contextmanager
        def breaking(canon: SqliteCanon, timeout: float, *, durable: bool = True) -> Iterator[object]:
            with real(canon, timeout, durable=durable) as draft:
                yield draft
                raise CorruptError("the catalog's pages cannot be read any more")

        with opened(tmp_path, scheme) as book:
            id = book.save("The gate opens at seven.", type="project", scope="global").id
            with monkeypatch.context() as broken:
                broken.setattr(SqliteCanon, "writing", breaking)
                other = book.save("The gate closes at nine.", type="project", scope="global").id
            assert {record.id for record in book.list()} == {id, other}
            assert [str(one.verb) for one in book.history(other)] == ["save"]
            assert book.verify().ok


class TestWhatCannotBeLookedAt:
    """Nobody knows what became of it, so nothing did."""

    def test_a_file_that_is_gone_between_its_name_and_the_look_at_it_is_not_deleted(
        self, tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if scheme == "jsonl":
            return  # its one file has one name: there is nothing between
        folder, id = furnished(tmp_path, scheme)
        main = folder / MAIN[scheme]
        raw = main.read_bytes()
        module, name = (ledger_format, "_names") if scheme == "ledger" else (vault_scan, "_any_odd")
        between = getattr(module, name)

        def vanish(*args: object) -> object:
            answer = between(*args)
            if scheme == "ledger" or "/gate.md" in str(args[0]):
                main.unlink(missing_ok=True)
            return answer

        with opened(tmp_path, scheme) as book:
            with monkeypatch.context() as meanwhile:
                meanwhile.setattr(module, name, vanish)
                assert book.get(id).status == "active"
            assert not main.exists()
            main.write_bytes(raw)
            assert book.get(id).status == "active"
            assert len(book.history(id)) == 1

    def test_a_folder_without_permission_hides_nothing_and_is_named(self, tmp_path: Path) -> None:
        """As another user, since root may look everywhere."""
        folder, id = furnished(tmp_path, "vault")
        (folder / "Open.md").write_text("An open note.\n")
        with opened(tmp_path, "vault") as book:
            assert len(book.list()) == 2
        _hand_over(tmp_path)
        hidden = (folder / MAIN["vault"]).parent
        hidden.chmod(0)
        try:
            said = _as_another(lambda: _looked(tmp_path, id))
        finally:
            hidden.chmod(0o700)
        assert said == "active 1 2 ['unreadable'] saved"

    def test_a_folder_that_cannot_be_entered_hides_nothing(self, tmp_path: Path) -> None:
        """Its names can be read, its files cannot be looked at."""
        folder, id = furnished(tmp_path, "vault")
        (folder / "Open.md").write_text("An open note.\n")
        with opened(tmp_path, "vault") as book:
            assert len(book.list()) == 2
        _hand_over(tmp_path)
        hidden = (folder / MAIN["vault"]).parent
        hidden.chmod(0o400)
        try:
            said = _as_another(lambda: _looked(tmp_path, id))
        finally:
            hidden.chmod(0o700)
        assert said == "active 1 2 ['unreadable'] saved"

    @pytest.mark.parametrize("scheme", CANONS)
    def test_a_book_that_cannot_be_looked_at_at_all_is_answered_from_what_is_known(
        self, tmp_path: Path, scheme: str
    ) -> None:
        folder, id = furnished(tmp_path, scheme)
        _hand_over(tmp_path)

        def look() -> str:
            with opened(tmp_path, scheme) as book:
                book.list()
                folder.chmod(0o300)
                return f"{book.get(id).status} {len(book.history(id))}"

        try:
            assert _as_another(look) == "active 1"
        finally:
            folder.chmod(0o700)


class TestWhatArrivesByItself:
    """A sync client writes when it likes."""

    def _own(self, folder: Path) -> dict[Path, bytes]:
        found = (path for path in folder.rglob("*") if path.is_file() and ".commonplace" not in path.parts)
        return {path: path.read_bytes() for path in found}

    def test_a_file_that_arrives_in_pieces_is_never_half_a_memory(self, tmp_path: Path, scheme: str) -> None:
        """Row 51."""
        folder, id = furnished(tmp_path, scheme)
        main = folder / MAIN[scheme]
        whole = main.read_bytes()
        end = whole.index(b"canary")
        with opened(tmp_path, scheme) as book:
            for length in range(end - 6, end + 6, 2):
                main.write_bytes(whole[:length])
                assert book.get(id).content == "The xylophonecanary sings."
            main.write_bytes(whole)
            assert book.get(id).content == "The xylophonecanary sings."
            assert [str(one.verb) for one in book.history(id)] == ["save"]

    def test_another_branch_under_our_hands_is_taken_in_before_anything_is_written(
        self, tmp_path: Path, scheme: str
    ) -> None:
        """Row 56: what the other branch does not have is out of sight, and back with the branch that has it."""
        folder, first = furnished(tmp_path, scheme)
        with opened(tmp_path, scheme) as book:
            trunk = self._own(folder)
            second = book.save("Only on the branch.", type="project", scope="global", kind="note").id
            branch = self._own(folder)
            self._check_out(folder, trunk)
            third = book.save("Written on the trunk.", type="project", scope="global", kind="note").id
            assert {record.id for record in book.list()} == {first, third}
            trunk = self._own(folder)
            self._check_out(folder, branch)
            assert {record.id for record in book.list()} == {first, second}
            self._check_out(folder, trunk)
            assert {record.id for record in book.list()} == {first, third}
            assert book.verify().ok

    def _check_out(self, folder: Path, files: dict[Path, bytes]) -> None:
        for path in self._own(folder):
            if path not in files:
                path.unlink()
        for path, raw in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)


def _looked(tmp_path: Path, id: str) -> str:
    with opened(tmp_path, "vault") as book:
        seen = f"{book.get(id).status} {len(book.history(id))} {len(book.list())} "
        said = sorted(one.code for one in book.doctor().findings if one.code != "readable_by_others")
        saved = book.save("Elsewhere one can still write.", type="project", scope="global", kind="other")
        return f"{seen}{said} {'saved' if book.get(saved.id) else ''}"


def _hand_over(where: Path) -> None:
    """Everything below belongs to nobody, and every folder above lets them in."""
    for path in (where, *where.rglob("*")):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    for above in (where, *where.parents):
        if above != Path("/") and above.stat().st_uid in (0, 65534) and str(above).startswith("/tmp/"):
            above.chmod(above.stat().st_mode | 0o711)


def _as_another(work: Callable[[], str]) -> str:
    """In a forked child, as a user without any rights here."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setgid(65534)
            os.setuid(65534)
            os.write(write, work().encode())
        except BaseException as cause:
            os.write(write, repr(cause).encode()[:2000])
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:
        said = answer.read().decode()
    os.waitpid(pid, 0)
    return said


def test_a_note_of_the_persons_own_that_links_to_a_renamed_memory_is_named(tmp_path: Path) -> None:
    """A12, A27: the link is not turned, because the note is not ours to write; so it is said."""
    folder, id = furnished(tmp_path, "vault")
    (folder / "Diary.md").write_text("Think of [[gate]] and of [[nothing yet]].\n")
    with opened(tmp_path, "vault") as book:
        assert "link_strayed" not in found(book)
        note = folder / MAIN["vault"]
        note.write_text(note.read_text().replace("slug: gate", "slug: portal"))
        note.rename(note.with_name("portal.md"))
        assert book.get(id).slug == "portal"
        (said,) = [one for one in book.doctor().findings if one.code == "link_strayed"]
        assert said.where == "Diary.md"
        assert "portal.md" in said.message
        assert (folder / "Diary.md").read_text() == "Think of [[gate]] and of [[nothing yet]].\n"
        (folder / "Diary.md").write_text("Think of [[portal]].\n")
        assert "link_strayed" not in found(book)


class TestWhatAPurgeCannotReach:
    """R12, row 126: what we keep aside goes with it; what others made is named."""

    def test_what_was_kept_aside_is_destroyed(self, tmp_path: Path, scheme: str) -> None:
        folder, id = furnished(tmp_path, scheme)
        aside = Quarantine(os.path.realpath(folder))
        aside.keep(b"junk around The xylophonecanary sings. and more", origin="x", reason="odd")
        aside.keep(b"something else", origin="y", reason="odd")
        with opened(tmp_path, scheme) as book:
            assert book.purge(id).complete
        assert [piece.origin for piece in aside.pieces()] == ["y"]
        assert b"xylophonecanary" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    def test_copies_of_others_that_hold_it_are_named_and_left(self, tmp_path: Path, scheme: str) -> None:
        folder, id = furnished(tmp_path, scheme)
        main = folder / MAIN[scheme]
        copy = main.with_name(f"{main.stem} (conflicted copy 2026-11-15 093612){main.suffix}")
        copy.write_bytes(main.read_bytes())
        other = main.with_name(f"{main.stem} (conflicted copy 2026-11-14 093612){main.suffix}")
        other.write_text("Nothing of it.\n")
        with opened(tmp_path, scheme) as book:
            report = book.purge(id)
        assert not report.complete
        assert [copy.name in left for left in report.remaining] == [True]
        assert copy.exists()


def test_a_save_that_slipped_in_right_before_a_crash_is_kept_beside(tmp_path: Path) -> None:
    """R3: whoever finishes a change that was cut off behind the exchange throws nothing of another's away."""
    (tmp_path / "n.md").write_text("ours")
    staged = Path(partial_name(str(tmp_path / "n.md")))
    staged.write_text("theirs, saved a moment before")
    hashes = {text: sha256(text.encode()).hexdigest() for text in ("ours", "expected")}
    intent = Intent(step="put", path="n.md", replaces=hashes["expected"], becomes=hashes["ours"], staged=staged.name)
    assert Files(str(tmp_path)).finish([intent]) == []
    kept = [path.read_text() for path in tmp_path.iterdir() if path.name != "n.md"]
    assert kept == ["theirs, saved a moment before"]
    assert [*VaultFormat().scan(str(tmp_path))] == ["n.md"]


def test_among_many_writers_one_looks_for_all_and_an_edit_is_seen_by_whoever_reads(
    tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What looking costs does not grow with the number of those who write; reading always looks."""
    folder, id = furnished(tmp_path, scheme)
    monkeypatch.setattr(settings, "FILE_LOOK_SHARE", 1e9)
    monkeypatch.setattr(settings, "FILE_LOOK_FEW", 0)
    looks = 0
    with opened(tmp_path, scheme) as one, opened(tmp_path, scheme) as other:
        one.list()
        for book in (one, other):
            scan = book._scribe.canon._format.scan

            def counted(place: str, scan: Callable = scan) -> object:
                nonlocal looks
                looks += 1
                return scan(place)

            monkeypatch.setattr(book._scribe.canon._format, "scan", counted, raising=False)
        for number, book in enumerate((one, other, one, other)):
            book.save(f"Thing {number} is here.", type="project", scope="global")
        assert looks == 0
        main = folder / MAIN[scheme]
        main.write_text(main.read_text().replace("sings", "whistles").rstrip() + "\n")
        assert "whistles" in other.get(id).content


class TestBackups:
    @pytest.mark.parametrize(
        "hindered", ["commonplace.formats.canon.FileCanon._copied", "commonplace.engine.backup._proved"]
    )
    def test_one_that_cannot_be_proved_is_not_left_behind(
        self, tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch, hindered: str
    ) -> None:
        """Row 14: no room for the copy's catalog. Else the same backup would be refused once there is room."""
        self._hindered(tmp_path, scheme, monkeypatch, hindered)

    def test_nor_is_one_of_a_single_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._hindered(tmp_path, "sqlite", monkeypatch, "commonplace.engine.backup._proved")

    def _hindered(self, tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch, hindered: str) -> None:
        with opened(tmp_path, scheme) as book:
            book.save("The gate opens at seven.", type="project", scope="global")
            with monkeypatch.context() as full:
                full.setattr(hindered, _no_room)
                with pytest.raises(UnavailableError):
                    book.backup(tmp_path / "copy")
            assert [*tmp_path.glob("copy*")] == []
            assert book.backup(tmp_path / "copy").verified

    def test_one_leaves_no_catalog_of_its_own(self, tmp_path: Path, scheme: str) -> None:
        with opened(tmp_path, scheme) as book:
            book.save("The gate opens at seven.", type="project", scope="global")
            before = [*(tmp_path / "cache").rglob("catalog.sqlite")]
            book.backup(tmp_path / "copy")
            assert [*(tmp_path / "cache").rglob("catalog.sqlite")] == before


def test_a_catalog_of_an_older_format_is_brought_forward_and_no_copy_of_it_is_left(tmp_path: Path, scheme: str) -> None:
    """R12: what is derived needs no copy, and a copy would still hold what is purged later."""
    furnished(tmp_path, scheme)
    [catalog] = (tmp_path / "cache").rglob("catalog.sqlite")
    with closing(apsw.Connection(str(catalog))) as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION - 1}").fetchall()
    with opened(tmp_path, scheme) as book:
        assert [one.record.content for one in book.search("xylophonecanary")] == ["The xylophonecanary sings."]
    with closing(apsw.Connection(str(catalog))) as db:
        assert db.pragma("user_version") == schema.VERSION
    assert [*(tmp_path / "cache").rglob("*backup*")] == []


def _no_room(*_: object) -> None:
    raise UnavailableError("the disk is full; nothing was changed", code="disk_full")


@pytest.mark.parametrize("scheme", ["jsonl", "ledger"])  # a vault appends nothing: its notes are staged
def test_what_will_be_appended_has_its_room_before_the_journal_says_it(
    tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 14, R7: behind the commit point nothing may fail, or the book could not be read until there is room again."""
    real = os.statvfs

    def nearly_full(folder: str) -> object:
        inside = str(folder).startswith(str(tmp_path / "book"))
        return SimpleNamespace(f_blocks=1_000, f_bavail=9, f_frsize=4096) if inside else real(folder)

    with opened(tmp_path, scheme) as book:
        id = book.save("The gate opens at seven.", type="project", scope="global").id
        before = (tmp_path / "book" / "memories.jsonl", tmp_path / "book" / "ledger.jsonl")
        sizes = [path.stat().st_size if path.exists() else 0 for path in before]
        with monkeypatch.context() as full:
            full.setattr("commonplace.storage.room.os.statvfs", nearly_full)
            with pytest.raises(UnavailableError) as refused:
                book.save("A" * 4_000, type="project", scope="global")
            assert refused.value.code == "disk_full"
            assert [record.id for record in book.list()] == [id]
        assert [path.stat().st_size if path.exists() else 0 for path in before] == sizes
        book.save("A" * 4_000, type="project", scope="global")
        assert book.verify().ok


class TestWhatIsRemoved:
    """R3, row 47: a note that goes elsewhere is removed from where it was, and somebody may be writing to it just then."""

    TEXT = b"The gate opens at seven.\n"

    def _removing(self, tmp_path: Path) -> tuple[Path, Files, Intent]:
        note = tmp_path / "n.md"
        note.write_bytes(self.TEXT)
        files = Files(str(tmp_path))
        (intent,) = files.stage([Remove("n.md", sha256(self.TEXT).digest())])
        return note, files, intent

    def test_who_opened_it_before_and_writes_after_loses_nothing(self, tmp_path: Path) -> None:
        note, files, intent = self._removing(tmp_path)
        opened = note.open("ab", buffering=0)

        def write_late() -> None:
            while note.exists():
                time.sleep(0.0002)
            opened.write(b"And closes at nine.\n")
            opened.close()

        theirs = threading.Thread(target=write_late)
        theirs.start()
        assert files.carry_out([intent]) == [intent], "theirs was in the way"
        theirs.join()
        assert note.read_bytes() == self.TEXT + b"And closes at nine.\n"
        assert [path.name for path in tmp_path.iterdir()] == ["n.md"]

    @pytest.mark.parametrize("written", [b"", b"And closes at nine.\n"])
    def test_who_was_cut_off_in_the_middle_of_it_is_followed_up(self, tmp_path: Path, written: bytes) -> None:
        note, files, intent = self._removing(tmp_path)
        note.rename(tmp_path / str(intent.staged))
        with (tmp_path / str(intent.staged)).open("ab") as file:
            file.write(written)
        assert files.finish([intent]) == (["n.md"] if written else [])
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == (
            {"n.md": self.TEXT + written} if written else {}
        )
