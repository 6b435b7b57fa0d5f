"""The sample vault, copied for each test, and books in it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

_MAKER = Path(__file__).parents[3] / "samples" / "obsidian" / "make_vault.py"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catalogs of file books lie in the user's cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def make_vault(tmp_path: Path) -> Callable[[int], Path]:
    """The vault of `tests/samples/obsidian`, with this many free notes."""
    spec = importlib.util.spec_from_file_location("make_vault", _MAKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def make(free_notes: int = 0) -> Path:
        module.make(tmp_path / "vault", free_notes)
        return tmp_path / "vault"

    return make


@pytest.fixture
def everything_in() -> Callable[[Path], dict[str, tuple[bytes, int]]]:
    """Every file below a folder: its bytes, and when it was last written."""
    return lambda folder: {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }
