"""`memory_search`: a part of the text, a tag, both or neither; newest first."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.tools import Toolset

from .conftest import found, stored


@pytest.fixture
def three(tools: Toolset) -> Toolset:
    """The reference's three."""
    stored(tools, "User prefers Python over JavaScript", "preference", scope="user")
    stored(tools, "DB is Postgres on port 5432", "infra")
    stored(tools, "Deploy to AWS us-east-1", "infra", "deploy")
    return tools


def test_an_answer_has_the_specified_form(three: Toolset) -> None:
    """G21."""
    answer = three.dispatch("memory_search", {"query": "aws"})
    assert answer["count"] == 1
    (memory,) = answer["memories"]
    assert [*memory] == ["id", "text", "tags", "ts"]
    assert (memory["id"], memory["text"], memory["tags"]) == ("m-3", "Deploy to AWS us-east-1", ["infra", "deploy"])
    assert memory["ts"].startswith("2026-05-03T12:00:")
    assert memory["ts"].endswith("Z")


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ({"query": "python"}, ["m-1"]),
        ({"query": "POST"}, ["m-2"]),
        ({"query": "o"}, ["m-3", "m-2", "m-1"]),
        ({"query": "s on p"}, ["m-2"]),
        ({"tag": "infra"}, ["m-3", "m-2"]),
        ({"tag": "INFRA"}, ["m-3", "m-2"]),
        ({"tag": "inf"}, []),
        ({"query": "aws", "tag": "deploy"}, ["m-3"]),
        ({"query": "aws", "tag": "preference"}, []),
        ({}, ["m-3", "m-2", "m-1"]),
        ({"query": "", "tag": ""}, ["m-3", "m-2", "m-1"]),
        ({"query": None, "tag": None}, ["m-3", "m-2", "m-1"]),
        ({"query": "%"}, []),
        ({"query": ".*"}, []),
    ],
)
def test_text_and_tag_are_looked_for_literally_and_both_must_hold(
    three: Toolset, asked: dict[str, str | None], ids: list[str]
) -> None:
    """G22-G24."""
    assert found(three, **asked) == ids


def test_nothing_found_is_an_empty_list(three: Toolset) -> None:
    """G52, G-j."""
    assert three.dispatch("memory_search", {"query": "nonexistent"}) == {"count": 0, "memories": []}


def test_scopes_are_not_looked_at(three: Toolset) -> None:
    """G9, G41."""
    assert "m-1" in found(three)
    assert three.dispatch("memory_search", {"scope": "user"})["error"].startswith("unknown argument: scope")


def test_at_most_twenty_are_shown_the_newest_first(tools: Toolset) -> None:
    """G22, G24."""
    for number in range(25):
        stored(tools, f"fact {number}")
    assert found(tools) == found(tools, query="fact") == [f"m-{number}" for number in range(25, 5, -1)]
    assert tools.dispatch("memory_search")["count"] == 20


def test_what_is_wrong_is_answered(tools: Toolset) -> None:
    assert tools.dispatch("memory_search", {"query": 7}) == {"ok": False, "error": "query must be a string"}
    assert tools.dispatch("memory_search", {"tag": ["x"]}) == {"ok": False, "error": "tag must be a string"}


def test_looking_makes_nothing(tools: Toolset, workspace: Path, cache: Path) -> None:
    assert tools.dispatch("memory_search") == {"count": 0, "memories": []}
    assert [*workspace.iterdir()] == []
    assert not cache.exists()


def test_a_line_that_somebody_adds_or_takes_out_is_seen_at_once(three: Toolset, file: Path) -> None:
    """G28: whoever changes the file, the next call knows; a file that is gone has nothing in it (G51)."""
    with file.open("a") as appended:
        appended.write('{"id":"m-9","text":"by hand"}\n')
    assert found(three)[0] == "m-9"
    file.write_text('{"id":"m-9","text":"by hand"}\n')
    assert found(three) == ["m-9"]
    file.unlink()
    assert found(three) == []


def test_an_edit_that_leaves_size_and_file_the_same_is_seen_too(three: Toolset, file: Path) -> None:
    """G28: within one tick of the file system's clock both versions look alike."""
    for name in ("Python", "Cobol1", "Pascal"):
        before = file.read_bytes()
        with file.open("r+b") as edited:
            edited.write(before.replace(b"Python", name.encode()).replace(b"Cobol1", name.encode()))
        assert found(three, query=name) == ["m-1"]


def test_a_secret_that_people_wrote_into_the_file_is_not_passed_on(three: Toolset, file: Path) -> None:
    """X-16: it goes into a prompt."""
    file.write_text('{"id":"m-1","text":"the key is ghp_k9Qw2Zr7Lm4Xt8Vb1Nc6Yp3Hs5Gd0JfAeRuT, ok"}\n')
    (memory,) = three.dispatch("memory_search")["memories"]
    assert "ghp_" not in memory["text"]
    assert memory["text"].startswith("the key is [REDACTED:")
