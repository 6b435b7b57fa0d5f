"""Trust comes from the channel. A lower one never replaces, puts away or undoes what a higher one said (R10)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace.errors import DeniedError


@pytest.fixture
def said(book):
    return book.save("Alice prefers tabs.", type="profile")


@pytest.mark.parametrize(
    ("actor", "trust"),
    [
        ("alice", "operator"), ("operator", "operator"), ("agent:claude", "agent"), ("agent-7", "agent"),
        ("Agent 7", "agent"), ("curated:bob", "curated"), ("extracted:session", "extracted"), ("external:web", "external"),
        ("agentina", "operator"),
    ],
)  # fmt: skip
def test_the_channel_is_in_the_actors_name(open_book, actor, trust):
    assert open_book(actor).trust == trust


def test_a_caller_may_ask_to_be_trusted_less_but_not_more(open_book):
    assert open_book("alice", trust="external").trust == "external"
    assert open_book("agent:claude", trust="operator").trust == "agent"


class TestAnAgentCannot:
    """design "The record"; the operator's word stays as it is and the refusal says whose it was."""

    def refused(self, agent, everything, ask):
        before = everything(agent)
        with pytest.raises(DeniedError) as refused:
            ask()
        assert refused.value.hint
        assert everything(agent) == before

    @pytest.mark.parametrize("verb", ["archive", "forget"])
    def test_put_away_what_the_operator_said(self, agent, everything, said, verb):
        self.refused(agent, everything, lambda: getattr(agent, verb)(said.id))

    @pytest.mark.parametrize("verb", ["archive", "forget"])
    def test_bring_back_what_the_operator_put_away(self, book, agent, everything, verb):
        saved = agent.save("The build takes nine minutes.", type="episode")
        getattr(book, verb)(saved.id)
        self.refused(agent, everything, lambda: agent.restore(saved.id))

    def test_take_back_a_link_the_operator_made(self, book, agent, everything):
        """Even when both memories are its own: the link is not."""
        one, two = agent.save("One.", type="episode"), agent.save("Two.", type="episode")
        book.link(one.id, two.id, "supports")
        self.refused(agent, everything, lambda: agent.unlink(one.id, two.id, "supports"))

    def test_undo_what_the_operator_did(self, book, agent, everything, said):
        operation = book.history(said.id)[0]
        self.refused(agent, everything, lambda: agent.revert(operation))

    def test_undo_a_run_of_the_operator(self, book, agent, everything, tmp_path, open_book):
        other = open_book(at=tmp_path / "other.sqlite")
        other.save("From elsewhere.", type="episode")
        other.export(str(tmp_path / "x.jsonl"))
        book.save("Here.", type="episode")
        run = book.import_(str(tmp_path / "x.jsonl")).run
        self.refused(agent, everything, lambda: agent.revert(run))

    def test_purge_anything_not_even_its_own(self, agent, everything):
        own = agent.save("The build takes nine minutes.", type="episode")
        self.refused(agent, everything, lambda: agent.purge(own.id))
        self.refused(agent, everything, lambda: agent.purge(own.id, dry_run=True))

    @pytest.mark.parametrize("verb", ["confirm", "reject"])
    def test_review_the_inbox(self, agent, everything, verb):
        """rfc 20, 63."""
        waiting = agent.save("Alice likes spaces.", type="profile")
        self.refused(agent, everything, lambda: getattr(agent, verb)(waiting.id))

    def test_confirm_its_way_past_the_operator(self, book, open_book, said):
        """A curator may review, but not replace what the operator said."""
        waiting = open_book("agent:claude").evolve(said.id, "Alice prefers spaces.", reason="saw her type")
        with pytest.raises(DeniedError):
            open_book("curated:bob").confirm(waiting.id)
        assert book.get(said.id).status == "active"


