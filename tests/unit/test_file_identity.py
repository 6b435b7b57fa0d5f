"""The book's file: how it comes to be, how it is known, how it grows, and what is refused and left as it is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading

import apsw
import pytest

from commonplace.catalog.sqlite import migrations, schema
from commonplace.catalog.sqlite.driver import refuse_unsafe_driver
from commonplace.errors import CommonplaceError, CorruptError, InvalidError, UnavailableError
from commonplace.testing.state import files_under


def bytes_of(folder):
    return {name: raw for name, raw in files_under(folder).items() if not name.endswith((".lock", "-shm"))}


def raw(path, *statements):
    db = apsw.Connection(str(path))
    for statement in statements:
        db.execute(statement).fetchall()
    db.close()


class TestWhatIsRefusedIsLeftUntouched:
    """R4, rows 11 and 37."""

    FOREIGN = {
        "empty": b"",
        "garbage": b"this is not a database, it is a letter to my aunt " * 100,
        "header only": b"SQLite format 3\x00",
        "half a header": b"SQLite",
    }

    @pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
    def test_a_file_that_is_no_database(self, open_book, path, tmp_path, content):
        path.write_bytes(content)
        before = bytes_of(tmp_path)
        with pytest.raises(CorruptError) as refused:
            open_book()
        assert refused.value.hint
        assert bytes_of(tmp_path) == before

    def test_another_programs_database(self, open_book, path, tmp_path):
        raw(path, "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('dear diary')")
        before = bytes_of(tmp_path)
        with pytest.raises(UnavailableError) as refused:
            open_book()
        assert (refused.value.code, bool(refused.value.hint)) == ("foreign", True)
        assert bytes_of(tmp_path) == before

    @pytest.mark.parametrize("version", [schema.VERSION + 1, 1_000])
    def test_a_book_of_a_later_version(self, open_book, path, tmp_path, version):
        with open_book() as book:
            book.save("One.", type="episode")
        raw(path, f"PRAGMA user_version = {version}")
        before = bytes_of(tmp_path)
        for _ in range(2):
            with pytest.raises(UnavailableError) as refused:
                open_book()
            assert (refused.value.code, str(version) in str(refused.value)) == ("newer", True)
        assert bytes_of(tmp_path) == before

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
    def test_something_that_is_no_file(self, open_book, path, make):
        """R6: not even a pipe makes it wait for ever."""
        make(path)
        with pytest.raises(CommonplaceError):
            open_book()

    def test_a_book_that_was_there_and_is_gone_is_not_begun_anew(self, open_book, path):
        """R4: no amnesia."""
        with open_book() as book:
            book.save("One.", type="episode")
        path.unlink()
        with pytest.raises(UnavailableError) as refused:
            open_book()
        assert (refused.value.code, bool(refused.value.hint)) == ("missing", True)
        assert not path.exists()

    def test_a_book_that_is_not_to_be_created_is_not(self, open_book, path, tmp_path):
        with pytest.raises(UnavailableError):
            open_book(create=False)
        assert not path.exists()

    def test_a_path_with_a_nul_is_refused(self, open_book):
        with pytest.raises(InvalidError):
            open_book(at="a\x00b")

    def test_a_book_replaced_while_open_is_not_written_to(self, open_book, path, tmp_path):
        """Row 26."""
        book = open_book()
        book.save("One.", type="episode")
        other = open_book(at=tmp_path / "other.sqlite")
        other.close()
        os.replace(tmp_path / "other.sqlite", path)
        with pytest.raises(UnavailableError) as refused:
            book.save("Two.", type="episode")
        assert refused.value.code == "missing"

    def test_nor_is_what_was_there_before_read_on(self, open_book, path, tmp_path):
        """A backup that was put in its place is another book: who goes on reading the old one reads what nobody can see."""
        book = open_book()
        one = book.save("One.", type="episode")
        book.backup(str(tmp_path / "backup.sqlite"))
        book.save("Two.", type="episode")
        os.replace(tmp_path / "backup.sqlite", path)
        with pytest.raises(UnavailableError) as refused:
            book.get(one.id)
        assert refused.value.code == "missing"


def test_threads_that_have_ended_leave_no_open_files(book):
    book.save("One.", type="episode")

    def look() -> None:
        book.list()

    def files() -> int:
        return len(os.listdir("/proc/self/fd"))

    for _ in range(3):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    before = files()
    for _ in range(20):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert files() <= before


class TestTheFilesModes:
    @pytest.fixture(autouse=True)
    def a_careless_umask(self):
        before = os.umask(0)
        yield
        os.umask(before)

    def test_every_file_is_the_users_alone(self, open_book, tmp_path):
        book = open_book(at=tmp_path / "new" / "book.sqlite")
        book.save("One.", type="episode")
        book.backup(str(tmp_path / "backup.sqlite"))
        book.export(str(tmp_path / "export.jsonl"))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.rglob("*") if file.is_file()}
        assert {"book.sqlite", "book.sqlite-wal", "book.sqlite.lock", "backup.sqlite", "export.jsonl"} <= modes.keys()
        assert {name for name, mode in modes.items() if mode != 0o600} == set()
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700

    def test_the_doctor_sees_a_book_that_others_can_read(self, open_book, path):
        book = open_book()
        path.chmod(0o644)
        (finding,) = book.doctor().findings
        assert (finding.code, finding.severity) == ("readable_by_others", "warning")


class TestTheDriver:
    """Finding 0.1.1, row 139: a driver with the WAL-reset bug is refused at open."""

    @pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.44.5", "3.45.0", "3.50.6", "3.51.0", "3.51.2"])
    def test_an_unsafe_one_is_refused_with_the_cure(self, version):
        with pytest.raises(UnavailableError) as refused:
            refuse_unsafe_driver(version)
        assert (refused.value.code, "apsw" in refused.value.hint) == ("unsafe_driver", True)

    @pytest.mark.parametrize("version", ["3.44.6", "3.50.7", "3.51.3", "3.52.0", "3.54.1", "4.0.0"])
    def test_a_safe_one_is_taken(self, version):
        refuse_unsafe_driver(version)

    def test_the_one_in_use_is_safe_and_every_promise_is_switched_on(self, book):
        refuse_unsafe_driver()
        db = book._scribe.canon._connections.get()
        assert (db.pragma("journal_mode"), db.pragma("synchronous"), db.pragma("secure_delete")) == ("wal", 2, 1)
        assert (db.pragma("trusted_schema"), db.pragma("application_id")) == (0, schema.APPLICATION_ID)

    def test_another_sqlite_in_the_process_is_a_finding(self, tmp_path):
        """Row 63: two copies in one process drop each other's locks."""
        story = f"""
import _sqlite3, commonplace
with commonplace.open("sqlite:{tmp_path}/b.sqlite") as book:
    assert [finding.code for finding in book.doctor()] == ["second_driver"]
"""
        done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def test_no_other_sqlite_is_loaded_by_any_verb(self, tmp_path):
        """Finding 0.1.2: never two SQLite copies in one process."""
        story = f"""
import sys, commonplace
with commonplace.open("sqlite:{tmp_path}/b.sqlite", actor="alice") as book:
    a = book.save("One.", type="episode", idempotency_key="k")
    b = book.evolve(a.id, "Two.", reason="r")
    c = book.save("We use SQLite.", type="decision")
    book.link(a.id, c.id, "supports"); book.unlink(a.id, c.id, "supports"); book.contradict(b.id, c.id)
    book.archive(b.id); book.restore(b.id); book.confirm(c.id, rationale="r"); book.forget(b.id)
    d = book.save("We use tea.", type="decision"); book.reject(d.id)
    book.revert(book.journal()[-1]); book.get(a.id, as_of=book.journal()[0].at); book.list(); book.search("one")
    book.explain(a.id); book.history(a.id); book.stats(); book.scan(); book.doctor(full=True, repair=True)
    book.backup("{tmp_path}/backup.sqlite"); book.export("{tmp_path}/x.jsonl"); book.import_("{tmp_path}/x.jsonl")
    book.purge(a.id); assert book.verify().ok
assert not [name for name in sys.modules if name in ("sqlite3", "_sqlite3", "pysqlite3", "libsql")]
"""
        done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


