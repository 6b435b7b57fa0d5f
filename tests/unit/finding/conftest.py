"""What these tests share: a server of meanings, and books that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from providers.server import Server

from .meanings import answering


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(answering()) as running:
        yield running


@pytest.fixture
def with_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Let books that are opened from now on ask this server; the other settings are those of `[embedder]`."""

    def settle(url: str, **settings: Any) -> None:
        said = {"use": url, "model": "m", "timeout": 0.6, "query_timeout": 0.6, **settings}
        config = tmp_path / "config.toml"
        lines = [
            f"{name} = {value!r}" if isinstance(value, str) else f"{name} = {value}" for name, value in said.items()
        ]
        config.write_text("[embedder]\n" + "\n".join(lines).replace("'", '"') + "\n")
        monkeypatch.setenv("COMMONPLACE_CONFIG", str(config))
        monkeypatch.delenv("COMMONPLACE_EMBEDDER", raising=False)

    return settle


@pytest.fixture
def understood(server: Server, with_model: Callable[..., None], open_book: Any) -> Any:
    """A book whose memories have meanings: save, then `index_pending`."""
    with_model(server.url, timeout=30, query_timeout=30)  # it answers at once, on a machine that lets it
    return open_book()


@pytest.fixture
def found() -> Callable[..., list[str]]:
    """The contents that a search brings up, best first."""
    return lambda book, query, **asked: [result.record.content for result in book.search(query, **asked)]


@pytest.fixture
def canon(tmp_path):
    from commonplace.catalog.sqlite.canon import SqliteCanon

    made = SqliteCanon(str(tmp_path / "book.sqlite"), timeout=5.0)
    yield made
    made.close()
