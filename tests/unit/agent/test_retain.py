"""`retain`: a memory patch on any canon, all of it or nothing."""

from __future__ import annotations

import pytest

import commonplace
from commonplace.engine.retain import Limits, Retain
from commonplace.engine.scribe import ask
from commonplace.errors import InvalidError, NotFoundError, SecretError, TooLargeError
from commonplace.testing.clocks import TickingClock

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"  # gitleaks:allow - an example that opens nothing


@pytest.fixture
def url(request, tmp_path):
    return f"{getattr(request, 'param', 'ledger')}:{tmp_path / 'book'}"


every_canon = pytest.mark.parametrize("url", ["sqlite", "ledger", "jsonl", "vault"], indirect=True)


@pytest.fixture
def book(url):
    with commonplace.open(url, actor="agent:helper", clock=TickingClock()) as opened:
        yield opened


def digest_of(book):
    return next(iter(book.list(kinds="digest", always_load=True)), None)


@every_canon
class TestEveryCanon:
    def test_a_digest_and_facts_in_one_go(self, book):
        """V5, V28: the digest is always loaded, a fact is findable later."""
        made = book.retain(["W @Bob: runs the night build.", "N @Bob: fix the alarm."], digest="Bob runs the builds.")
        assert [record.kind for record in made] == ["digest", "fact", "open-loop"]
        assert digest_of(book).content == "Bob runs the builds."
        assert book.search("alarm").results[0].record.content == "N @Bob: fix the alarm."

    def test_a_new_digest_is_the_same_page_with_a_history(self, book):
        """V42."""
        (first,) = book.retain(digest="One.")
        (second,) = book.retain(digest="Two.")
        assert second.id == first.id
        assert [operation.verb for operation in book.history(first.id)] == ["save", "evolve"]
        assert len(book.list(kinds="digest")) == 1

    def test_the_same_digest_and_no_facts_change_nothing(self, book):
        """V-m, V-n."""
        book.retain(digest="One.")
        before = len(book.journal())
        assert book.retain(digest="One.") == []
        assert book.retain() == []
        assert book.retain([""], digest=None) == []
        assert len(book.journal()) == before

    def test_an_empty_digest_takes_it_away_and_the_next_one_stands(self, book):
        book.retain(digest="One.")
        (gone,) = book.retain(digest="")
        assert gone.status == "deleted"
        assert digest_of(book) is None
        book.retain(digest="Two.")
        assert digest_of(book).content == "Two."

    def test_a_fact_said_again_is_reinforced(self, book):
        book.retain(["W one."])
        (again,) = book.retain(["w  ONE."])
        assert again.occurrences == 2
        assert len(book.list()) == 1

    def test_a_fact_said_twice_in_one_patch_is_said_once(self, book):
        assert len(book.retain(["W one.", "W one.", "W two."])) == 2

    def test_a_fact_with_the_words_of_the_digest_is_a_fact_of_its_own(self, book):
        """V30: the patch says both."""
        assert [record.kind for record in book.retain(["Same."], digest="Same.")] == ["digest", "fact"]
        (again,) = book.retain(["Same."])
        assert (again.kind, again.occurrences) == ("fact", 2)
        assert len(book.list()) == 2

    def test_a_digest_can_be_taken_back(self, book):
        book.retain(digest="One.")
        book.retain(digest="Two.")
        book.revert(book.journal()[-1].id)
        assert digest_of(book).content == "One."
        assert book.verify()

    def test_all_of_it_is_one_run_that_can_be_taken_back(self, book):
        book.retain(["W zero."])
        book.retain(["W one.", "W zero."], digest="D")
        (run,) = {operation.run for operation in book.journal() if operation.run} - {book.journal()[0].run}
        book.revert(run)
        (left,) = book.list()
        assert (left.content, left.occurrences) == ("W zero.", 1)

    def test_no_source_is_made(self, book):
        """X-5."""
        book.retain(["W one."], digest="D")
        assert {change.entity for operation in book.journal() for change in operation.changes} == {"memory"}

    def test_the_book_is_whole_afterwards(self, book, url):
        book.retain(["W one.", "O(c=0.5) two."], digest="D")
        book.retain(["W one."], digest="E")
        assert book.verify()
        with commonplace.open(url) as again:
            assert digest_of(again).content == "E"


