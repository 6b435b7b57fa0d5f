"""`memory_store`: what is stored, what is refused, and what makes room."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.testing.clocks import FixedClock
from commonplace.tools import Toolset

from .conftest import Opener, found, stored

Lines = Callable[[], list[dict[str, Any]]]


def test_a_fact_is_one_line_of_the_specified_file(workspace: Path, file: Path) -> None:
    """G3, G6-G8, G10, G11, G14: the very bytes of the design's example."""
    clock = FixedClock(datetime(2026, 2, 26, 12, 0, tzinfo=UTC))
    with Toolset(workspace, clock=clock) as tools:
        arguments = {"text": "User prefers Python over JavaScript", "tags": ["preference"], "scope": "user"}
        assert tools.dispatch("memory_store", arguments) == {"ok": True, "id": "m-1"}
    assert file.read_text() == (
        '{"id":"m-1","scope":"user","text":"User prefers Python over JavaScript","tags":["preference"],'
        '"ts":"2026-02-26T12:00:00Z"}\n'
    )


def test_ids_count_upwards_and_scope_and_tags_have_defaults(tools: Toolset, lines: Lines) -> None:
    """G6, G8, G10."""
    assert [stored(tools, text) for text in ("a", "b", "c")] == ["m-1", "m-2", "m-3"]
    assert [(line["scope"], line["tags"]) for line in lines()] == [("workspace", [])] * 3


def test_scopes_are_kept_in_their_own_words_and_ours(tools: Toolset, lines: Lines) -> None:
    """G8, X-11."""
    for scope in ("user", "workspace", "session"):
        stored(tools, f"of the {scope}", scope=scope)
    assert [line["scope"] for line in lines()] == ["user", "workspace", "session"]
    with commonplace.open(tools.url) as book:
        assert [str(book.get(f"m-{n}").scope) for n in (1, 2, 3)] == ["global", "repo", "session"]


def test_what_is_stored_survives_a_restart(tools: Toolset, open_tools: Opener) -> None:
    """G4."""
    stored(tools, "The database is PostgreSQL")
    tools.close()
    assert found(open_tools(), query="postgresql") == ["m-1"]


def test_it_is_active_at_once_and_nothing_raw_is_kept(tools: Toolset) -> None:
    """X-5, X-7: an explicit write stands; no source holds a text."""
    stored(tools, "User prefers tabs", scope="user")
    with commonplace.open(tools.url) as book:
        (record,) = book.list()
        assert (record.status, record.trust, book.actor) == ("active", "agent", "operator")
        assert book.history("m-1")[0].surface == "tools"
        source = book.explain("m-1").source
        assert source is None or source.body is None


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "text is required"),
        ({"text": ""}, "text is required"),
        ({"text": " \n "}, "text is required"),
        ({"text": None}, "text is required"),
        ({"text": 7}, "text must be a string"),
        ({"text": "x" * 501}, "text is too long: 501 characters, the limit is 500"),
        ({"text": "x", "tags": "infra"}, "tags must be a list of strings"),
        ({"text": "x", "tags": ["a", 7]}, "tags must be a list of strings"),
        ({"text": "x", "tags": [""]}, "tags must be a list of strings"),
        ({"text": "x", "tags": [*"abcdef"]}, "too many tags: 6, the limit is 5"),
        ({"text": "x", "tags": ["t" * 65]}, "a tag is too long: the limit is 64 characters"),
        ({"text": "x", "scope": "team"}, "scope must be one of: user, workspace, session"),
        ({"text": "x", "scope": ["user"]}, "scope must be a string"),
        ({"text": "x", "topic": "y"}, "unknown argument: topic; memory_store takes: scope, tags, text"),
    ],
)
def test_what_is_wrong_is_answered_and_nothing_is_written(
    tools: Toolset, workspace: Path, arguments: dict[str, Any], error: str
) -> None:
    """G7, G8, G10, G44, G45."""
    assert tools.dispatch("memory_store", arguments) == {"ok": False, "error": error}
    assert [*workspace.iterdir()] == []


@pytest.mark.parametrize("text", ["a\0b", "half \ud800 pair"])
def test_what_no_book_can_keep_is_answered_too(tools: Toolset, workspace: Path, text: str) -> None:
    """Row 33."""
    answer = tools.dispatch("memory_store", {"text": text})
    assert answer["ok"] is False
    assert answer["error"].startswith("content holds")
    assert [*workspace.iterdir()] == []


def test_the_limit_counts_characters_and_five_tags_are_enough(tools: Toolset, lines: Lines) -> None:
    """G7, G10, G44: 500 letters of any alphabet."""
    stored(tools, "ü" * 500, *"abcde")
    assert (lines()[0]["text"], lines()[0]["tags"]) == ("ü" * 500, [*"abcde"])