class TestGrowing:
    """Migrations: a copy first, then all or nothing; a book of this version opens in all later ones."""

    @pytest.fixture
    def old(self, open_book, path):
        with open_book() as book:
            return book.save("One.", type="episode")

    @pytest.fixture
    def later(self, monkeypatch):
        """Pretend that this release knows one version more."""

        def release(sql):
            monkeypatch.setattr(schema, "MIGRATIONS", {**schema.MIGRATIONS, schema.VERSION + 1: sql})
            monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
            monkeypatch.setattr(migrations, "VERSION", schema.VERSION, raising=False)

        return release

    def test_an_older_book_is_copied_and_then_brought_forward(self, open_book, path, tmp_path, old, later):
        was = schema.VERSION
        later("CREATE TABLE news (text); INSERT INTO news VALUES ('fresh')")
        book = open_book()
        assert book.get(old.id) == old
        assert book.stats().format_version == was + 1
        assert book.verify().ok
        (copy,) = tmp_path.glob(f"book.sqlite.backup-v{was}-*")
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        db = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
        assert (db.pragma("user_version"), db.execute("SELECT content FROM memories").get) == (was, "One.")
        db.close()

    def test_it_happens_once(self, open_book, tmp_path, old, later):
        later("CREATE TABLE news (text)")
        open_book().close()
        open_book().close()
        assert len([*tmp_path.glob("*.backup-v*")]) == 1

    def test_a_step_that_fails_changes_nothing(self, open_book, path, tmp_path, old, later, monkeypatch):
        was = schema.VERSION
        with monkeypatch.context():
            later("CREATE TABLE news (text); DELETE FROM memories; INSERT INTO nowhere VALUES (1)")
            with pytest.raises(CommonplaceError):
                open_book()
        db = apsw.Connection(str(path))
        assert db.pragma("user_version") == was
        assert db.execute("SELECT count(*) FROM memories").get == 1
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'news'").get == 0
        db.close()

    def test_a_new_book_of_the_later_version_has_both(self, open_book, later):
        later("CREATE TABLE news (text)")
        book = open_book()
        assert book.stats().format_version == schema.VERSION
        assert book.save("One.", type="episode").status == "active"

    def test_a_book_of_this_version_is_not_copied(self, open_book, tmp_path, old):
        open_book().close()
        assert [*tmp_path.glob("*.backup-v*")] == []


