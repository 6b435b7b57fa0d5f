"""Writing a ledger: one line for each change, appended; then the page. Nothing else is ever rewritten but by a purge."""

from __future__ import annotations

import pytest

from commonplace.seam.format import Append, Known, Place, Put

from .shelf import LEDGER, PAGE, LedgerShelf, a_digest, a_fact, saying


@pytest.fixture
def shelf():
    return LedgerShelf()


class TestOneChangeIsOneLine:
    def test_the_line_says_when_what_became_of_the_digest_and_what_was_retained(self, shelf):
        """V30, V57."""
        digest, fact = a_digest("Bob runs the builds."), a_fact("W @Bob: runs the night build.")
        shelf.change(digest, fact)
        (line,) = shelf.lines()
        assert line == {
            "ts": line["ts"],
            "digest": "Bob runs the builds.",
            "retain": ["W @Bob: runs the night build."],
            "ids": [fact.id],
        }
        assert line["ts"].endswith("Z")
        assert shelf.files[PAGE] == b"Bob runs the builds."
        assert shelf.is_settled()

    def test_the_line_comes_before_the_page(self, shelf):
        """Row 6: nobody sees a digest without the line that says why."""
        steps = shelf.change(a_digest("One."))
        assert [type(step) for step in steps] == [Append, Put]

    def test_a_digest_that_stays_is_not_in_the_line(self, shelf):
        """V-n."""
        shelf.change(a_digest("One."))
        shelf.change(a_fact("W two."))
        assert "digest" not in shelf.lines()[-1]
        assert shelf.is_settled()

    def test_a_new_digest_replaces_the_page_whole(self, shelf):
        digest = a_digest("One.")
        shelf.change(digest)
        shelf.change(saying(digest, "Two."))
        assert [line["digest"] for line in shelf.lines()] == ["One.", "Two."]
        assert shelf.files[PAGE] == b"Two."
        assert shelf.is_settled()

    def test_what_is_said_again_is_retained_again(self, shelf):
        """V30: the line captures the patch."""
        fact = a_fact("W one.")
        shelf.change(fact)
        shelf.change(fact.with_(occurrences=2))
        assert [line["retain"] for line in shelf.lines()] == [["W one."], ["W one."]]
        assert len(shelf.read().entries) == 1
        assert shelf.is_settled()

    @pytest.mark.parametrize("status", ["archived", "deleted", "superseded", "contradicted"])
    def test_what_becomes_of_a_statement_is_no_line(self, shelf, status):
        """The ledger is append-only; the journal knows the rest."""
        fact = a_fact("W one.")
        shelf.change(fact)
        before = dict(shelf.files)
        assert shelf.change(fact.with_(status=status)) == []
        assert shelf.files == before

    def test_a_statement_put_differently_is_a_line_with_its_id(self, shelf):
        fact = a_fact("W one.")
        shelf.change(fact)
        shelf.change(saying(fact, "W other words."))
        (entry,) = shelf.read().entries
        assert (entry.key, entry.fields["content"]) == (fact.id, "W other words.")
        assert shelf.is_settled()

    def test_lines_are_whole_whatever_the_text(self, shelf):
        text = 'W "quoted" \\ line one\nline two\r\u2028\u0085 🦅'
        shelf.change(a_fact(text))
        assert shelf.files[LEDGER].count(b"\n") == 1
        assert shelf.read().entries[0].fields["content"] == text


