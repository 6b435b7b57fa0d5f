"""A real book, the desk in front of it, and clients of every version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Book
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.reach import OwnBook
from commonplace.surfaces.mcp.versions import VERSIONS
from unit.mcp.speaking import Client


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'book.sqlite'}"


@pytest.fixture
def own(url: str) -> Iterator[OwnBook]:
    book = OwnBook(url, "agent:mcp")
    yield book
    book.close()


@pytest.fixture
def desk(own: OwnBook) -> Desk:
    return Desk(own.ask, agent="mcp")


@pytest.fixture
def client(desk: Desk) -> Client:
    return Client(desk, "2025-11-25")


@pytest.fixture(params=VERSIONS)
def any_client(desk: Desk, request: pytest.FixtureRequest) -> Client:
    return Client(desk, request.param)


@pytest.fixture
def person(url: str) -> Iterator[Book]:
    """The same book, as the person opens it."""
    with commonplace.open(url, actor="alice") as book:
        yield book
