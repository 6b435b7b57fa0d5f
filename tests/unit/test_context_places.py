"""Who gets a place in a context, and beside whom: what always holds beside what was found, each side beside the other."""

from __future__ import annotations

import pytest

from commonplace.testing.clocks import FixedClock

ASKED = {"task": "which port does each Falcon deploy step use?", "moment": "task"}


@pytest.fixture
def clock():
    return FixedClock()


@pytest.fixture
def full(book):
    """A project with more answers than there are places, and a person with things that always hold."""
    for number in range(20):
        book.save(f"Falcon deploy step {number} uses port {8000 + number}.", type="project", project_id="falcon")
    for number in range(6):
        book.save(f"Always-true rule {number} holds.", type="profile", always_load=True, title=f"Rule {number}")
    book.save("Alice prefers tabs over spaces.", type="profile")
    return book


def contents(results):
    return [result.record.content for result in results]


class TestPlaces:
    """rfc 35: the person's profile is in every bundle, however much the project has to say."""

    @pytest.mark.parametrize("moment", ["task", "goal", "agent_call"])
    def test_a_project_full_of_answers_leaves_places_to_the_person(self, full, moment):
        bundle = full.context_for("falcon", **{**ASKED, "moment": moment})
        assert len(bundle.profile) == 4
        assert len(bundle.facts) >= 6

    def test_what_always_holds_and_the_profile_take_turns(self, full):
        profile = contents(full.context_for("falcon", **ASKED).profile)
        assert "Alice prefers tabs over spaces." in profile
        assert sum("Always-true" in content for content in profile) == 3

    def test_places_that_nobody_wants_unasked_go_to_what_was_found(self, book):
        for number in range(20):
            book.save(f"Falcon deploy step {number} uses port {8000 + number}.", type="project", project_id="falcon")
        assert len(book.context_for("falcon", **ASKED).facts) == 12

    def test_places_that_what_was_found_does_not_want_go_to_the_rest(self, full):
        bundle = full.context_for("falcon", task="step 7 on port 8007", budget=2_000, kinds=None)
        assert len(bundle.profile) + len(bundle.facts) == 12

    def test_with_little_room_the_answer_goes_first(self, full):
        bundle = full.context_for("falcon", task="which port does Falcon deploy step 7 use?", budget=120)
        assert contents(bundle.facts)[:1] == ["Falcon deploy step 7 uses port 8007."]
        assert bundle.tokens <= 120


class TestAcrossProjects:
    """A dispute is shown as one, whichever side was found first (rfc 53)."""

    HERE, THERE = "The gateway listens on port 8443 in production.", "The gateway listens on port 9443 in production."

    @pytest.fixture
    def disputed(self, book):
        here = book.save(self.HERE, type="project", project_id="falcon")
        there = book.save(self.THERE, type="project", project_id="osprey")
        book.link(there.id, here.id, "contradicts")
        return book

    @pytest.mark.parametrize("first", [HERE, THERE])
    def test_a_side_that_crossed_over_is_shown_as_a_side(self, disputed, first):
        bundle = disputed.context_for("falcon", task=first)
        assert sorted(contents(bundle.facts)) == [self.HERE, self.THERE]
        assert bundle.text.count("| fact conflict |") == 2

    def test_a_side_that_did_not_cross_over_is_not_shown_for_its_dispute(self, disputed):
        bundle = disputed.context_for("falcon")  # nothing was asked, so nothing crossed over
        assert contents(bundle.facts) == [self.HERE]
        assert "9443" not in bundle.text


@pytest.mark.parametrize("root", ["", "  "])
def test_a_tree_without_a_name_is_no_tree(book, root, tmp_path, monkeypatch):
    """Else every anchor would be looked for wherever the process stands (agentm 46)."""
    monkeypatch.chdir(tmp_path)
    book.save("Falcon starts in app.py.", type="project", project_id="p", anchors=[f"file:app.py@sha256:{'0' * 64}"])
    assert "stale" not in book.context_for("p", root=root).text
    assert "stale" in book.context_for("p", root=str(tmp_path)).text
