"""Changing one's mind: evolve, contradict, archive, forget, restore, confirm. Nothing is lost by any of them."""

from __future__ import annotations

import pytest

from commonplace.errors import ConflictError, DeniedError, InvalidError, NotFoundError, StaleError


@pytest.fixture
def old(book):
    return book.save("Tabs.", type="profile", title="Indentation", tags=["editor"], evidence_ref="chat/1")


class TestEvolving:
    """rfc 22, 23; A69."""

    def test_the_chain_can_be_followed_both_ways_and_the_old_one_stays_readable(self, book, old):
        new = book.evolve(old.id, "Spaces.", reason="new editor")
        before = book.get(old.id)
        assert (new.supersedes, before.superseded_by) == (old.id, new.id)
        assert (before.status, before.status_reason, before.content) == ("superseded", "new editor", "Tabs.")
        (link,) = book.explain(old.id).links
        assert (link.from_id, link.relation, link.to_id) == (new.id, "supersedes", old.id)

    def test_it_is_one_operation_with_the_reason(self, book, old):
        book.evolve(old.id, "Spaces.", reason="new editor")
        assert [(op.verb, op.reason) for op in book.journal()] == [("save", None), ("evolve", "new editor")]

    def test_what_is_not_said_anew_stays(self, book, old):
        new = book.evolve(old.id, "Spaces.", reason="new editor", tags=["style"])
        assert (new.title, new.tags, new.evidence_ref) == ("Indentation", ("style",), "chat/1")
        assert new.created_at > old.created_at

    @pytest.mark.parametrize("reason", ["", "   "])
    def test_without_a_reason_it_is_refused(self, book, everything, old, reason):
        before = everything(book)
        with pytest.raises(InvalidError, match="reason"):
            book.evolve(old.id, "Spaces.", reason=reason)
        assert everything(book) == before

    def test_the_same_words_are_not_a_change(self, book, old):
        with pytest.raises(InvalidError, match="same"):
            book.evolve(old.id, " TABS.\n", reason="louder")

    def test_a_superseded_memory_is_stale_and_names_its_successor(self, book, old):
        new = book.evolve(old.id, "Spaces.", reason="new editor")
        with pytest.raises(StaleError) as refused:
            book.evolve(old.id, "Both.", reason="compromise")
        assert new.id in refused.value.hint

    @pytest.mark.parametrize("away", ["archive", "forget"])
    def test_what_was_put_away_cannot_evolve(self, book, old, away):
        getattr(book, away)(old.id)
        with pytest.raises(ConflictError) as refused:
            book.evolve(old.id, "Spaces.", reason="new editor")
        assert "Restore" in refused.value.hint

    def test_a_decision_takes_the_reason_for_its_rationale(self, book):
        decided = book.save("We use SQLite.", type="decision", rationale="one machine")
        new = book.evolve(decided.id, "We use PostgreSQL.", reason="many machines")
        assert (new.status, new.rationale) == ("active", "many machines")


class TestCompareAndSwap:
    """A change may carry the fingerprint it was based on; a stale one is refused and changes nothing (A-i)."""

    @pytest.mark.parametrize(
        "change",
        [
            lambda book, one, **cas: book.evolve(one, "Spaces.", reason="new editor", **cas),
            lambda book, one, **cas: book.archive(one, **cas),
            lambda book, one, **cas: book.forget(one, **cas),
        ],
    )
    def test_a_stale_change_is_refused_and_a_current_one_is_taken(self, book, everything, old, change):
        before = everything(book)
        with pytest.raises(StaleError) as refused:
            change(book, old.id, expect="sha256:" + "0" * 64)
        assert (refused.value.kind, refused.value.retryable) == ("stale", False)
        assert everything(book) == before
        change(book, old.id, expect=old.fingerprint)

    def test_restore_confirm_and_reject_compare_too(self, book, agent, old):
        book.archive(old.id)
        waiting = agent.save("Alice likes tea.", type="profile")
        for verb, id in (("restore", old.id), ("confirm", waiting.id), ("reject", waiting.id)):
            with pytest.raises(StaleError):
                getattr(book, verb)(id, expect="sha256:stale")
        assert book.restore(old.id, expect=old.fingerprint).status == "active"
        assert book.confirm(waiting.id, expect=waiting.fingerprint).status == "active"