class TestWhatIsNotRetained:
    @pytest.mark.parametrize("status", ["inbox", "archived", "superseded", "deleted"])
    def test_what_comes_in_waiting_or_put_away_is_kept_where_nobody_takes_it_for_retained(self, shelf, status):
        fact = a_fact("W perhaps.", status=status)
        shelf.change(fact)
        (line,) = shelf.lines()
        assert "retain" not in line
        assert line["kept"] == [{"id": fact.id, "text": "W perhaps.", "status": status}]
        assert shelf.read().entries[0].fields["status"] == status
        assert shelf.is_settled()

    def test_it_is_retained_when_it_is_let_in(self, shelf):
        fact = a_fact("W perhaps.", status="inbox")
        shelf.change(fact)
        shelf.change(fact.with_(status="active"))
        assert shelf.lines()[-1]["retain"] == ["W perhaps."]
        assert "status" not in shelf.read().entries[0].fields
        assert shelf.is_settled()

    def test_a_second_digest_does_not_take_the_page(self, shelf):
        """Row 47: what a person wrote there stays; the other one is kept beside it."""
        shelf.change(a_digest("Mine."))
        waiting = a_digest("The agent's.", status="inbox")
        shelf.change(waiting)
        assert shelf.files[PAGE] == b"Mine."
        assert shelf.lines()[-1]["kept"][0]["text"] == "The agent's."
        assert shelf.is_settled()


class TestWhoStandsOnThePage:
    def test_a_digest_that_is_forgotten_leaves_the_page_empty_and_the_ledger_says_so(self, shelf):
        digest = a_digest("One.")
        shelf.change(digest)
        shelf.change(digest.with_(status="deleted"))
        assert shelf.lines()[-1]["digest"] == ""
        assert shelf.files[PAGE] == b""
        assert shelf.is_settled()

    def test_it_comes_back_when_it_is_restored(self, shelf):
        digest = a_digest("One.")
        shelf.change(digest)
        shelf.change(digest.with_(status="deleted"))
        shelf.change(digest)
        assert shelf.files[PAGE] == b"One."
        assert shelf.is_settled()

    def test_a_digest_that_evolves_hands_the_page_over(self, shelf):
        old = a_digest("One.")
        shelf.change(old)
        shelf.change(old.with_(status="superseded"), a_digest("Two."))
        assert shelf.files[PAGE] == b"Two."
        assert len(shelf.lines()) == 2
        assert shelf.is_settled()

    def test_the_style_of_the_page_stays(self, shelf):
        """Row 31."""
        digest = a_digest("One.\nTwo.\n")
        shelf.files[PAGE] = b"\xef\xbb\xbfOne.\r\nTwo.\r\n"
        shelf.records[digest.id] = digest
        shelf.places[digest.id] = Known(Place(PAGE), digest.id, shelf.read(PAGE).entries[0].digest)
        shelf.change(saying(digest, "One.\nThree.\n"))
        assert shelf.files[PAGE] == b"\xef\xbb\xbfOne.\r\nThree.\r\n"
        assert shelf.is_settled()

    def test_bytes_that_could_not_be_read_go_beside_it_before_it_is_replaced(self, shelf):
        """Row 32: never rewritten lossy."""
        shelf.files[PAGE] = b"Caf\xe9"
        digest = a_digest("Caf\ufffd")
        shelf.records[digest.id] = digest
        shelf.places[digest.id] = Known(Place(PAGE), digest.id, shelf.read(PAGE).entries[0].digest)
        shelf.change(saying(digest, "Tea."))
        assert shelf.files[PAGE] == b"Tea."
        assert b"Caf\xe9" in shelf.files.values()


class TestOtherWriters:
    LINE = '{"ts": "2026-11-15T12:00:00Z", "mine": {"x": 1}, "retain": ["W foreign."]}\n'

    def foreign(self, shelf):
        """A ledger that another runtime wrote, taken in."""
        shelf.files[LEDGER] = self.LINE.encode()
        (entry,) = shelf.read().entries
        record = a_fact("W foreign.")
        shelf.records[record.id] = record
        shelf.places[record.id] = Known(Place(LEDGER, entry.key), record.id, entry.digest)
        return record

    def test_their_bytes_stay_when_we_append(self, shelf):
        self.foreign(shelf)
        shelf.change(a_fact("W ours."))
        assert shelf.files[LEDGER].decode().startswith(self.LINE)
        assert shelf.is_settled()

    def test_their_statement_said_again_stays_one_memory(self, shelf):
        record = self.foreign(shelf)
        shelf.change(record.with_(occurrences=2))
        assert "ids" not in shelf.lines()[-1], "it goes on to be known by its words"
        assert len(shelf.read().entries) == 1
        assert shelf.is_settled()

    def test_a_torn_last_line_is_kept_and_ours_begins_on_a_new_one(self, shelf):
        """Row 27."""
        shelf.files[LEDGER] = b'{"ts": "2026-11-1'
        shelf.change(a_fact("W ours."))
        assert shelf.files[LEDGER].startswith(b'{"ts": "2026-11-1\n{')
        assert len(shelf.read().entries) == 1


