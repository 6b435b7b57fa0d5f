"""What all tests share: books in throw-away folders, a clock that ticks, and one way to look at everything a book holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import commonplace
from commonplace import Book
from commonplace.providers.weights import models_folder
from commonplace.testing.clocks import TickingClock
from commonplace.testing.state import state_of

_SLOW_DISK = [HealthCheck.too_slow, HealthCheck.data_too_large]
# A failure prints a blob that repeats it; COMMONPLACE_SEED repeats a whole run.
settings.register_profile("quick", max_examples=40, deadline=None, print_blob=True, suppress_health_check=_SLOW_DISK)
settings.register_profile("nightly", settings.get_profile("quick"), max_examples=2_000)
settings.load_profile("quick")

Opener = Callable[..., Book]


def pytest_configure(config: pytest.Config) -> None:
    if seed := os.environ.get("COMMONPLACE_SEED"):
        config.option.hypothesis_seed = seed


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model unless a test asks for one: what is tested is then the same wherever the tests run, and quick."""
    for name in ("EMBEDDER", "RERANKER"):
        monkeypatch.setenv(f"COMMONPLACE_{name}", "none")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Catalogs of books in files, and locks, lie in the user's cache folder; not in that of whoever runs the tests."""
    cache = tmp_path_factory.mktemp("cache")
    (cache / "commonplace").mkdir()
    (cache / "commonplace" / "models").symlink_to(models_folder())  # those are for everybody
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        yield


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.sqlite"


@pytest.fixture
def open_book(path: Path, clock: TickingClock) -> Iterator[Opener]:
    """Open the test's book, or another one by its path; whatever is opened is closed at the end."""
    opened: list[Book] = []

    def opener(actor: str = "alice", *, at: Path | str = path, **options: Any) -> Book:
        book = commonplace.open(f"sqlite:{at}", actor=actor, **{"clock": clock, **options})
        opened.append(book)
        return book

    yield opener
    for book in opened:
        book.close()


@pytest.fixture
def book(open_book: Opener) -> Book:
    """The book as its operator opens it."""
    return open_book("alice")


@pytest.fixture
def agent(book: Book, open_book: Opener) -> Book:
    """The same book as an agent opens it."""
    return open_book("agent:claude")


@pytest.fixture
def everything() -> Callable[[Book], dict[str, Any]]:
    """All there is to see of a book; equal before and after means that nothing changed."""
    return lambda book: state_of(book._scribe.canon)
