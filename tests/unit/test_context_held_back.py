"""What a context holds back: what is weak, what was handed over already, what another keeps to itself, what holds a secret."""

from __future__ import annotations

import pytest

from commonplace.testing.clocks import FixedClock


@pytest.fixture
def clock():
    return FixedClock()


@pytest.fixture
def project(book):
    book.save("Falcon deploys to port 8443.", type="project", project_id="falcon")
    return book


def contents(bundle):
    everything = (*bundle.profile, *bundle.facts, *bundle.decisions, *bundle.episodes)
    return [result.record.content for result in everything]


def test_a_later_prompt_that_only_brushes_a_memory_brings_nothing(project):
    """A42: who did not ask is told what is plainly meant, or nothing. A task was asked for, and is told more."""
    prompt = "please rename every button of the deploy dialog to something shorter"
    assert contents(project.context_for("falcon", task=prompt, moment="task")) == ["Falcon deploys to port 8443."]
    bundle = project.context_for("falcon", task=prompt, moment="prompt")
    assert bundle.text == ""
    assert "too low for this moment" in project.receipts()[0].near_misses[0].reason


def test_what_was_handed_over_while_a_writer_was_busy_is_not_repeated_either(project, open_book):
    """The receipt that says so is not written down yet (A41)."""
    other = open_book("bob")
    with other._scribe.canon.writing(5.0):
        started = project.context_for("falcon", session="s")
        assert "8443" in started.text
        assert project.context_for("falcon", session="s", task="Falcon deploys to port", moment="prompt").text == ""
    assert "8443" in project.context_for("falcon", session="t", task="Falcon deploys to port", moment="prompt").text


def test_a_secret_that_the_line_would_not_show_keeps_the_memory_back_too(project):
    """Its end, its rationale: whoever looks it up by its id would read it (row 125)."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    kept = project.search("deploy port", project="falcon")[0].record
    with project._scribe.writing() as pen:
        pen.change(kept, content=f"Falcon deploys to port 8443. {'And so on. ' * 200} {token}")
        pen.sign("edit")
    assert project.context_for("falcon", task="Falcon deploys to port").text == ""


def test_what_an_agent_keeps_to_itself_is_not_shown_as_the_other_side(book):
    """R9, with no project named, when the whole book is looked through."""
    said = book.save("The deploy port is 8443.", type="profile")
    own = book.save("The deploy port is 9443.", type="task_hint", scope="agent", agent_id="bob")
    book.link(own.id, said.id, "contradicts")
    assert contents(book.context_for(task="deploy port")) == [said.content]
    assert sorted(contents(book.context_for(task="deploy port", agent="bob"))) == [said.content, own.content]


def test_a_dispute_that_was_decided_is_no_dispute(project):
    one = project.search("deploy port", project="falcon")[0].record
    other = project.save("Falcon deploys to port 9443.", type="project", project_id="falcon")
    conflict = project.contradict(one.id, other.id)
    assert project.context_for("falcon", task="deploy port").text.count("conflict |") == 2
    project.resolve(conflict.id, loser=other.id, reason="the old port")
    assert contents(project.context_for("falcon", task="deploy port")) == [one.content]
    project.restore(other.id, reason="it came back beside the first")
    bundle = project.context_for("falcon", task="deploy port")
    assert sorted(contents(bundle)) == [one.content, other.content]
    assert "conflict |" not in bundle.text


def test_an_anchor_of_another_repository_says_nothing_about_this_tree(book, tmp_path):
    anchors = [f"file:app.py@sha256:{'0' * 64}"]
    here, there = (
        book.save(f"The {repo} app starts in app.py.", type="project", project_id="p", repo_id=repo, anchors=anchors)
        for repo in ("here", "there")
    )
    book.save("The project starts in app.py.", type="project", project_id="p", anchors=anchors)
    book.link(there.id, here.id, "related_to")
    bundle = book.context_for("p", repo="here", task="app starts in app.py", root=str(tmp_path))
    assert there.content in contents(bundle)
    lines = bundle.text.splitlines()
    assert {line.split(" | ")[-1] for line in lines if "stale" in line} == {
        "The here app starts in app.py.",
        "The project starts in app.py.",
    }
