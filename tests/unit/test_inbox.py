"""The inbox: what waits, why, what speaks for it; and a person's word on it, by hand or by policy (rfc 13, 20, 22, 42, 63)."""

from __future__ import annotations

import pytest

from commonplace import settings
from commonplace.errors import ConflictError, DeniedError, InvalidError, StaleError, TooLargeError


@pytest.fixture
def waiting(agent):
    return agent.save("Alice likes tea.", type="profile")


def contents(records):
    return [record.content for record in records]


class TestLooking:
    def test_it_shows_why_each_one_waits_and_what_it_would_change(self, book, waiting):
        (item,) = book.inbox()
        assert item.record == waiting
        assert "confirmation" in item.reason
        assert item.change == "+ Alice likes tea."
        assert item.evidence.quote == "Alice likes tea."

    def test_a_proposal_to_replace_is_shown_as_a_diff(self, book, agent):
        old = book.upsert_profile_fact("editor", "Alice uses Vim.")
        agent.upsert_profile_fact("editor", "Alice uses Helix.")
        (item,) = book.inbox()
        assert (item.replaces, item.change) == (old.id, "- Alice uses Vim.\n+ Alice uses Helix.")

    def test_the_oldest_comes_first_and_filters_narrow_it(self, book, agent):
        agent.save("Alice likes tea.", type="profile")
        agent.save("We use Redis.", type="decision", project_id="falcon")
        assert contents(item.record for item in book.inbox()) == ["Alice likes tea.", "We use Redis."]
        assert contents(item.record for item in book.inbox(types="decision")) == ["We use Redis."]
        assert contents(item.record for item in book.inbox(project="osprey")) == ["Alice likes tea."]
        assert len(book.inbox(limit=1)) == 1

    def test_the_oldest_come_first_however_many_wait(self, book, agent, monkeypatch):
        """What waits longest is not hidden by what came since."""
        monkeypatch.setattr("commonplace.settings.MAX_LIST_LIMIT", 3)
        saved = [agent.save(f"Alice likes tea number {n}.", type="profile").id for n in range(6)]
        assert [item.record.id for item in book.inbox(limit=2)] == saved[:2]


