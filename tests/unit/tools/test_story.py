"""The whole of it, as the design verifies it, and the cases of the reference by their meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonplace.tools import Toolset

from .conftest import Opener, found, stored, user


def test_the_verification_of_the_design(workspace: Path) -> None:
    """G42, G1, G5: tools and injection, across sessions."""
    with Toolset(workspace) as first:
        assert first.dispatch("memory_store", {"text": "User prefers tabs over spaces"}) == {"ok": True, "id": "m-1"}
        assert stored(first, "The database is PostgreSQL on port 5432") == "m-2"
    with Toolset(workspace) as second:
        injected = second.inject(user("What indentation style should I use?"))
        assert "- (m-1) User prefers tabs over spaces" in injected[0]["content"]
        (database,) = second.dispatch("memory_search", {"query": "database"})["memories"]
        assert database["text"] == "The database is PostgreSQL on port 5432"
        assert second.dispatch("memory_delete", {"id": "m-1"}) == {"ok": True}
        refused = second.dispatch("memory_store", {"text": "my API key is sk-abc123..."})
        assert refused == {"ok": False, "error": "text appears to contain a secret — not stored"}
        assert found(second) == ["m-2"]


@pytest.fixture
def reference(open_tools: Opener) -> Opener:
    """As the reference counts: from zero (G43, G-a)."""
    return lambda **memory: open_tools(id_start=0, **memory)


def _texts(tools: Toolset) -> list[str]:
    return [memory["text"] for memory in tools.dispatch("memory_search")["memories"]]


def test_reference_store_and_load(reference: Opener) -> None:
    tools = reference()
    assert stored(tools, "User prefers Python", "preference", scope="user") == "m-0"
    assert stored(tools, "DB is Postgres on port 5432", "infra", scope="workspace") == "m-1"
    assert stored(tools, "Deploy to AWS us-east-1") == "m-2"
    tools.close()
    assert _texts(reference())[::-1] == [
        "User prefers Python",
        "DB is Postgres on port 5432",
        "Deploy to AWS us-east-1",
    ]
    assert stored(reference(), "one more") == "m-3"


def test_reference_search(reference: Opener) -> None:
    tools = reference()
    stored(tools, "User prefers Python over JavaScript", "preference", scope="user")
    stored(tools, "DB is Postgres on port 5432", "infra")
    stored(tools, "Deploy to AWS us-east-1", "infra", "deploy")
    assert found(tools, query="python") == ["m-0"]
    assert len(found(tools, tag="infra")) == 2
    assert found(tools, query="aws", tag="deploy") == ["m-2"]
    assert found(tools) == ["m-2", "m-1", "m-0"]
    assert found(tools, query="nonexistent") == []


def test_reference_delete(reference: Opener, file: Path) -> None:
    tools = reference()
    for text in ("keep", "delete me", "keep too"):
        stored(tools, text)
    assert "not found" in tools.dispatch("memory_delete", {"id": "m-99"})["error"]
    assert tools.dispatch("memory_delete", {"id": "m-1"}) == {"ok": True}
    assert found(tools) == found(reference()) == ["m-2", "m-0"]
    assert "delete me" not in file.read_text()
    assert [path.name for path in file.parent.iterdir() if path.suffix == ".tmp"] == []


def test_reference_prune(reference: Opener) -> None:
    tools = reference(max_total=5)
    for letter in "ABCDEF":
        stored(tools, f"entry {letter}")
    assert found(tools)[::-1] == ["m-1", "m-2", "m-3", "m-4", "m-5"]


def test_reference_injection(reference: Opener) -> None:
    tools = reference(inject_mode="relevant")
    assert tools.memories_for(user("anything")).text == ""
    stored(tools, "User prefers Python over JavaScript", "preference", scope="user")
    stored(tools, "DB is Postgres on port 5432", "infra")
    block = tools.memories_for(user("What database should I use?")).text
    assert block.startswith("[Memories]\n- (m-0, preference) ")
    assert reference(inject_mode="off").memories_for(user("anything")).text == ""


def test_reference_recent_only_shows_the_last_five(reference: Opener) -> None:
    tools = reference(inject_mode="recent_only")
    for letter in "ABCDEFGHIJ":
        stored(tools, f"entry {letter}")
    assert tools.memories_for(user("anything")).ids == ("m-5", "m-6", "m-7", "m-8", "m-9")


@pytest.mark.parametrize("mode", ["recent_only", "relevant"])
def test_reference_budget(reference: Opener, mode: str) -> None:
    tools = reference(inject_mode=mode, max_inject_chars=50, max_inject_count=2)
    long = "this is a much longer entry that should push us over the char budget limit easily"
    for text in ("short", "another short entry", long, "fourth entry", "fifth entry"):
        stored(tools, text)
    injection = tools.memories_for(user("anything"))
    assert injection.ids == ("m-3", "m-4")
    assert injection.used <= 50


def test_reference_format(reference: Opener) -> None:
    tools = reference(inject_mode="recent_only")
    stored(tools, "Python preferred", "preference", scope="user")
    stored(tools, "No tags here")
    block = tools.memories_for(user("anything")).text
    assert "(m-0, preference)" in block
    assert "(m-1)" in block


def test_reference_longest_text(reference: Opener) -> None:
    answer: dict[str, Any] = reference().dispatch("memory_store", {"text": "x" * 501})
    assert "500" in answer["error"]
    assert "501" in answer["error"]