def test_a_book_is_known_by_its_own_id_wherever_it_lies(open_book, path, tmp_path):
    with open_book() as book:
        book.save("One.", type="episode")
        id = book.id
        book.backup(str(tmp_path / "copy.sqlite"))
    assert open_book(at=tmp_path / "copy.sqlite").id == open_book().id == id
    assert open_book(at=tmp_path / "other.sqlite").id != id


@pytest.mark.parametrize("name", ["a b.sqlite", "a%20b.sqlite", "a?b.sqlite", "a#b.sqlite", "ü☃.sqlite", "-x", "a;b'c"])
def test_a_book_may_have_any_name(open_book, tmp_path, name):
    with open_book(at=tmp_path / name) as book:
        book.save("One.", type="episode")
    assert (tmp_path / name).exists()
    assert [record.content for record in open_book(at=tmp_path / name).list()] == ["One."]
    assert {file.name for file in tmp_path.iterdir()} <= {name, name + "-wal", name + "-shm", name + ".lock"}


def test_a_symlink_is_followed_to_the_one_book(open_book, path, tmp_path):
    """Two names, one queue of writers."""
    open_book().save("One.", type="episode")
    (tmp_path / "link.sqlite").symlink_to(path)
    linked = open_book(at=tmp_path / "link.sqlite")
    linked.save("Two.", type="episode")
    assert linked.url == open_book().url
    assert not (tmp_path / "link.sqlite.lock").exists()
