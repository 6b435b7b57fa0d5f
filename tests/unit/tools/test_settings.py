"""`agent.json`: defaults, overrides, and mistakes that are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commonplace.errors import InvalidError, TooLargeError
from commonplace.tools import Toolset, ToolSettings


def _agent_json(workspace: Path, content: Any) -> Path:
    (workspace / ".aegis").mkdir(exist_ok=True)
    path = workspace / ".aegis" / "agent.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_defaults_are_the_designs(workspace: Path) -> None:
    """G37, G-d, G-k."""
    settings = Toolset(workspace).settings
    assert (settings.inject_mode, settings.max_inject_chars, settings.max_inject_count) == ("relevant", 2_000, 10)
    assert (settings.max_total, settings.recent_count, settings.fill_recent, settings.id_start) == (500, 5, False, 1)


def test_the_workspaces_own_file_is_read(workspace: Path) -> None:
    """G37, G53: what else stands in it is others'."""
    memory = {
        "inject_mode": "recent_only",
        "max_inject_chars": 1,
        "max_inject_count": 2,
        "max_total": 3,
        "recent_count": 4,
    }
    _agent_json(
        workspace, {"model": "x", "mcp": {}, "memory": memory, "tools": {"memory_store": {"enabled": False, "own": 1}}}
    )
    settings = Toolset(workspace).settings
    assert {name: getattr(settings, name) for name in memory} == memory
    assert settings.disabled == ("memory_store",)


def test_settings_may_be_given_as_content_path_or_settings(workspace: Path, tmp_path: Path) -> None:
    _agent_json(workspace, {"memory": {"max_total": 7}})
    (tmp_path / "other.json").write_text('{"memory": {"max_total": 8}}')
    assert Toolset(workspace, {"memory": {"max_total": 9}}).settings.max_total == 9
    assert Toolset(workspace, tmp_path / "other.json").settings.max_total == 8
    assert Toolset(workspace, str(tmp_path / "other.json")).settings.max_total == 8
    assert Toolset(workspace, ToolSettings(max_total=6)).settings.max_total == 6
    assert Toolset(workspace, {}).settings == ToolSettings()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"memory": {"inject_mode": "always"}}, "memory.inject_mode: must be one of: relevant, recent_only, off"),
        ({"memory": {"max_total": 0}}, "memory.max_total: must be a whole number between 1 and"),
        ({"memory": {"max_total": True}}, "memory.max_total: must be a whole number"),
        ({"memory": {"max_inject_chars": "2000"}}, "memory.max_inject_chars: must be a whole number"),
        ({"memory": {"max_inject_count": -1}}, "memory.max_inject_count: must be a whole number"),
        ({"memory": {"recent_count": 1.5}}, "memory.recent_count: must be a whole number"),
        ({"memory": {"id_start": -1}}, "memory.id_start: must be a whole number between 0 and"),
        ({"memory": {"fill_recent": 1}}, "memory.fill_recent: must be true or false"),
        ({"memory": {"max_totl": 5}}, "memory.max_totl: is not known"),
        ({"memory": {"disabled": []}}, "memory.disabled: is not known"),
        ({"memory": []}, "memory: must be a JSON object"),
        ({"tools": 7}, "tools: must be a JSON object"),
        ({"tools": {"memory_store": False}}, "tools.memory_store: must be a JSON object"),
        ({"tools": {"memory_store": {"enabled": "no"}}}, "tools.memory_store.enabled: must be true or false"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_a_next_step(workspace: Path, given: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidError) as refused:
        Toolset(workspace, given)
    assert refused.value.message.startswith(named)
    assert refused.value.where == named.split(":", maxsplit=1)[0]
    assert "agent.json" in refused.value.hint


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\ufeff\ufeff{}", "[" * 100_000])
def test_a_file_that_is_no_json_object_is_refused_by_name(workspace: Path, content: str) -> None:
    path = _agent_json(workspace, content)
    with pytest.raises(InvalidError, match=r"agent\.json is not a JSON object") as refused:
        Toolset(workspace)
    assert refused.value.where == str(path)


def test_a_file_beyond_reason_is_not_read(workspace: Path) -> None:
    path = _agent_json(workspace, "{}")
    with path.open("r+b") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(TooLargeError):
        Toolset(workspace)


def test_a_file_that_was_named_must_be_there(workspace: Path) -> None:
    from commonplace.errors import CommonplaceError

    with pytest.raises(CommonplaceError):
        Toolset(workspace, workspace / "absent.json")