class TestAllOrNothing:
    @pytest.mark.parametrize(
        ("patch", "error"),
        [
            ({"digest": "fine", "retain": ["W fine.", f"W {TOKEN}"]}, SecretError),
            ({"digest": TOKEN, "retain": ["W fine."]}, SecretError),
            ({"digest": "d" * 8_001}, TooLargeError),
            ({"retain": ["r" * 501]}, TooLargeError),
            ({"retain": ["r"] * 21}, TooLargeError),
            ({"digest": "a\0b"}, InvalidError),
            ({"digest": "fine", "project_id": " "}, InvalidError),
            ({"digest": "fine", "scope": "project"}, InvalidError),
            ({"digest": "fine", "replaces": "nobody"}, NotFoundError),
        ],
    )
    def test_what_is_refused_changes_nothing(self, book, patch, error):
        """V29, V31, V34, V-i."""
        with pytest.raises(error) as raised:
            book.retain(**patch)
        assert TOKEN not in str(raised.value)
        assert book.list() == []
        assert book.journal() == []

    def test_a_memory_that_is_no_digest_is_not_replaced_by_one(self, book):
        (fact,) = book.retain(["W one."])
        with pytest.raises(InvalidError, match="no digest"):
            book.retain(digest="D", replaces=fact.id)

    def test_limits_can_be_set(self, book):
        """V-i: all configurable."""
        asked = ask(Retain, digest="d" * 9_000)
        assert book.perform("retain", asked, limits=Limits(digest_chars=10_000))


class TestWhoseDigest:
    def test_each_owner_has_its_own(self, tmp_path):
        with commonplace.open(f"sqlite:{tmp_path / 'b.sqlite'}", actor="agent:helper") as book:
            book.retain(digest="Everybody's.")
            book.retain(digest="Atlas's.", project_id="atlas")
            book.retain(digest="Borealis's.", project_id="borealis")
            book.retain(digest="Atlas's, anew.", project_id="atlas")
            digests = sorted(record.content for record in book.list(kinds="digest"))
            assert digests == ["Atlas's, anew.", "Borealis's.", "Everybody's."]

    @every_canon
    def test_who_read_another_version_does_not_write_over_it(self, book):
        """Row 47: both are kept."""
        (first,) = book.retain(digest="One.")
        book.retain(digest="Two.")
        (waiting,) = book.retain(digest="Three.", expect=first.fingerprint)
        assert (waiting.status, waiting.supersedes) == ("inbox", first.id)
        assert digest_of(book).content == "Two."

    def test_who_read_none_does_not_write_over_one(self, book):
        book.retain(digest="One.")
        (waiting,) = book.retain(digest="Two.", expect="")
        assert waiting.status == "inbox"

    def test_a_persons_digest_may_be_rewritten_by_an_agent_and_is_not_lost(self, book, url):
        """V4, V42: the digest is a page that both write; the journal keeps every version."""
        with commonplace.open(url, actor="alice") as hers:
            (page,) = hers.retain(digest="Alice's.")
            assert page.trust == "operator"
        (page,) = book.retain(digest="The agent's.")
        assert (page.status, page.trust) == ("active", "agent")
        assert "Alice's." in str(book.history(page.id))

    def test_what_comes_from_outside_waits(self, tmp_path):
        """R10: trust comes from the channel."""
        with commonplace.open(f"sqlite:{tmp_path / 'b.sqlite'}", actor="external:web") as book:
            made = book.retain(["W one."], digest="D")
            assert [record.status for record in made] == ["inbox", "inbox"]

    def test_an_unknown_scope_is_refused_also_when_there_is_nothing_to_keep(self, book):
        with pytest.raises(InvalidError, match="global"):
            book.retain([], scope="galaxy")
