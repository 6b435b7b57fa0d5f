"""A ledger as a book: people and other runtimes write there too, and whatever they do is seen, honoured and not lost."""

from __future__ import annotations

import json
import os

import pytest

import commonplace


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def opened(folder, **options):
    return commonplace.open(f"ledger:{folder}", **options)


def written(path, text):
    """Written by somebody else, and long enough ago to be finished."""
    path.write_text(text)
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 10**10))


def lines(folder):
    return [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]


class TestOtherHands:
    def test_a_digest_written_by_hand_is_an_edit_in_the_journal(self, folder):
        """V19, X-2: and keeps whose it is."""
        with opened(folder) as book:
            (page,) = book.retain(digest="One.", project_id="atlas")
        written(folder / "digest.md", "By hand.\n")
        with opened(folder) as book:
            assert book.get(page.id).content == "By hand.\n"
            assert book.get(page.id).project_id == "atlas"
            last = book.history(page.id)[-1]
            assert (last.verb, last.actor) == ("edit", "operator")
            assert book.verify()

    def test_the_digest_answers_to_its_files_name(self, folder):
        with opened(folder) as book:
            book.retain(digest="One.")
            assert book.get("digest.md").content == "One."

    def test_lines_that_another_runtime_appends_become_memories(self, folder):
        with opened(folder) as book:
            book.retain(["W ours."])
            with (folder / "ledger.jsonl").open("a") as file:
                file.write('{"ts": "2026-11-15T12:00:00Z", "retain": ["O(c=0.7) @Ann: theirs."], "run": 7}\n')
            (theirs, ours) = sorted(book.list(), key=lambda record: record.content)
            assert (theirs.kind, theirs.confidence, theirs.tags) == ("opinion", 0.7, ("ann",))
            assert ours.content == "W ours."

    def test_a_repetition_by_another_runtime_is_no_second_memory(self, folder):
        with opened(folder) as book:
            book.retain(["W ours."])
            with (folder / "ledger.jsonl").open("a") as file:
                file.write('{"ts": "2026-11-15T12:00:00Z", "retain": ["W ours."]}\n')
            assert len(book.list()) == 1

    def test_a_past_line_that_was_changed_is_named_and_reads_go_on(self, folder):
        """Row 42."""
        with opened(folder) as book:
            (record,) = book.retain(["W the port is 8080."])
            book.retain(["W other."])
        path = folder / "ledger.jsonl"
        written(path, path.read_text().replace("8080", "9090"))
        with opened(folder) as book:
            assert book.get(record.id).content == "W the port is 9090."
            last = book.history(record.id)[-1]
            assert (last.verb, last.actor, last.reason) == ("edit", "operator", "edited in ledger.jsonl")
            assert book.get(record.id).created_at == record.created_at
            assert len(book.list()) == 2

    def test_reading_changes_no_byte(self, folder):
        """A ledger that others keep may be looked at."""
        folder.mkdir()
        written(folder / "digest.md", "Theirs.\n")
        written(folder / "ledger.jsonl", 'garbage\n{"retain": ["W theirs."]}\n{"torn')
        with opened(folder) as book:
            assert {record.content for record in book.list()} == {"Theirs.\n", "W theirs."}
        assert sorted(path.name for path in folder.iterdir()) == ["digest.md", "ledger.jsonl"]
        assert (folder / "ledger.jsonl").read_text() == 'garbage\n{"retain": ["W theirs."]}\n{"torn'

    def test_a_ledger_in_pieces_is_read_whole(self, folder):
        """V18."""
        folder.mkdir()
        written(folder / "ledger-2026-10.jsonl", '{"retain": ["W old."]}\n')
        written(folder / "ledger.jsonl", '{"retain": ["W new."]}\n')
        with opened(folder) as book:
            assert {record.content for record in book.list()} == {"W old.", "W new."}
            book.retain(["W newest."])
        assert (folder / "ledger-2026-10.jsonl").read_text() == '{"retain": ["W old."]}\n'

    @pytest.mark.parametrize("left", [None, "", '{"retain": ["W newest."]}\n'])
    def test_a_ledger_that_is_cut_into_pieces_keeps_its_memories(self, folder, left):
        """V18: they are moved, not lost and not doubled, whatever is left behind."""
        with opened(folder) as book:
            ours = book.retain(["W ours.", "W ours too."])
        with (folder / "ledger.jsonl").open("a") as file:
            file.write('{"ts": "2026-11-15T12:00:00Z", "retain": ["W theirs."]}\n')
        with opened(folder) as book:
            before = {record.id: record.content for record in book.list()}
        (folder / "ledger.jsonl").rename(folder / "ledger-2026-11.jsonl")
        if left is not None:
            written(folder / "ledger.jsonl", left)
        with opened(folder) as book:
            now = {record.id: record.content for record in book.list()}
            assert before.items() <= now.items()
            assert len(now) == 3 + bool(left)
            book.purge(ours[0].id)
            book.retain(["W after."])
            assert book.verify()
        assert 'W ours."' not in (folder / "ledger-2026-11.jsonl").read_text()

    def test_a_torn_tail_is_kept_and_written_behind(self, folder):
        """Row 27."""
        folder.mkdir()
        written(folder / "ledger.jsonl", '{"retain": ["W one."]}\n{"ts": "2026-1')
        with opened(folder) as book:
            book.retain(["W two."])
        raw = (folder / "ledger.jsonl").read_text()
        assert raw.startswith('{"retain": ["W one."]}\n{"ts": "2026-1\n{"ts": ')
        with opened(folder) as book:
            assert {record.content for record in book.list()} == {"W one.", "W two."}

    def test_a_line_that_cannot_be_read_is_named_with_its_number(self, folder):
        """Rows 27-29."""
        folder.mkdir()
        written(folder / "ledger.jsonl", '{"retain": ["W one."]}\ngarbage\n{"retain": ["W two."]}\n{"torn')
        with opened(folder) as book:
            assert len(book.list()) == 2
            said = {finding.where: finding.message for finding in book.doctor()}
        assert said == {"ledger.jsonl:2": "not JSON: line 1, column 1", "ledger.jsonl:4": "torn off"}