class TestDeciding:
    def test_accepting_makes_it_active_and_curated(self, book, waiting):
        kept = book.inbox_accept(waiting.id, reason="she said so")
        assert (kept.status, kept.trust) == ("active", "curated")
        assert book.inbox() == []

    def test_editing_lets_it_in_in_other_words_and_its_history_knows_both(self, book, waiting):
        kept = book.inbox_edit(waiting.id, "Alice likes green tea.", expect=waiting.fingerprint)
        assert (kept.content, kept.status) == ("Alice likes green tea.", "active")
        assert [operation.verb for operation in book.history(waiting.id)] == ["save", "edit", "promote"]
        assert book.verify()
        assert [result.record.id for result in book.search("green tea")] == [waiting.id]

    def test_an_edit_that_may_not_come_in_leaves_the_words_as_they_were(self, book, agent):
        """R2: the new words and the word on them are one change."""
        waiting = agent.save("We use Redis.", type="decision", project_id="falcon")
        with pytest.raises(ConflictError):
            book.inbox_edit(waiting.id, "We use Valkey.")
        assert book.get(waiting.id) == waiting

    @pytest.mark.parametrize("content", ["", " \n\t"])
    def test_an_edit_to_nothing_is_refused(self, book, waiting, content):
        with pytest.raises(InvalidError, match="content"):
            book.inbox_edit(waiting.id, content)
        assert book.get(waiting.id) == waiting

    def test_an_incident_is_kept_without_who_was_there_in_the_reviewers_words_too(self, book, open_book):
        """A71."""
        told = open_book("external:web").save("The build broke.", type="episode", kind="failure-incident")
        kept = book.inbox_edit(told.id, "The build broke; bob@example.com saw it.", rationale="ask carol@example.com")
        assert kept.content == "The build broke; [REDACTED-EMAIL] saw it."
        assert kept.rationale == "ask [REDACTED-EMAIL]"
        assert book.verify().ok

    def test_a_stale_edit_is_refused(self, book, waiting):
        with pytest.raises(StaleError):
            book.inbox_edit(waiting.id, "Alice likes coffee.", expect="sha256:something-else")

    def test_rejecting_archives_it_with_the_reason(self, book, waiting):
        away = book.inbox_reject(waiting.id, reason="hearsay")
        assert (away.status, away.status_reason) == ("archived", "hearsay")

    def test_merging_reinforces_the_other_one_and_links_both(self, book, waiting):
        known = book.save("Alice loves tea.", type="profile")
        kept = book.inbox_merge(waiting.id, known.id)
        assert kept.occurrences == 2
        assert book.get(waiting.id).status == "archived"
        assert [link.relation for link in book.explain(known.id).links] == ["supports"]
        book.revert(book.journal()[-1])
        assert book.get(waiting.id).status == "inbox"
        assert book.get(known.id).occurrences == 1

    def test_only_an_active_memory_can_take_another_in(self, book, waiting, agent):
        other = agent.save("Alice likes milk.", type="profile")
        for into in (waiting.id, other.id):
            with pytest.raises(ConflictError):
                book.inbox_merge(waiting.id, into)

    def test_what_has_all_the_tags_it_may_have_is_not_put_off(self, book):
        """A tag too many, and no import would take it."""
        full = book.save("We use Redis.", type="decision", tags=[f"t{n}" for n in range(settings.MAX_TAGS)])
        with pytest.raises(TooLargeError) as refused:
            book.inbox_defer(full.id, "2030-01-01T00:00:00Z")
        assert "now" in refused.value.hint
        assert book.get(full.id) == full

    def test_what_is_put_off_is_out_of_sight_until_its_day(self, book, waiting, clock):
        book.inbox_defer(waiting.id, "2999-01-01T00:00:00Z")
        assert book.inbox() == []
        (item,) = book.inbox(deferred=True)
        assert item.deferred_until == "2999-01-01"
        book.inbox_defer(waiting.id, "2000-01-01T00:00:00Z")
        assert len(book.inbox()) == 1

    @pytest.mark.parametrize("accept", ["inbox_accept", "confirm"])
    def test_what_was_put_off_and_is_accepted_all_the_same_is_not_put_off_any_more(self, book, waiting, accept):
        book.inbox_defer(waiting.id, "2999-01-01T00:00:00Z")
        getattr(book, accept)(waiting.id, rationale="said so")
        assert book.get(waiting.id).tags == waiting.tags

    @pytest.mark.parametrize("act", [
        lambda book, one: book.inbox_accept(one), lambda book, one: book.inbox_reject(one),
        lambda book, one: book.inbox_edit(one, "x y"), lambda book, one: book.inbox_merge(one, one),
        lambda book, one: book.inbox_defer(one, "2999-01-01T00:00:00Z"),
    ])  # fmt: skip
    def test_an_agent_cannot_review_what_an_agent_proposed(self, agent, waiting, act, everything):
        """rfc 20, 63."""
        before = everything(agent)
        with pytest.raises(DeniedError):
            act(agent, waiting.id)
        assert everything(agent) == before