class TestContradicting:
    """rfc 22, 53; R-b: both stay, linked both ways with the evidence of each."""

    def test_both_stay_and_point_at_each_other_with_evidence(self, book, old):
        other = book.save("Spaces.", type="profile", evidence_ref="chat/2")
        conflict = book.contradict(old.id, other.id, reason="which?")
        assert (conflict.left_evidence, conflict.right_evidence, conflict.state) == ("chat/1", "chat/2", "open")
        assert book.get(old.id).status == book.get(other.id).status == "active"
        links = {(link.from_id, link.to_id): link for link in book.explain(old.id).links}
        assert links.keys() == {(old.id, other.id), (other.id, old.id)}
        assert {link.evidence_ref for link in links.values()} == {"chat/1", "chat/2"}
        assert book.explain(other.id).conflicts == (conflict,)

    def test_without_evidence_of_their_own_the_sources_speak(self, book, old):
        other = book.save("Spaces.", type="profile")
        assert book.contradict(old.id, other.id).right_evidence == other.source_ref

    def test_saying_it_twice_or_the_other_way_round_is_saying_it_once(self, book, everything, old):
        other = book.save("Spaces.", type="profile")
        conflict = book.contradict(old.id, other.id)
        before = everything(book)
        assert book.contradict(old.id, other.id) == book.contradict(other.id, old.id) == conflict
        assert everything(book) == before

    def test_a_memory_cannot_contradict_itself(self, book, old):
        with pytest.raises(InvalidError):
            book.contradict(old.id, old.id)

    def test_an_agent_may_say_that_it_disagrees(self, book, agent, old):
        its = agent.save("Alice used spaces today.", type="episode")
        agent.contradict(its.id, old.id, reason="saw it")
        assert book.get(old.id) == old
        assert book.stats().conflicts == 1


class TestPuttingAway:
    @pytest.mark.parametrize(("verb", "status"), [("archive", "archived"), ("forget", "deleted")])
    def test_it_stays_readable_keeps_the_reason_and_leaves_the_lists(self, book, old, verb, status):
        away = getattr(book, verb)(old.id, reason="no longer true")
        assert (away.status, away.status_reason, away.content) == (status, "no longer true", "Tabs.")
        assert (away.deleted_at is not None) == (verb == "forget")
        assert book.list() == []
        assert not book.search("tabs")
        assert book.list(statuses=status) == [away]

    @pytest.mark.parametrize("verb", ["archive", "forget"])
    def test_twice_is_once(self, book, everything, old, verb):
        getattr(book, verb)(old.id)
        before = everything(book)
        getattr(book, verb)(old.id, reason="again")
        assert everything(book) == before

    @pytest.mark.parametrize("verb", ["archive", "forget"])
    def test_restore_brings_back_what_it_was(self, book, old, verb):
        getattr(book, verb)(old.id)
        back = book.restore(old.id)
        assert (back.status, back.deleted_at, back.status_reason) == ("active", None, None)

    def test_restore_brings_an_archived_candidate_back_to_the_inbox(self, book):
        waiting = book.save("We use SQLite.", type="decision")
        book.reject(waiting.id)
        book.forget(waiting.id)
        assert book.restore(waiting.id).status == "inbox"

    def test_restoring_what_was_superseded_is_not_a_way_to_two_truths(self, book, old):
        book.evolve(old.id, "Spaces.", reason="new editor")
        with pytest.raises(ConflictError) as refused:
            book.restore(old.id)
        assert "Revert" in refused.value.hint
        book.forget(old.id)
        assert book.restore(old.id).status == "superseded"

    def test_restoring_what_replaced_it_puts_it_back_in_its_place(self, book, old):
        """The change of mind was undone, and then its outcome was restored: one of both is true, not both."""
        new = book.evolve(old.id, "Spaces.", reason="new editor")
        book.revert(book.journal()[-1])
        assert book.restore(new.id).status == "active"
        assert (book.get(old.id).status, book.get(old.id).superseded_by) == ("superseded", new.id)
        assert ("supersedes", old.id) in [(link.relation, link.to_id) for link in book.explain(new.id).links]
        assert book.verify().ok

    def test_a_memory_whose_successor_was_purged_can_come_back(self, book, agent, old):
        """Nothing brings the successor back, so there is nothing to revert; what it replaced is not lost with it."""
        new = book.evolve(old.id, "Spaces.", reason="new editor")
        with pytest.raises(ConflictError, match="superseded"):
            book.restore(old.id)
        book.purge(new.id)
        with pytest.raises(DeniedError):
            agent.restore(old.id)
        back = book.restore(old.id)
        assert (back.status, back.superseded_by, back.content) == ("active", None, old.content)
        assert book.evolve(back.id, "Neither.", reason="r").status == "active"
        assert book.verify().ok

    def test_restoring_what_is_active_changes_nothing(self, book, everything, old):
        before = everything(book)
        assert book.restore(old.id) == old
        assert everything(book) == before

    def test_what_was_deleted_is_not_archived_over(self, book, old):
        book.forget(old.id)
        with pytest.raises(ConflictError):
            book.archive(old.id)

    def test_an_archived_memory_can_still_be_forgotten(self, book, old):
        book.archive(old.id)
        assert book.forget(old.id).status == "deleted"


