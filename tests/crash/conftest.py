"""Seeds that can be replayed, places that are cleaned up, and what this machine allows."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from . import books, children, mounts
from .books import Template


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """`COMMONPLACE_SEED` replays a run. The default run has a fixed seed, the nightly one a fresh one; both are printed."""
    fresh = random.SystemRandom().randrange(1 << 32) if request.node.get_closest_marker("nightly") else 20261115
    chosen = int(os.environ.get("COMMONPLACE_SEED", fresh))
    print(f"replay with COMMONPLACE_SEED={chosen}")
    return chosen


@pytest.fixture
def rng(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.fixture(autouse=True)
def scheme(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The canon of this test's books; SQLite unless the test asks for others. Catalogs of file books lie in its own folder."""
    chosen: str = getattr(request, "param", "sqlite")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    books.use(chosen)
    yield chosen
    books.use("sqlite")


@pytest.fixture(scope="session")
def _templates(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Template]:
    made: dict[str, Template] = {}

    def template_of(scheme: str) -> Template:
        if scheme not in made:
            made[scheme] = Template.make(tmp_path_factory.mktemp(f"template-{scheme}"))
        return made[scheme]

    return template_of


@pytest.fixture
def template(scheme: str, _templates: Callable[[str], Template]) -> Template:
    """A small closed book with every sort of thing in it, made once per canon and copied by each fault."""
    return _templates(scheme)


@pytest.fixture(autouse=True)
def _nothing_outlives_the_test() -> Iterator[None]:
    yield
    children.end_all()
    mounts.let_go_of_all()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An empty folder for faults that copy and destroy a lot; removed at once instead of kept by pytest."""
    where = tmp_path / "place"
    where.mkdir()
    yield where
    shutil.rmtree(where, ignore_errors=True)
