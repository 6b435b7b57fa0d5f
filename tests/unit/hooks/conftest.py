"""A home of its own for each test: hooks look at the user's folders, and nobody's real ones are for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    for name in ("MEMORY_VAULT_PATH", "COMMONPLACE_BOOK", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def repository(home: Path) -> Git:
    """A folder with a `.git` as git would leave it, made without git."""

    def make(name: str = "work", url: str | None = "git@example.com:team/atlas.git", remote: str = "origin") -> Path:
        folder = home / name
        (folder / ".git").mkdir(parents=True)
        said = f'[remote "{remote}"]\n\turl = {url}\n' if url else ""
        (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{said}")
        return folder

    return make
