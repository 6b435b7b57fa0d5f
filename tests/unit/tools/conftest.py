"""A workspace, its tools, and a look at what lies in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace.testing.clocks import TickingClock
from commonplace.tools import Toolset

Opener = Callable[..., Toolset]
Stored = Callable[..., str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where catalogs lie: as much a throw-away as the rest."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


@pytest.fixture
def file(workspace: Path) -> Path:
    return workspace / ".aegis" / "memory" / "memories.jsonl"


@pytest.fixture
def open_tools(workspace: Path, clock: TickingClock) -> Iterator[Opener]:
    opened: list[Toolset] = []

    def opener(**memory: Any) -> Toolset:
        tools = Toolset(workspace, {"memory": memory}, clock=clock)
        opened.append(tools)
        return tools

    yield opener
    for tools in opened:
        tools.close()


@pytest.fixture
def tools(open_tools: Opener) -> Toolset:
    return open_tools()


@pytest.fixture
def lines(file: Path) -> Callable[[], list[dict[str, Any]]]:
    """The file as anybody reads it, line by line."""
    return lambda: [json.loads(line) for line in file.read_bytes().splitlines()]


def stored(tools: Toolset, text: str, *tags: str, **more: Any) -> str:
    """Store it, and say under which id."""
    answer = tools.dispatch("memory_store", {"text": text, "tags": [*tags], **more})
    assert answer["ok"], answer
    return str(answer["id"])


def found(tools: Toolset, **asked: Any) -> list[str]:
    """The ids of what is found."""
    return [memory["id"] for memory in tools.dispatch("memory_search", asked)["memories"]]


def user(text: Any) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