class TestPolicies:
    @pytest.fixture
    def policy(self, tmp_path):
        def write(text):
            (tmp_path / "policy.toml").write_text(text)
            return str(tmp_path / "policy.toml")

        return write

    def test_what_it_names_is_accepted_as_one_run_that_can_be_undone(self, book, agent, policy):
        one = agent.save("Alice likes tea.", type="profile", confidence=0.95)
        other = agent.save("Alice likes rum.", type="profile", confidence=0.5)
        rules = policy('[[accept]]\ntypes = ["profile"]\ntrusts = ["agent"]\nmin_confidence = 0.9\n')
        assert book.inbox_apply(rules, dry_run=True).accepted == (one.id,)
        assert book.get(one.id).status == "inbox"
        report = book.inbox_apply(rules)
        assert (report.accepted, report.left) == ((one.id,), 1)
        assert book.get(one.id).status == "active"
        assert book.get(other.id).status == "inbox"
        book.revert(report.run)
        assert book.get(one.id).status == "inbox"

    def test_the_guard_has_the_last_word(self, book, agent, policy):
        """R-f: a decision needs its rationale, whatever a policy says."""
        bare = agent.save("Use Redis.", type="decision", project_id="falcon")
        report = book.inbox_apply(policy('[[accept]]\ntypes = ["decision"]\n'))
        assert report.accepted == ()
        assert "rationale" in report.refused[bare.id]

    def test_an_agent_cannot_apply_one(self, agent, waiting, policy):
        report = agent.inbox_apply(policy('[[accept]]\ntypes = ["profile"]\n'))
        assert report.accepted == ()
        assert waiting.id in report.refused

    def test_of_very_many_the_oldest_are_accepted_and_the_rest_is_counted(self, book, agent, policy, monkeypatch):
        monkeypatch.setattr("commonplace.settings.MAX_LIST_LIMIT", 3)
        saved = [agent.save(f"Alice likes tea number {n}.", type="profile").id for n in range(5)]
        by = policy('[[accept]]\ntypes = ["profile"]')
        assert ({*(report := book.inbox_apply(by)).accepted}, report.left) == ({*saved[:3]}, 2)
        assert ({*(report := book.inbox_apply(by)).accepted}, report.left) == ({*saved[3:]}, 0)

    def test_a_rule_that_names_nothing_accepts_nothing(self, book, waiting, policy):
        assert book.inbox_apply(policy("[[accept]]\nmin_confidence = 0.0\n")).accepted == ()

    @pytest.mark.parametrize(
        "text", ["[[accept]\n", "[[accept]]\ntypos = 1\n", '[[accept]]\ntypes = ["nonsense"]\n', "\0"]
    )
    def test_a_policy_that_cannot_be_meant_is_refused(self, book, waiting, policy, text):
        with pytest.raises(InvalidError):
            book.inbox_apply(policy(text))

    def test_a_missing_policy_is_said(self, book, tmp_path):
        with pytest.raises(InvalidError):
            book.inbox_apply(str(tmp_path / "none.toml"))


class TestProfileFacts:
    """rfc 44: `upsert_profile_fact`."""

    def test_a_persons_word_stands_at_once_and_said_anew_replaces_the_old(self, book):
        old = book.upsert_profile_fact("Editor", "Alice uses Vim.")
        new = book.upsert_profile_fact("editor", "Alice uses Helix.", reason="she switched")
        assert (new.status, new.supersedes) == ("active", old.id)
        assert book.get(old.id).status == "superseded"
        assert contents(book.list(types="profile")) == ["Alice uses Helix."]

    def test_said_again_it_is_reinforced(self, book):
        book.upsert_profile_fact("editor", "Alice uses Vim.")
        assert book.upsert_profile_fact("editor", "Alice uses Vim.").occurrences == 2

    def test_subjects_do_not_touch_each_other(self, book):
        book.upsert_profile_fact("editor", "Alice uses Vim.")
        book.upsert_profile_fact("home town", "Alice lives in Bern.")
        assert len(book.list(types="profile")) == 2

    def test_an_agents_word_waits_and_never_takes_the_place_of_a_persons(self, book, agent):
        """rfc 20, R10."""
        said = book.upsert_profile_fact("editor", "Alice uses Vim.")
        proposed = agent.upsert_profile_fact("editor", "Alice uses Emacs.")
        assert (proposed.status, book.get(said.id).status) == ("inbox", "active")
        book.inbox_accept(proposed.id)
        assert book.get(said.id).status == "superseded"

    def test_two_long_subjects_that_begin_alike_are_not_one(self, book):
        begins = "the restaurant she likes best in the part of town"
        book.upsert_profile_fact(begins, "Alice eats at Roma.")
        book.upsert_profile_fact(f"{begins} 2", "Alice eats at Milano.")
        assert len(book.list()) == 2
        with pytest.raises(TooLargeError, match="subject"):
            book.upsert_profile_fact(f"{begins} where she works", "Alice eats at Torino.")

    def test_an_empty_subject_is_refused(self, book):
        with pytest.raises(InvalidError):
            book.upsert_profile_fact(" ?", "Alice uses Vim.")