class TestReviewing:
    def test_a_decision_is_not_confirmed_without_its_ground(self, book, everything):
        """rfc 21, R-g."""
        waiting = book.save("We use SQLite.", type="decision")
        before = everything(book)
        with pytest.raises(ConflictError) as refused:
            book.confirm(waiting.id)
        assert "rationale" in refused.value.hint
        assert everything(book) == before
        active = book.confirm(waiting.id, rationale="one machine")
        assert (active.status, active.rationale) == ("active", "one machine")

    def test_confirming_twice_is_once(self, book, agent, everything):
        waiting = agent.save("Alice likes tea.", type="profile")
        book.confirm(waiting.id)
        before = everything(book)
        book.confirm(waiting.id)
        assert everything(book) == before

    @pytest.mark.parametrize("verb", ["confirm", "reject"])
    def test_only_what_waits_can_be_reviewed(self, book, old, verb):
        book.archive(old.id)
        with pytest.raises(ConflictError):
            getattr(book, verb)(old.id)

    @pytest.mark.parametrize("yes", [lambda book, waiting: book.confirm(waiting.id),
                                     lambda book, waiting: book.save(waiting.content, type=waiting.type)],
                             ids=["confirmed", "said again"])  # fmt: skip
    def test_a_candidate_that_was_linked_to_its_target_by_hand_takes_its_place_all_the_same(self, book, agent, yes):
        old = book.save("Tabs.", type="profile")
        waiting = agent.evolve(old.id, "Spaces.", reason="saw it")
        book.link(waiting.id, old.id, "supersedes", evidence_ref="chat/7")
        assert yes(book, waiting).status == "active"
        assert book.get(old.id).superseded_by == waiting.id
        assert [link.evidence_ref for link in book.explain(old.id).links] == ["chat/7"]
        assert book.verify().ok

    def test_a_candidate_whose_target_moved_on_meanwhile_does_not_break_the_chain(self, book, agent, old):
        waiting = agent.evolve(old.id, "Spaces.", reason="saw it")
        new = book.evolve(old.id, "Both.", reason="compromise")
        book.confirm(waiting.id)
        assert book.get(old.id).superseded_by == new.id
        assert book.verify().ok


@pytest.mark.parametrize(
    "ask",
    [
        lambda book: book.get("nobody"),
        lambda book: book.evolve("nobody", "x", reason="y"),
        lambda book: book.archive("nobody"),
        lambda book: book.restore("nobody"),
        lambda book: book.forget("nobody"),
        lambda book: book.confirm("nobody"),
        lambda book: book.reject("nobody"),
        lambda book: book.purge("nobody"),
        lambda book: book.purge("nobody", dry_run=True),
        lambda book: book.history("nobody"),
        lambda book: book.explain("nobody"),
        lambda book: book.revert("nobody"),
        lambda book: book.contradict("nobody", "nothing"),
        lambda book: book.link("nobody", "nothing", "supports"),
        lambda book: book.unlink("nobody", "nothing", "supports"),
    ],
)
def test_what_is_not_there_is_not_found_by_any_verb(book, everything, ask):
    """Row 128: nothing done is never "success"."""
    before = everything(book)
    with pytest.raises(NotFoundError) as refused:
        ask(book)
    assert refused.value.kind == "not_found"
    assert refused.value.hint
    assert everything(book) == before