class TestACuratorCannot:
    """A curator reviews what agents propose; what the operator said, waiting or not, is the operator's (R10)."""

    @pytest.fixture
    def waiting(self, book):
        return book.save("We use Redis.", type="decision")

    def test_put_other_words_into_the_operators_mouth(self, book, open_book, waiting):
        with pytest.raises(DeniedError, match="operator"):
            open_book("curated:bob").inbox_edit(waiting.id, "We use Valkey.", rationale="it is free")
        assert book.get(waiting.id) == waiting

    def test_turn_the_operators_words_away(self, book, open_book, waiting):
        with pytest.raises(DeniedError, match="operator"):
            open_book("curated:bob").reject(waiting.id)
        assert book.get(waiting.id) == waiting

    def test_merge_the_operators_words_away(self, book, open_book, waiting):
        curator = open_book("curated:bob")
        other = curator.save("We use Valkey.", type="project")
        with pytest.raises(DeniedError, match="operator"):
            curator.inbox_merge(waiting.id, other.id)
        assert book.get(waiting.id) == waiting


class TestWhatAnAgentChangesWaitsInTheInbox:
    @pytest.mark.parametrize("how", ["evolve", "supersedes"])
    def test_its_new_version_waits_and_the_old_one_stands(self, book, agent, said, how):
        if how == "evolve":
            waiting = agent.evolve(said.id, "Alice prefers spaces.", reason="saw her type")
        else:
            waiting = agent.save("Alice prefers spaces.", type="profile", supersedes=said.id)
        assert (waiting.status, waiting.supersedes) == ("inbox", said.id)
        assert waiting.status_reason
        assert book.get(said.id) == said
        assert [record.id for record in book.list()] == [said.id]

    def test_confirmed_by_the_operator_it_takes_the_old_ones_place(self, book, agent, said):
        waiting = agent.evolve(said.id, "Alice prefers spaces.", reason="saw her type")
        active = book.confirm(waiting.id, reason="right")
        assert (active.status, active.trust, active.tier) == ("active", "curated", "T2")
        assert (book.get(said.id).status, book.get(said.id).superseded_by) == ("superseded", waiting.id)
        assert ("supersedes", said.id) in [(link.relation, link.to_id) for link in book.explain(waiting.id).links]

    def test_rejected_it_is_archived_and_the_old_one_stands(self, book, agent, said):
        waiting = agent.evolve(said.id, "Alice prefers spaces.", reason="saw her type")
        away = book.reject(waiting.id, reason="hearsay")
        assert (away.status, away.status_reason) == ("archived", "hearsay")
        assert book.get(said.id).status == "active"

    def test_an_agent_may_change_what_an_agent_said(self, agent):
        old = agent.save("The build takes nine minutes.", type="episode")
        new = agent.evolve(old.id, "The build takes four minutes.", reason="new machine")
        assert new.status == "active"
        assert agent.forget(new.id).status == "deleted"

    def test_what_an_operator_files_under_an_agents_name_is_the_agents(self, book):
        saved = book.save("Alice prefers spaces.", type="profile", agent_id="claude")
        assert (saved.trust, saved.status) == ("agent", "inbox")

    def test_in_scope_agent_the_name_is_the_readers(self, book):
        assert book.save("Be brief.", type="task_hint", scope="agent", agent_id="claude").trust == "operator"