class TestAPageThatWasCutToNothing:
    def test_it_is_rebuilt_identically_and_said(self, folder):
        """Row 41."""
        with opened(folder) as book:
            (page,) = book.retain(digest="Keep this.\n")
        written(folder / "digest.md", "")
        with opened(folder) as book:
            assert book.get(page.id).content == "Keep this.\n"
            assert book.get(page.id).status == "active"
            assert [finding.where for finding in book.doctor()] == ["digest.md"]
        assert (folder / "digest.md").read_bytes() == b"Keep this.\n"

    def test_who_forgets_it_is_believed(self, folder):
        with opened(folder) as book:
            (page,) = book.retain(digest="Old.")
            book.forget(page.id)
        assert (folder / "digest.md").read_bytes() == b""
        with opened(folder) as book:
            assert book.list() == []

    def test_who_leaves_a_blank_line_means_it(self, folder):
        """V19: an editor leaves a line end, a lost file leaves nothing."""
        with opened(folder) as book:
            (page,) = book.retain(digest="Old.\n")
        written(folder / "digest.md", "\n")
        with opened(folder) as book:
            assert book.list() == []
            assert book.get(page.id).status == "deleted"

    def test_a_persons_own_page_that_lost_its_bytes_is_not_forgotten(self, folder):
        """R4: no line of the ledger can rebuild the file, but an empty file is no deletion."""
        folder.mkdir()
        written(folder / "digest.md", "Mine.\n")
        with opened(folder) as book:
            assert len(book.list()) == 1
        written(folder / "digest.md", "")
        with opened(folder) as book:
            assert [record.content for record in book.list()] == ["Mine.\n"]
        assert (folder / "digest.md").read_bytes() == b""


