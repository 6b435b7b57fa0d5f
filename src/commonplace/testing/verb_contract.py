"""What every book promises, whatever canon is behind it: the verbs, told as short stories (R13)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.book import Book
from commonplace.engine.explain import Explanation
from commonplace.engine.scribe import Scribe
from commonplace.errors import CommonplaceError, ConflictError, NotFoundError, StaleError
from commonplace.seam.canon import Canon
from commonplace.storage.atomic_write import LocalFiles
from commonplace.testing.clocks import TickingClock
from commonplace.testing.state import state_of


class VerbContract:
    """The verbs over a canon. `CanonContract` includes it."""

    def open_canon(self, where: Path) -> Canon:
        raise NotImplementedError

    @pytest.fixture
    def book(self, tmp_path: Path) -> Iterator[Book]:
        opened = self.open_book(tmp_path, "alice", TickingClock())
        yield opened
        opened.close()

    def open_book(self, where: Path, actor: str, clock: TickingClock) -> Book:
        return Book(Scribe(self.open_canon(where), actor=actor, clock=clock, files=LocalFiles))

    @staticmethod
    def can(book: Book, *abilities: str) -> bool:
        return all(getattr(book._scribe.canon.capabilities, ability) for ability in abilities)

    def test_saying_it_again_counts(self, book: Book) -> None:
        first = book.save("Tabs over spaces.", type="profile")
        assert book.save("tabs  over spaces.", type="profile").id == first.id
        assert book.get(first.id).occurrences == 2

    def test_a_retry_with_the_same_key_changes_nothing_twice(self, book: Book) -> None:
        first = book.save("Tabs.", type="profile", idempotency_key="k")
        assert book.save("Tabs.", type="profile", idempotency_key="k") == first
        with pytest.raises(ConflictError):
            book.save("Spaces.", type="profile", idempotency_key="k")
        assert book.stats().operations == 1

    def test_changing_ones_mind_keeps_the_chain(self, book: Book) -> None:
        if not self.can(book, "keeps_links"):
            return
        old = book.save("Tabs.", type="profile")
        new = book.evolve(old.id, "Spaces.", reason="new editor", expect=old.fingerprint)
        assert (book.get(old.id).status, book.get(old.id).superseded_by, new.supersedes) == (
            "superseded",
            new.id,
            old.id,
        )
        with pytest.raises(StaleError):
            book.evolve(old.id, "Both.", reason="compromise")

    def test_a_stale_change_is_refused_and_changes_nothing(self, book: Book) -> None:
        saved = book.save("Tabs.", type="profile")
        before = state_of(book._scribe.canon)
        for change in (book.archive, book.forget):
            with pytest.raises(StaleError):
                change(saved.id, expect="sha256:stale")
        assert state_of(book._scribe.canon) == before

    def test_putting_away_and_bringing_back(self, book: Book) -> None:
        saved = book.save("Tabs.", type="profile")
        for away, status in ((book.archive, "archived"), (book.forget, "deleted")):
            assert away(saved.id).status == status
            assert away(saved.id).status == status
            assert book.restore(saved.id).status == "active"
        assert len(book.history(saved.id)) == 5

    def test_an_agent_proposes_and_the_operator_decides(self, book: Book, tmp_path: Path) -> None:
        agent = self.open_book(tmp_path, "agent:claude", TickingClock())
        said = book.save("Tabs.", type="profile")
        for ask in (agent.archive, agent.forget, agent.purge):
            with pytest.raises(CommonplaceError) as refused:
                ask(said.id)
            assert refused.value.kind == "denied"
        waiting = agent.save("Alice likes tea.", type="profile")
        assert waiting.status == "inbox"
        assert book.confirm(waiting.id).status == "active"
        agent.close()

    def test_disagreement_is_kept_with_both_sides(self, book: Book) -> None:
        if not self.can(book, "keeps_links"):
            return
        one, other = book.save("Port 1.", type="project"), book.save("Port 2.", type="project")
        conflict = book.contradict(one.id, other.id)
        for side in (one, other):
            told = book.explain(side.id)
            assert isinstance(told, Explanation)
            assert told.conflicts == (conflict,)

    def test_every_change_can_be_undone(self, book: Book) -> None:
        if not self.can(book, "keeps_journal"):
            return
        saved = book.save("Tabs.", type="profile")
        book.archive(saved.id)
        undone = book.revert(book.journal()[-1])
        assert book.get(saved.id).status == "active"
        book.revert(undone)
        assert book.get(saved.id).status == "archived"
        assert book.verify().ok

    def test_the_past_can_be_asked(self, book: Book) -> None:
        if not self.can(book, "keeps_journal"):
            return
        saved = book.save("Tabs.", type="profile")
        listed = book.list()
        moment = book.journal()[-1].at
        book.archive(saved.id)
        assert book.get(saved.id, as_of=moment) == saved
        assert book.list(as_of=moment) == listed

    def test_an_export_comes_back_whole(self, book: Book, tmp_path: Path) -> None:
        if not self.can(book, "keeps_journal", "keeps_every_field"):
            return
        self._a_small_life(book)
        book.export(str(tmp_path / "x.jsonl"))
        (tmp_path / "other").mkdir()
        other = self.open_book(tmp_path / "other", "alice", TickingClock())
        for added in (True, False):
            report = other.import_(str(tmp_path / "x.jsonl"))
            assert (bool(report.added), report.kept_aside, report.complete) == (added, (), True)
            assert state_of(other._scribe.canon) == state_of(book._scribe.canon)
        assert other.verify().ok
        other.close()

    def test_a_purge_leaves_proof_and_no_content(self, book: Book, tmp_path: Path) -> None:
        saved = book.save("The xylophonecanary.", type="episode")
        if not self.can(book, "purge"):
            with pytest.raises(CommonplaceError) as refused:
                book.purge(saved.id)
            assert refused.value.code == "unsupported"
            return
        assert book.purge(saved.id).complete
        with pytest.raises(NotFoundError):
            book.get(saved.id)
        assert not any(b"xylophonecanary" in content for content in self.raw(tmp_path).values())
        assert [operation.verb for operation in book.history(saved.id)] == ["save", "purge"]
        assert book.verify().ok

    def raw(self, where: Path) -> dict[str, bytes]:
        raise NotImplementedError

    def test_a_lived_in_book_is_healthy_and_verifies(self, book: Book) -> None:
        self._a_small_life(book)
        assert book.verify().ok
        assert book.doctor(full=True).ok
        assert book.scan().ok

    def _a_small_life(self, book: Book) -> None:
        one = book.save("The port is 8080.", type="project", project_id="shop", tags=["net"], aliases=["m-1"])
        other: Any = book.save("We deploy on Fridays.", type="decision", rationale="low traffic")
        if self.can(book, "keeps_links"):
            other = book.evolve(other.id, "We deploy on Mondays.", reason="nobody is there on Friday")
            book.link(other.id, one.id, "related_to")
            book.contradict(one.id, other.id)
        book.save("The port is 8080.", type="project", project_id="shop")
        book.archive(one.id, reason="moved")
        if self.can(book, "purge"):
            book.purge(book.save("A slip of the tongue.", type="episode").id)