class TestPurging:
    def test_only_the_purged_words_go_and_every_other_byte_stays(self, shelf):
        gone, stays = a_fact("W the launch code."), a_fact("W stays.")
        shelf.change(gone, stays)
        shelf.change(gone.with_(occurrences=2))
        shelf.files[LEDGER] += b'garbage\n{"ts":"x","theirs":  1,"retain":["W theirs."]}\n'
        shelf.places["theirs"] = Known(
            Place(LEDGER, shelf.read().entries[-1].key), "theirs", shelf.read().entries[-1].digest
        )
        shelf.change(purge=(gone.id,))
        raw = shelf.files[LEDGER]
        assert b"launch code" not in raw
        assert gone.id.encode() not in raw
        assert b'garbage\n{"ts":"x","theirs":  1,"retain":["W theirs."]}\n' in raw
        assert [line for line in raw.splitlines() if b"purged" in line], "that something went stays to be seen"
        assert shelf.is_settled()

    def test_a_purged_digest_goes_from_the_page_and_from_every_line(self, shelf):
        digest = a_digest("First launch code.")
        shelf.change(digest)
        shelf.change(saying(digest, "Second launch code."), a_fact("W stays."))
        shelf.change(purge=(digest.id,))
        assert PAGE not in shelf.files
        assert b"launch code" not in shelf.files[LEDGER]
        assert [entry.fields["content"] for entry in shelf.read().entries] == ["W stays."]
        assert shelf.is_settled()

    def test_an_old_digest_can_be_purged_while_another_stands(self, shelf):
        old, new = a_digest("Old launch code."), a_digest("New.")
        shelf.change(old)
        shelf.change(old.with_(status="superseded"), new)
        shelf.change(purge=(old.id,))
        assert shelf.files[PAGE] == b"New."
        assert b"launch code" not in shelf.files[LEDGER]
        assert shelf.lines()[-1]["digest"] == "New.", "the ledger still tells of the one that stands"
        assert shelf.is_settled()


class TestAPageThatWasCutToNothing:
    def cut(self, shelf, text="One."):
        digest = a_digest(text)
        shelf.change(digest)
        known = shelf.places[digest.id]
        shelf.files[PAGE] = b""
        return known

    def test_it_is_rebuilt_from_the_ledger(self, shelf):
        """Row 41: identical."""
        known = self.cut(shelf)
        (put,) = shelf.format.restored([known], shelf)
        assert (put.path, put.content) == (PAGE, b"One.")

    def test_what_a_person_wrote_last_is_newer_than_the_ledger(self, shelf):
        known = self.cut(shelf)
        shelf.records[known.memory_id] = saying(shelf.records[known.memory_id], "A person's.")
        (put,) = shelf.format.restored([known], shelf)
        assert put.content == b"A person's."

    def test_who_empties_it_on_purpose_is_believed(self, shelf):
        known = self.cut(shelf)
        shelf.files[LEDGER] += b'{"ts": "x", "digest": ""}\n'
        assert shelf.format.restored([known], shelf) == ()

    def test_a_page_that_no_line_ever_spoke_of_may_be_emptied(self, shelf):
        """V19: a person wrote it, a person takes it away."""
        known = self.cut(shelf)
        shelf.files[LEDGER] = b'{"ts": "x", "retain": ["W one."]}\n'
        assert shelf.format.restored([known], shelf) == ()
