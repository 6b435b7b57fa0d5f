"""Keeping the book: stats, doctor, backup, threads, and closing."""

from __future__ import annotations

import threading

import apsw
import pytest

import commonplace
from commonplace.errors import CommonplaceError, ConflictError, LockedError


class TestStats:
    def test_they_count_what_there_is(self, book, agent):
        one, two = book.save("One.", type="episode"), book.save("Two.", type="artifact")
        agent.save("Alice likes tea.", type="profile")
        book.link(one.id, two.id)
        book.contradict(one.id, two.id)
        book.archive(one.id)
        stats = book.stats()
        assert (stats.memories, stats.links, stats.conflicts, stats.operations) == (3, 3, 1, 6)
        assert stats.by_status == {"active": 1, "archived": 1, "inbox": 1}
        assert stats.by_type == {"artifact": 1, "episode": 1, "profile": 1}
        assert stats.bytes > 0
        assert (stats.book_id, stats.url) == (book.id, book.url)

    def test_an_empty_book_has_nothing(self, book):
        stats = book.stats()
        assert (stats.memories, stats.by_status, stats.operations) == (0, {}, 0)


class TestDoctor:
    def test_a_healthy_book_has_no_findings(self, book):
        book.save("One.", type="episode")
        for full in (False, True):
            assert (book.doctor(full=full).ok, book.doctor(full=full).findings) == (True, ())

    def test_full_says_how_much_it_read(self, book):
        for n in range(3):
            book.save(f"Number {n}.", type="episode")
        checked = book.doctor(full=True).checked
        assert (checked["memories"], checked["entries"]) == (3, 3)

    def test_a_damaged_index_is_found_loses_nothing_and_is_made_anew(self, open_book, path):
        """Row 39."""
        with open_book() as book:
            saved = book.save("A falcon.", type="episode")
            book._scribe.canon.settle(5)
        db = apsw.Connection(str(path))
        db.execute("DELETE FROM memories_fts_data WHERE id > 10").fetchall()
        db.close()
        book = open_book()
        assert book.get(saved.id) == saved
        (finding,) = book.doctor(full=True).findings
        assert (finding.code, finding.severity, "--repair" in finding.hint) == ("index_damaged", "warning", True)
        assert book.doctor(full=True, repair=True).findings == ()
        assert [result.record for result in book.search("falcon")] == [saved]

    def test_it_tells_of_tampering(self, open_book, path):
        with open_book() as book:
            book.save("One.", type="episode")
        db = apsw.Connection(str(path))
        db.execute("UPDATE memories SET title = 'forged'").fetchall()
        db.close()
        examined = open_book().doctor(full=True)
        assert not examined.ok
        assert "differs_from_journal" in [finding.code for finding in examined.findings]

    def test_it_does_not_repair_memories(self, open_book, path, everything):
        book = open_book()
        book.save("One.", type="episode")
        before = everything(book)
        book.doctor(full=True, repair=True)
        assert everything(book) == before

    def test_a_book_in_a_synced_folder_is_warned_of(self, open_book, tmp_path):
        """Row 53."""
        book = open_book(at=tmp_path / "Dropbox" / "book.sqlite")
        assert [finding.code for finding in book.doctor().findings] == ["synced_folder"]

    def test_progress_is_told_to_the_end(self, book):
        book.save("One.", type="episode")
        told = []
        book.doctor(full=True, progress=lambda done, total: told.append((done, total)))
        assert told
        assert told[-1][0] == told[-1][1]


class TestBackup:
    def test_a_copy_is_the_whole_book(self, book, open_book, tmp_path, everything):
        one = book.save("One.", type="episode", aliases=["m-1"])
        book.purge(book.save("Gone.", type="episode").id)
        book.archive(one.id)
        report = book.backup(str(tmp_path / "copy.sqlite"))
        assert (report.verified, report.memories, report.operations) == (True, 1, 4)
        assert report.bytes == (tmp_path / "copy.sqlite").stat().st_size
        copy = open_book(at=tmp_path / "copy.sqlite")
        assert everything(copy) == everything(book)
        assert copy.save("Two.", type="episode").status == "active"

    def test_an_existing_file_is_never_replaced(self, book, tmp_path):
        (tmp_path / "copy.sqlite").write_bytes(b"precious")
        with pytest.raises(ConflictError):
            book.backup(str(tmp_path / "copy.sqlite"))
        assert (tmp_path / "copy.sqlite").read_bytes() == b"precious"

    def test_a_place_that_cannot_be_written_is_said_and_nothing_is_left(self, book, tmp_path):
        before = {*tmp_path.iterdir()}
        with pytest.raises(CommonplaceError) as refused:
            book.backup(str(tmp_path / "nowhere" / "copy.sqlite"))
        assert refused.value.hint
        assert {*tmp_path.iterdir()} == before

    def test_it_is_made_while_others_write(self, book, open_book, tmp_path):
        for n in range(50):
            book.save(f"Number {n}.", type="episode")
        writer = open_book("bob")
        stop, errors = threading.Event(), []

        def write():
            try:
                while not stop.is_set():
                    writer.save(f"{threading.get_ident()} {writer.stats().operations}", type="episode")
            except CommonplaceError as error:
                errors.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        reports = [book.backup(str(tmp_path / f"copy{n}.sqlite")) for n in range(3)]
        stop.set()
        thread.join()
        assert errors == []
        assert all(report.verified for report in reports)
        assert open_book(at=tmp_path / "copy2.sqlite").verify().ok

    def test_a_tampered_book_gives_no_backup_that_claims_to_be_verified(self, open_book, path, tmp_path):
        """Row 133."""
        with open_book() as book:
            book.save("One.", type="episode")
        db = apsw.Connection(str(path))
        db.execute("UPDATE journal SET actor = 'mallory'").fetchall()
        db.close()
        with pytest.raises(CommonplaceError) as refused:
            open_book().backup(str(tmp_path / "copy.sqlite"))
        assert refused.value.kind == "corrupt"