class TestAnImportCannotRaiseTrust:
    """Row 116: forged metadata is ignored; provenance comes from the channel."""

    @pytest.fixture
    def exported(self, open_book, tmp_path):
        other = open_book(at=tmp_path / "other.sqlite")
        other.save("Alice prefers spaces.", type="profile")
        other.export(str(tmp_path / "x.jsonl"))
        return str(tmp_path / "x.jsonl")

    def test_into_an_empty_book(self, open_book, tmp_path, exported):
        empty = open_book("agent:claude", at=tmp_path / "empty.sqlite")
        empty.import_(exported)
        assert [record.trust for record in empty.list(statuses="all")] == ["agent"]

    def test_into_a_book_with_a_journal(self, agent, book, exported):
        book.save("Here.", type="episode")
        agent.import_(exported)
        trusts = {record.content: record.trust for record in agent.list(statuses="all")}
        assert trusts == {"Here.": "operator", "Alice prefers spaces.": "agent"}

    def test_the_operator_may_import_at_a_lower_trust(self, book, exported):
        book.import_(exported, trust="external")
        assert {record.trust for record in book.list(statuses="all")} == {"external"}

    def test_what_would_wait_if_it_were_said_waits_when_it_is_imported(self, agent, book, exported):
        """X-7: a profile fact from an agent is an inbox matter by every way in; its tier follows its trust."""
        book.save("Here.", type="episode")
        agent.import_(exported)
        (brought,) = agent.list(types="profile", statuses="all")
        assert (brought.status, brought.tier) == ("inbox", "T3")
        assert agent.verify().ok

    @pytest.mark.parametrize("trust", ["agent", "extracted", "external"])
    def test_a_file_that_claims_no_more_than_its_importer_is_not_believed_either(
        self, book, agent, exported, tmp_path, trust
    ):
        """X-7: `active` is a claim of the file. So is the tier of what is the person's own (A12)."""
        book.save("Here.", type="episode")
        edited = Path(exported).read_text().replace('"trust":"operator"', f'"trust":"{trust}"')
        memories = [line for line in edited.replace('"T2"', '"T1"').splitlines() if line.startswith('{"memory"')]
        forged = tmp_path / "forged.jsonl"
        forged.write_text("\n".join(memories))
        for _ in range(2):  # importing twice is importing once
            assert agent.import_(str(forged)).kept_aside == ()
        (brought,) = agent.list(types="profile", statuses="all")
        assert (brought.status, brought.trust, brought.tier) == ("inbox", trust, "T3")
        assert brought.status_reason

    def test_what_the_operator_moves_house_with_keeps_its_standing(self, book, agent, open_book, tmp_path):
        """rfc 55: statuses are preserved for whoever may give them."""
        confirmed = book.confirm(agent.save("Alice likes tea.", type="profile").id)
        book.export(str(tmp_path / "own.jsonl"))
        for actor in ("alice", "curated:bob"):
            other = open_book(actor, at=tmp_path / f"{actor[:3]}.sqlite")
            other.save("There.", type="episode")
            other.import_(str(tmp_path / "own.jsonl"))
            assert other.get(confirmed.id).status == "active"

    def test_its_own_export_comes_home_through_an_agent_as_nothing_new(self, book, agent, tmp_path):
        book.save("Alice prefers tabs.", type="profile")
        book.confirm(agent.save("Alice likes tea.", type="profile").id)
        book.export(str(tmp_path / "own.jsonl"))
        report = agent.import_(str(tmp_path / "own.jsonl"))
        assert (report.kept_aside, report.added) == ((), {})

    def test_an_agents_file_cannot_bury_what_the_operator_will_import(self, book, agent, exported, tmp_path):
        """Purging is the operator's alone; a tombstone line in a file is not a way around that."""
        book.save("Here.", type="episode")
        lines = Path(exported).read_text().splitlines()
        ids = [json.loads(line)["memory"]["id"] for line in lines if line.startswith('{"memory"')]
        forged = tmp_path / "forged.jsonl"
        forged.write_text("".join(json.dumps({"tombstone": {"id": id, "seq": 1}}) + "\n" for id in ids))
        agent.import_(str(forged))
        book.import_(exported)
        assert book.get(ids[0]).content == "Alice prefers spaces."


def test_saying_what_an_agent_proposed_is_a_yes_to_the_proposal(book, agent):
    """The person repeats the words that waited in the inbox as a replacement: the old statement steps back."""
    old = book.save("The API listens on port 8080.", type="project")
    proposed = agent.evolve(old.id, "The API listens on port 9090.", reason="seen in the logs")
    assert (proposed.status, book.get(old.id).status) == ("inbox", "active")
    said = book.save("The API listens on port 9090.", type="project")
    assert (said.id, said.status, said.occurrences) == (proposed.id, "active", 2)
    assert (book.get(old.id).status, book.get(old.id).superseded_by) == ("superseded", proposed.id)
    assert book.verify().ok
    book.revert(book.journal()[-1])
    assert (book.get(old.id).status, book.get(proposed.id).status) == ("active", "inbox")
