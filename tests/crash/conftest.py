"""Seeds that can be replayed, places that are cleaned up, and what this machine allows."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import children, mounts
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


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """A small closed book with every sort of thing in it, made once and copied by each fault."""
    return Template.make(tmp_path_factory.mktemp("template"))


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