class TestThreads:
    def test_threads_share_a_book_and_nothing_is_lost(self, book):
        """Row 57, small: order within each writer is kept."""
        errors = []

        def write(name):
            try:
                for n in range(20):
                    book.save(f"{name} {n}", type="episode", tags=[name])
                    book.list(tags=name)
            except CommonplaceError as error:
                errors.append(error)

        threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert book.stats().memories == 120
        for n in range(6):
            saved = [op.changes[-1].after["content"] for op in book.journal() if f"t{n} " in str(op.changes[-1].after)]
            assert saved == [f"t{n} {k}" for k in range(20)]
        assert book.verify().ok

    def test_one_of_many_equal_saves_makes_it_and_the_others_count(self, book):
        barrier = threading.Barrier(8)

        def say():
            barrier.wait()
            book.save("The same thing.", type="episode")

        threads = [threading.Thread(target=say) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (record,) = book.list()
        assert record.occurrences == 8

    def test_forgetting_and_evolving_at_once_end_in_one_order(self, book):
        """Row 74: no resurrection, and the history shows what happened."""
        for n in range(10):
            saved = book.save(f"Fact {n}.", type="episode")
            answers = []

            def ask(verb, saved=saved, n=n, answers=answers):
                try:
                    if verb == "forget":
                        book.forget(saved.id, expect=saved.fingerprint)
                    else:
                        book.evolve(saved.id, f"New {n}.", reason="r")
                    answers.append(verb)
                except CommonplaceError as error:
                    answers.append(error.kind)

            threads = [threading.Thread(target=ask, args=(verb,)) for verb in ("forget", "evolve")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            verbs = [op.verb for op in book.history(saved.id)][1:]
            assert (verbs, sorted(answers)) in (
                (["forget"], ["conflict", "forget"]),
                (["evolve", "forget"], ["evolve", "forget"]),
            )
            assert book.get(saved.id).status == "deleted"

    def test_a_writer_that_waits_too_long_is_told_it_is_locked_and_may_retry(self, book, open_book):
        impatient = open_book("bob", timeout=0.1)
        with book._scribe.canon.writing(5), pytest.raises(LockedError) as refused:
            impatient.save("One.", type="episode")
        assert (refused.value.kind, refused.value.retryable) == ("locked", True)
        assert impatient.save("One.", type="episode").status == "active"

    def test_readers_never_wait_for_a_writer(self, book, open_book):
        saved = book.save("One.", type="episode")
        reader = open_book("bob", timeout=0.1)
        with book._scribe.canon.writing(5):
            assert reader.get(saved.id) == saved


class TestClosing:
    def test_twice_is_once(self, book):
        book.save("One.", type="episode")
        book.close()
        book.close()

    def test_what_was_saved_is_there_after_reopening(self, open_book, everything):
        """R1."""
        with open_book() as book:
            book.save("One.", type="episode")
            before = everything(book)
        assert everything(open_book()) == before

    def test_a_book_says_what_it_is(self, book, path):
        assert repr(book) == f"<Book sqlite:{path} as alice>"
        assert (book.actor, book.trust, book.url) == ("alice", "operator", f"sqlite:{path}")


def test_every_error_has_one_json_form(book):
    """R7."""
    with pytest.raises(CommonplaceError) as refused:
        book.get("nobody")
    told = refused.value.to_dict()["error"]
    assert told["kind"] == "not_found"
    assert told["where"] == "nobody"
    assert {"kind", "message", "retryable", "hint", "where"} == told.keys()


def test_an_examination_is_true_when_all_is_well_and_lists_what_is_not(book, path):
    book.save("One.", type="episode")
    assert book.verify()
    assert [*book.verify()] == []
    book.close()
    db = apsw.Connection(str(path))
    db.execute("UPDATE memories SET title = 'forged'").fetchall()
    db.close()
    with commonplace.open(f"sqlite:{path}") as tampered:
        found = tampered.verify()
        assert not found
        assert [*found] == [*found.findings] != []


def test_a_change_inside_a_change_is_refused_and_the_outer_one_stays_whole(book, open_book, tmp_path):
    """A progress callback that writes would tear the import it watches."""
    book.save("One.", type="episode")
    book.export(str(tmp_path / "x.jsonl"))
    with commonplace.open(f"sqlite:{tmp_path / 'other.sqlite'}") as other:
        with pytest.raises(commonplace.CommonplaceError) as refused:
            other.import_(str(tmp_path / "x.jsonl"), progress=lambda *_: other.save("Nested.", type="episode"))
        assert refused.value.kind == "conflict"
        assert other.list() == []
        assert other.save("After.", type="episode").status == "active"
        assert other.verify().ok