def test_null_is_as_good_as_nothing(tools: Toolset) -> None:
    assert tools.dispatch("memory_store", {"text": "x", "tags": None, "scope": None}) == {"ok": True, "id": "m-1"}


def test_said_again_it_is_the_same_memory(tools: Toolset, lines: Lines) -> None:
    """Exact duplicates reinforce (A70); the file does not grow."""
    assert stored(tools, "Deploys run on Fridays", "ops") == stored(tools, "deploys  run on fridays", "ops")
    assert [line["text"] for line in lines()] == ["Deploys run on Fridays"]


def test_said_again_under_other_tags_it_is_found_under_all_of_them(tools: Toolset) -> None:
    """G12: no update in place; the line makes way for a new one."""
    stored(tools, "Deploys run on Fridays", "ops")
    id = stored(tools, "Deploys run on Fridays", "release")
    assert found(tools, tag="ops") == found(tools, tag="release") == found(tools) == [id]


def test_the_oldest_make_room(open_tools: Opener, lines: Lines) -> None:
    """G19, and the reference's own case."""
    tools = open_tools(max_total=5)
    for letter in "ABCDEF":
        stored(tools, f"entry {letter}")
    assert [line["id"] for line in lines()] == ["m-2", "m-3", "m-4", "m-5", "m-6"]


def test_room_is_made_before_the_line_is_added(open_tools: Opener, lines: Lines) -> None:
    """G19: also where there are many more than allowed; what was pruned can be brought back under its id (X-17)."""
    tools = open_tools()
    for letter in "ABCDE":
        stored(tools, f"entry {letter}")
    stored(open_tools(max_total=2), "entry F")
    assert [line["id"] for line in lines()] == ["m-5", "m-6"]
    with commonplace.open(tools.url) as book:
        assert [operation.verb for operation in book.journal()][-5:] == [*["archive"] * 4, "save"]
        first = next(record for record in book.list(statuses="archived") if record.content == "entry A")
        book.restore(first.id)
    assert [line["id"] for line in lines()] == ["m-1", "m-5", "m-6"]


def test_what_is_refused_or_said_already_takes_nobodys_place(open_tools: Opener, lines: Lines) -> None:
    tools = open_tools(max_total=2)
    for text in ("one", "two"):
        stored(tools, text)
    tools.dispatch("memory_store", {"text": "a\0b"})
    tools.dispatch("memory_store", {"text": "fine", "tags": ["t" * 65]})
    stored(tools, "two")
    assert [line["text"] for line in lines()] == ["one", "two"]


def test_what_others_stored_at_the_same_moment_is_counted_afterwards(open_tools: Opener, lines: Lines) -> None:
    """G19: whatever came between, no store leaves more than allowed behind."""
    tools = open_tools()
    for text in ("one", "two", "three"):
        stored(tools, text)
    stored(open_tools(max_total=2), "three")
    assert [line["text"] for line in lines()] == ["two", "three"]


def test_an_operators_line_is_pruned_like_any_other(
    tools: Toolset, open_tools: Opener, file: Path, lines: Lines
) -> None:
    """G19: the rule is the file's, whoever wrote the line."""
    stored(tools, "one")
    with file.open("a") as appended:
        appended.write('{"id":"m-7","text":"by hand"}\n')
    stored(open_tools(max_total=1), "three")
    assert [line["id"] for line in lines()] == ["m-8"]


def test_ids_are_never_given_again(tools: Toolset, open_tools: Opener) -> None:
    """G43, G-a: also after a restart."""
    stored(tools, "one")
    tools.dispatch("memory_delete", {"id": stored(tools, "two")})
    tools.close()
    assert stored(open_tools(), "three") == "m-3"


def test_what_people_and_other_programs_wrote_stays(tools: Toolset, file: Path) -> None:
    """G51, G-h: unknown fields and lines that cannot be understood survive a store and a delete."""
    file.parent.mkdir(parents=True)
    theirs = b'{"id":"m-1","text":"by hand","mood":"sunny"}\nnot json\n{"id":"m-2","text":"cut o'
    file.write_bytes(theirs)
    assert stored(tools, "ours") == "m-3"
    assert file.read_bytes().startswith(theirs + b"\n")
    tools.dispatch("memory_delete", {"id": "m-3"})
    assert file.read_bytes() == theirs + b"\n"
    assert found(tools) == ["m-1"]


def test_a_workspace_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with Toolset(tmp_path / "absent") as tools:
        assert tools.dispatch("memory_store", {"text": "x"})["ok"] is False
    assert not (tmp_path / "absent").exists()


def test_answers_are_plain_json(tools: Toolset) -> None:
    stored(tools, "x", "tag")
    answers = [tools.dispatch("memory_search"), tools.dispatch("memory_delete", {"id": "m-1"})]
    assert [json.loads(json.dumps(answer)) for answer in answers] == answers
