"""What a host tells a model of the tools, and how calls are answered, right or wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.errors import InvalidError
from commonplace.tools import Toolset

from .conftest import found, stored


def test_schemas_for_openai(tools: Toolset) -> None:
    """G14, G21, G25."""
    told = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools.schemas()}
    assert [*told] == ["memory_store", "memory_search", "memory_delete"]
    assert [(takes["required"], [*takes["properties"]]) for takes in told.values()] == [
        (["text"], ["text", "tags", "scope"]),
        ([], ["query", "tag"]),
        (["id"], ["id"]),
    ]
    assert told["memory_store"]["properties"]["text"]["maxLength"] == 500
    assert told["memory_store"]["properties"]["tags"]["maxItems"] == 5
    assert told["memory_store"]["properties"]["scope"]["enum"] == ["user", "workspace", "session"]
    assert all(tool["type"] == "function" and tool["function"]["description"] for tool in tools.schemas("openai"))


def test_schemas_for_anthropic_say_the_same(tools: Toolset) -> None:
    assert [(one["name"], one["description"], one["input_schema"]) for one in tools.schemas(style="anthropic")] == [
        (one["function"]["name"], one["function"]["description"], one["function"]["parameters"])
        for one in tools.schemas()
    ]
    assert json.loads(json.dumps(tools.schemas())) == tools.schemas()


def test_another_style_is_refused_with_the_list(tools: Toolset) -> None:
    with pytest.raises(InvalidError, match="openai, anthropic"):
        tools.schemas("smoke signals")


def test_the_other_surfaces_tools_are_not_in_this_registry(tools: Toolset) -> None:
    """X-4: `memory_search` means something else there; they never stand in one listing."""
    for name in ("memory_recall", "memory_append", "memory_forget"):
        assert tools.dispatch(name, {}) == {"ok": False, "error": f"unknown tool: {name}"}


@pytest.mark.parametrize("name", ["", "memory_update", "_store", "close", "m\nx", "x" * 500, None, 7])
def test_an_unknown_tool_is_answered(tools: Toolset, name: Any) -> None:
    answer = tools.dispatch(name, {})
    assert answer["ok"] is False
    assert answer["error"].startswith("unknown tool: ")
    assert len(answer["error"]) < 80


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[]",
        "null",
        '"text"',
        "7",
        "NaN",
        [],
        7,
        ["text"],
        {1: 2},
        b"\xff",
        "[" * 100_000,
        "9" * 5_000,
        "x" * 2_000_000,
    ],
    ids=lambda value: str(value)[:12],
)
def test_arguments_that_are_none_are_answered(tools: Toolset, arguments: Any) -> None:
    """Row 34."""
    assert tools.dispatch("memory_store", arguments) == {"ok": False, "error": "arguments must be a JSON object"}


@pytest.mark.parametrize("arguments", [None, "", " ", b"", {}, "{}"])
def test_no_arguments_are_no_arguments(tools: Toolset, arguments: Any) -> None:
    assert tools.dispatch("memory_search", arguments) == {"count": 0, "memories": []}


def test_arguments_may_be_json_text_as_hosts_get_it(tools: Toolset) -> None:
    assert tools.dispatch("memory_store", '{"text": "caf\\u00e9"}') == {"ok": True, "id": "m-1"}
    assert tools.dispatch("memory_search", b'{"query": "caf\xc3\xa9"}')["count"] == 1


def test_a_tool_that_is_switched_off_is_neither_told_of_nor_answered(workspace: Path) -> None:
    """G53."""
    settings = {"tools": {"memory_delete": {"enabled": False}, "bash": {"enabled": False}}}
    with Toolset(workspace, settings) as tools:
        assert [tool["name"] for tool in tools.schemas("anthropic")] == ["memory_store", "memory_search"]
        id = stored(tools, "stays")
        assert tools.dispatch("memory_delete", {"id": id}) == {"ok": False, "error": "tool memory_delete is disabled"}
        assert found(tools) == [id]


def test_what_goes_wrong_below_is_answered_with_a_next_step(tools: Toolset, file: Path) -> None:
    """Never an exception in an agent's loop."""
    file.parent.parent.mkdir()
    file.parent.write_text("this is no folder")
    answer = tools.dispatch("memory_store", {"text": "x"})
    assert answer["ok"] is False
    assert len(answer["error"].split(". ")) > 1


def test_a_file_that_is_too_large_is_answered(tools: Toolset, file: Path) -> None:
    """Row 43."""
    file.parent.mkdir(parents=True)
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert "the limit is" in tools.dispatch("memory_search")["error"]
    assert "the limit is" in tools.dispatch("memory_store", {"text": "x"})["error"]


def test_a_book_of_another_kind_can_be_behind_it(tmp_path: Path) -> None:
    """Toolset(book=...): then the ids are the book's own, and nothing is pruned (X-17)."""
    with commonplace.open(f"sqlite:{tmp_path / 'b.sqlite'}", actor="agent:x") as book:
        tools = Toolset(tmp_path, {"memory": {"max_total": 1}}, book)
        ids = [stored(tools, text) for text in ("tabs over spaces", "port 5432")]
        assert found(tools) == ids[::-1] == [record.id for record in book.list()]
        assert ids[0] in tools.memories_for([{"role": "user", "content": "tabs?"}]).text
        assert tools.dispatch("memory_delete", {"id": ids[0]}) == {"ok": True}
        assert found(tools) == ids[1:]
        tools.close()
        assert book.list()


def test_a_book_that_is_open_already_can_be_behind_it(tmp_path: Path) -> None:
    with (
        commonplace.open(f"jsonl:{tmp_path / 'memory'}", actor="agent:x") as book,
        Toolset(tmp_path, None, book) as tools,
    ):
        assert stored(tools, "tabs over spaces") == "m-1"
        assert book.get("m-1").content == "tabs over spaces"
        assert tools.dispatch("memory_delete", {"id": "m-1"}) == {"ok": True}
        assert [*book.list()] == []