class TestOnlyAPurgeRewrites:
    def test_whatever_else_is_done_the_ledger_only_grows(self, folder):
        """V1: append-only."""
        seen = b""
        with opened(folder, actor="alice") as book:
            one, two = book.retain(["W one.", "W two."])
            page = book.retain(digest="D")[0]
            for step in (
                lambda: book.archive(one.id),
                lambda: book.restore(one.id),
                lambda: book.forget(two.id),
                lambda: book.evolve(one.id, "W one, newer.", reason="news"),
                lambda: book.link(one.id, page.id, "related_to"),
                lambda: book.retain(["W three."], digest="E"),
                lambda: book.evolve(page.id, "F", reason="shorter"),
            ):
                step()
                now = (folder / "ledger.jsonl").read_bytes()
                assert now.startswith(seen)
                seen = now
        assert (folder / "digest.md").read_text() == "F"
        assert [line["digest"] for line in lines(folder) if "digest" in line] == ["D", "E", "F"]

    def test_a_purge_leaves_no_trace_in_any_file(self, folder, tmp_path):
        """X-3: one operator-only verb, because append-only would keep a secret for ever."""
        with opened(folder, actor="alice") as book:
            page = book.retain(["W the launch code."], digest="Has the launch code.")[0]
            book.retain(digest="Still has the launch code, newer.")
            fact = book.list(kinds="fact")[0]
            book.retain(["W stays."])
            book.purge(fact.id)
            book.purge(page.id)
            assert [record.content for record in book.list()] == ["W stays."]
            assert book.verify()
        for path in tmp_path.rglob("*"):
            assert not path.is_file() or b"launch code" not in path.read_bytes(), path

    def test_a_digest_that_waited_and_is_let_in_takes_the_page_and_stays_one_memory(self, folder, tmp_path):
        """Row 47, from the inbox to the page; whatever others append afterwards."""
        with opened(folder, actor="alice") as book:
            (first,) = book.retain(digest="Hers.")
            (waiting,) = book.retain(digest="The agent's.", expect="")
            book.confirm(waiting.id)
            book.archive(first.id)
        assert (folder / "digest.md").read_text() == "The agent's."
        with (folder / "ledger.jsonl").open("a") as file:
            file.write('{"ts": "2026-11-15T12:00:00Z", "retain": ["W theirs."]}\n')
        with opened(folder, actor="alice") as book:
            assert {record.content for record in book.list(statuses="all")} == {"Hers.", "The agent's.", "W theirs."}
            book.purge(waiting.id)
        for path in tmp_path.rglob("*"):
            assert not path.is_file() or b"The agent's." not in path.read_bytes(), path

    def test_a_change_of_the_digest_that_is_reverted_is_a_line_too(self, folder):
        with opened(folder) as book:
            book.retain(digest="One.")
            book.retain(digest="Two.")
            book.revert(book.journal()[-1].id)
        assert (folder / "digest.md").read_text() == "One."
        assert [line["digest"] for line in lines(folder)] == ["One.", "Two.", "One."]

    def test_an_inbox_memory_is_retained_when_a_person_lets_it_in(self, folder):
        with opened(folder, actor="external:web") as book:
            (waiting,) = book.retain(["W perhaps."])
        assert "retain" not in lines(folder)[-1]
        with opened(folder, actor="alice") as book:
            book.confirm(waiting.id)
        assert lines(folder)[-1]["retain"] == ["W perhaps."]


class TestTheCatalogIsDerived:
    def test_without_it_and_without_the_journal_the_files_alone_tell_what_was_retained(self, folder, tmp_path):
        """V16: the portable minimum."""
        import shutil

        with opened(folder) as book:
            _, fact = book.retain(["O(c=0.9) @Ann: likes tea."], digest="D\n")
        shutil.rmtree(tmp_path / "cache")
        shutil.rmtree(folder / ".commonplace")
        with opened(folder) as book:
            again = book.get(fact.id)
            assert (again.content, again.confidence, again.tags) == (fact.content, 0.9, ("ann",))
            assert book.get("digest.md").content == "D\n"


class TestCutOff:
    """Row 6: a crash at each step of a change."""

    CHILD = """
import os, sys
import commonplace
from commonplace.formats.steps import Files
done, left = Files._done, int(sys.argv[2])
def step(self, intent):
    global left
    if left == 0:
        os._exit(9)
    left -= 1
    return done(self, intent)
book = commonplace.open(f"ledger:{sys.argv[1]}")
Files._done = step
book.retain(["W two."], digest="Two.\\n")
book.close()
"""

    @pytest.mark.parametrize("steps", [0, 1, 2])
    def test_a_digest_is_never_there_without_its_line_and_the_next_one_finishes(self, folder, steps):
        import subprocess
        import sys

        with opened(folder) as book:
            book.retain(["W one."], digest="One.\n")
        done = subprocess.run([sys.executable, "-c", self.CHILD, str(folder), str(steps)], check=False)
        assert done.returncode == (9 if steps < 2 else 0), "it was cut off where it should be"
        told = [line["digest"] for line in lines(folder)]
        assert (folder / "digest.md").read_text() in told
        with opened(folder) as book:
            assert {record.content for record in book.list()} == {"Two.\n", "W one.", "W two."}
            assert book.verify()
        assert (folder / "digest.md").read_text() == "Two.\n"
        assert [line["digest"] for line in lines(folder)] == ["One.\n", "Two.\n"]
