"""Every verb does its work through a real process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace.surfaces.operations import OPERATIONS
from e2e.cli.shell import Shell


@pytest.fixture(scope="module")
def sh(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """One book for the whole file: the tests are chapters of one story, in this order."""
    return Shell(tmp_path_factory.mktemp("story"))


@pytest.fixture(scope="module")
def ids(sh: Shell) -> dict[str, str]:
    """What the story is about."""
    return {
        "tabs": sh.quiet("save", "Alice prefers tabs over spaces.", "--type", "profile", "--tags", "editor,style"),
        "8080": sh.quiet("save", "The API listens on port 8080.", "--type", "project", "--project", "atlas"),
        "9090": sh.quiet("save", "The API listens on port 9090.", "--type", "project", "--project", "atlas"),
    }


def test_save_says_what_became_of_it(sh: Shell) -> None:
    said = sh("save", "Releases go out on Fridays.", "--type", "task_hint", "--tag", "team", "--tags", "a,b")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("saved  ")
    assert "Releases go out on Fridays." in said.out


def test_saving_the_same_again_says_how_often_it_was_said(sh: Shell, ids: dict[str, str]) -> None:
    said = sh("save", "alice prefers tabs over spaces.", "--type", "profile")
    assert said.out.startswith(f"known already; said 2 times now  {ids['tabs']}")


def test_get_shows_everything_that_is_known(sh: Shell, ids: dict[str, str]) -> None:
    said = sh("get", ids["tabs"])
    for shown in (ids["tabs"], "Alice prefers tabs over spaces.", "editor, style", "profile/preference", "sha256:"):
        assert shown in said.out


def test_quiet_get_gives_the_content_alone(sh: Shell, ids: dict[str, str]) -> None:
    assert sh("get", ids["tabs"], "-q").out == "Alice prefers tabs over spaces.\n"


def test_list_filters_by_what_is_asked_for(sh: Shell, ids: dict[str, str]) -> None:
    said = sh("list", "--type", "project", "--project", "atlas", "--quiet")
    assert said.out.split() == [ids["9090"], ids["8080"]]


def test_search_finds_and_says_why(sh: Shell, ids: dict[str, str]) -> None:
    said = sh("search", "who likes tabs?")
    assert ids["tabs"] in said.out
    assert "why: it holds the words: tabs" in said.out


def test_link_and_unlink_take_words_in_the_order_one_would_say_them(sh: Shell, ids: dict[str, str]) -> None:
    assert f"{ids['tabs']} related_to {ids['8080']}" in sh("link", ids["tabs"], "related_to", ids["8080"]).out
    assert sh.quiet("links", "--memories", ids["8080"]) == f"{ids['tabs']}>related_to>{ids['8080']}"
    assert sh("unlink", ids["tabs"], "related_to", ids["8080"]).out.startswith("unlinked")


def test_contradict_shows_both_sides(sh: Shell, ids: dict[str, str]) -> None:
    said = sh("contradict", ids["8080"], ids["9090"], "--reason", "two ports")
    assert all(shown in said.out for shown in (ids["8080"], ids["9090"], "two ports"))


def test_explain_tells_source_links_conflict_and_history(sh: Shell, ids: dict[str, str]) -> None:
    said = sh("explain", ids["8080"])
    assert said.out.startswith("alice saved it through cli on ")
    assert all(title in said.out for title in ("Source", "Links", "Conflict", "History"))


def test_what_was_archived_or_forgotten_comes_back(sh: Shell, ids: dict[str, str]) -> None:
    for verb, word in (
        ("archive", "archived"),
        ("restore", "restored"),
        ("forget", "forgotten"),
        ("restore", "restored"),
    ):
        said = sh(verb, ids["9090"], "--reason", "for the test")
        assert said.out.startswith(word), said


def test_an_agent_is_handed_a_fenced_text_and_a_receipt_tells_of_it(sh: Shell, ids: dict[str, str]) -> None:
    handed = sh("context", "set up the editor: tabs or spaces?")
    assert (handed.code, handed.err) == (0, "")
    first, *lines, last = handed.out.splitlines()
    assert first.startswith("<memory ")
    assert last == f"</memory {first.split()[1]}"
    assert any(ids["tabs"] in line for line in lines)
    newest = sh.quiet("receipts", "--limit", "1")
    assert ids["tabs"] in sh("explain", newest).out
    assert newest in sh("explain", ids["tabs"]).out
    assert sh.quiet("receipts", "--memory", ids["tabs"], "--limit", "1") == newest


def test_without_a_model_there_is_nothing_to_index_and_that_is_said(sh: Shell) -> None:
    said = sh("index")
    assert said.code == 0
    assert "everything works on words" in said.out


def test_changing_ones_mind_can_be_seen_and_undone(sh: Shell, ids: dict[str, str]) -> None:
    spaces = sh.quiet("evolve", ids["tabs"], "Alice prefers spaces.", "--reason", "new editor")
    assert f"superseded by  {spaces}" in sh("get", ids["tabs"]).out
    history = sh("history", ids["tabs"], "--json").json
    assert [entry["verb"] for entry in history] == ["save", "reinforce", "link", "unlink", "evolve"]
    assert history[-1]["id"] in sh("journal", "--limit", "1").out
    said = sh("revert", history[-1]["id"], "--reason", "tabs after all")
    assert said.out.startswith(f"reverted  {history[-1]['id']}")
    assert sh("get", ids["tabs"], "--json").json["status"] == "active"


def test_the_past_can_be_asked_for(sh: Shell, ids: dict[str, str]) -> None:
    assert ids["tabs"] in sh("list", "--as-of", "now", "--type", "profile", "-q").out
    assert sh("list", "--as-of", "1w", "-q").out == ""


def test_what_an_agent_claims_about_a_person_waits_for_a_yes_or_no(sh: Shell) -> None:
    claims = [f"Alice likes {what} answers." for what in ("short", "long")]
    one, other = (sh("--actor", "agent:scout", "save", claim, "--type", "profile", "-q").id for claim in claims)
    assert {one, other} == set(sh("list", "--status", "inbox", "-q").out.split())
    assert "waits in the inbox" in sh("--actor", "agent:scout", "save", claims[0], "--type", "profile").out
    assert sh("confirm", one, "--reason", "true").out.startswith("confirmed")
    assert sh("reject", other, "--reason", "hearsay").out.startswith("rejected")


def test_the_journal_answers_for_one_actor(sh: Shell) -> None:
    told = sh("journal", "--actor", "agent:scout", "--json").json
    assert {entry["actor"] for entry in told} == {"agent:scout"}


def test_purge_without_a_terminal_needs_a_yes(sh: Shell) -> None:
    doomed = sh.quiet("save", "This goes for good.", "--type", "episode")
    refused = sh("purge", doomed)
    assert refused.code == 2
    assert "--yes" in refused.err
    assert doomed in sh("purge", doomed, "--dry-run").out
    assert sh("get", doomed).code == 0
    assert sh("purge", doomed, "--yes", "--reason", "asked for").code == 0
    again = sh("purge", doomed, "--yes")
    assert (again.code, "purged before" in again.out, "would" in again.out) == (0, True, False)
    assert sh("get", doomed).code == 13


@pytest.mark.parametrize("verb", ["verify", "doctor", "scan"])
def test_a_sound_book_passes_every_examination(sh: Shell, verb: str) -> None:
    said = sh(verb)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{verb}: all is well")
    assert sh(verb, "--quiet").out == ""


def test_stats_counts_what_is_there(sh: Shell) -> None:
    counted = sh("stats", "--json").json
    assert counted["memories"] == len(sh("list", "--status", "all", "-q", "--limit", "1000").out.split())
    assert f"{counted['memories']} memories" in sh("stats").out


def test_a_book_goes_out_and_comes_in_again(sh: Shell, tmp_path: Path) -> None:
    assert sh("export", str(tmp_path / "book.jsonl")).code == 0
    assert sh("backup", str(tmp_path / "copy.sqlite")).code == 0
    other = ("-b", f"sqlite:{tmp_path / 'other.sqlite'}")
    said = sh("import", str(tmp_path / "book.jsonl"), *other)
    assert (said.code, said.err) == (0, "")
    everything = ("list", "--status", "all", "--limit", "1000", "--json")
    assert sh(*everything, *other).json == sh(*everything).json
    assert sh(*everything, "-b", f"sqlite:{tmp_path / 'copy.sqlite'}").json == sh(*everything).json


def test_a_line_that_was_kept_aside_is_named_and_seen_in_the_exit_code(sh: Shell, tmp_path: Path) -> None:
    exported = tmp_path / "book.jsonl"
    sh("export", str(exported))
    lines = exported.read_text().splitlines()
    (tmp_path / "bad.jsonl").write_text("\n".join([*lines[:-1], json.dumps({"nothing": 1}), lines[-1]]) + "\n")
    said = Shell(tmp_path)("import", str(tmp_path / "bad.jsonl"))
    assert said.code == 1
    assert f"line {len(lines)}" in said.out


TALK = """User: We decided to write the reports in Typst because LaTeX was too slow.
Assistant: Noted. I still have to update the runbook.
User: The staging server runs on port 7070. I prefer short meetings. Please always write the date in full.
"""


def test_a_conversation_is_captured_and_worked_through(sh: Shell) -> None:
    (sh.folder / "talk.txt").write_text(TALK)
    raw = sh.quiet("import-source", "talk.txt", "--title", "Tuesday")
    assert "0 waiting" in sh("queue").out
    event = sh.quiet("capture-conversation", raw, "--project", "borealis")
    assert sh("retry", event).out.startswith("pending"), "what waits may be asked for again"
    assert "1 done" in sh("process").out
    assert sh("event", event).out.startswith("done")
    assert sh("retry", event).code == 18
    (sh.folder / "empty-handed.txt").write_text("User: hello\nAssistant: hello\n")
    assert sh.quiet("capture-session", "empty-handed.txt", "--project", "borealis") != event
    assert "1 done, 0 in the inbox" in sh("work", "--once").out


def test_what_waits_is_answered_one_by_one_or_by_policy(sh: Shell) -> None:
    waiting = {item["record"]["content"]: item for item in sh("inbox", "--json").json}
    ids = [item["record"]["id"] for item in waiting.values()]
    assert len(ids) >= 4
    shown = sh("inbox").out
    assert all(f"+ {said}" in shown for said in waiting)
    assert shown.count("waits: ") == shown.count("evidence: ") == len(ids)
    assert sh("inbox", "accept", ids[0], "--rationale", "it was too slow").code == 0
    edited = sh("inbox", "edit", ids[1], "In other words.", "--rationale", "clearer", "--json").json
    assert (edited["status"], edited["content"]) == ("active", "In other words.")
    assert sh("inbox", "reject", ids[2], "--reason", "hearsay", "--json").json["status"] == "archived"
    assert sh("inbox", "merge", ids[3], ids[0], "--json").json["id"] == ids[0]
    (sh.folder / "policy.toml").write_text('[[accept]]\ntypes = ["project"]\ntrusts = ["agent"]\n')
    assert sh("inbox", "apply", "policy.toml", "--dry-run", "--json").json["accepted"] == []
    later = sh("--actor", "agent:scout", "save", "Alice sings.", "--type", "profile", "-q").id
    assert sh("inbox", "defer", later, "2999-01-01T00:00:00Z").code == 0
    assert later not in sh("inbox", "-q").out
    assert later in sh("inbox", "--deferred").out


def test_a_fact_about_the_person_is_known_by_its_subject(sh: Shell) -> None:
    first = sh.quiet("upsert-profile-fact", "editor", "Alice uses Vim.")
    now = sh("upsert-profile-fact", "editor", "Alice uses Helix.", "--json").json
    assert now["supersedes"] == first


def test_what_disagrees_is_shown_and_a_person_decides(sh: Shell) -> None:
    known = sh.quiet("save", "The API of Borealis listens on port 7001.", "--type", "project", "--project", "borealis")
    (sh.folder / "note.txt").write_text("User: The API of Borealis listens on port 7002.\n")
    sh("capture-session", "note.txt", "--project", "borealis")
    sh("process")
    claim = next(item for item in sh("inbox", "--json").json if "7002" in item["record"]["content"])["record"]["id"]
    assert "would do 1" in sh("consolidate", "--dry-run", "--ids", claim).out
    assert f"conflict {claim}" in sh("consolidate", "--ids", claim).out
    conflict = next(one for one in sh("conflicts", "--json").json if claim in (one["left_id"], one["right_id"]))
    assert sh("promote", claim).code == 18, "what disagrees is not promoted before somebody has decided"
    said = sh("resolve", conflict["id"], claim, "--reason", "the config says 7001")
    assert said.code == 0
    assert {sh("get", id, "--json").json["status"] for id in (known, claim)} == {"active", "contradicted"}


def test_a_patch_is_applied_whole(sh: Shell) -> None:
    said = sh("retain", "W The staging server is called heron.", "--digest", "Heron is staging.", "--json").json
    assert {record["kind"] for record in said} >= {"digest"}


def test_a_book_is_copied_into_files_and_proved(sh: Shell) -> None:
    said = sh("copy", f"sqlite:{sh.folder / 'book.sqlite'}", f"vault:{sh.folder / 'notes'}", "--verify")
    assert said.code == 0, said.err
    assert said.out.count("equal") == 8
    assert list((sh.folder / "notes").rglob("*.md"))


def test_what_is_the_persons_own_is_not_changed_where_nobody_can_be_asked(sh: Shell) -> None:
    (sh.folder / "notes" / "Mine.md").write_text("Sunny.\n")
    refused = sh("write-personal", "Mine", "Rain.", "--authorisation", "Ann", "--book", f"vault:{sh.folder / 'notes'}")
    assert refused.code == 17, refused.err
    assert (sh.folder / "notes" / "Mine.md").read_text() == "Sunny.\n"


def test_every_verb_of_the_table_was_used_above(sh: Shell) -> None:
    used = {word for words in sh.ran for word in (*words, "-".join(words[:2]))}
    assert {operation.name for operation in OPERATIONS} <= used
