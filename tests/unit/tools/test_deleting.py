"""`memory_delete`: what is deleted is gone from every file, and proof without content stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.errors import NotFoundError
from commonplace.tools import Toolset

from .conftest import Opener, found, stored, user

Lines = Callable[[], list[dict[str, Any]]]


def test_a_deleted_memory_is_gone_and_the_others_stay(tools: Toolset, lines: Lines) -> None:
    """G25, and the reference's own case."""
    for text in ("entry one", "entry two", "entry three"):
        stored(tools, text)
    assert tools.dispatch("memory_delete", {"id": "m-2"}) == {"ok": True}
    assert [line["id"] for line in lines()] == ["m-1", "m-3"]
    assert found(tools, query="two") == []


def test_its_text_is_in_no_file_of_the_book_or_its_cache(
    tools: Toolset, open_tools: Opener, workspace: Path, cache: Path
) -> None:
    """G26, X-3, R12: not in the file, the journal, the catalog, a staging or a temporary file; nor after a restart."""
    for text in ("entry one", "hushed entry, quiet", "entry three"):
        stored(tools, text, "whispered")
    tools.inject(user("a quiet entry?"))
    found(tools, query="hushed")
    tools.dispatch("memory_delete", {"id": "m-2"})
    tools.close()
    found(open_tools())
    everything = [path for folder in (workspace, cache) for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "catalog.sqlite" for path in everything)
    assert any(path.name.startswith("journal-") for path in everything)
    assert [path for path in everything if b"hushed" in path.read_bytes()] == []
    assert [path for path in everything if path.suffix == ".tmp" or "partial" in path.name] == []


def test_a_tombstone_without_content_stays(tools: Toolset) -> None:
    """X-3: that it was deleted can be told, and the journal still holds together."""
    stored(tools, "one")
    stored(tools, "two")
    with commonplace.open(tools.url) as book:
        memory = book.get("m-1")
        tools.dispatch("memory_delete", {"id": "m-1"})
        with pytest.raises(NotFoundError):
            book.get("m-1")
        (purged,) = book.journal(verb="purge")
        assert (purged.surface, purged.reason, memory.id in purged.to_json()) == ("tools", "memory_delete", True)
        assert "one" not in purged.to_json()
        assert book.verify()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "id is required"),
        ({"id": ""}, "id is required"),
        ({"id": " "}, "id is required"),
        ({"id": None}, "id is required"),
        ({"id": 1}, "id must be a string"),
        ({"id": "m-99"}, "memory m-99 not found"),
        ({"id": "ghp_abcdefgh12345678"}, "memory (not shown) not found"),
        ({"id": "m-1", "force": True}, "unknown argument: force; memory_delete takes: id"),
    ],
)
def test_what_is_wrong_is_answered_and_nothing_is_deleted(
    tools: Toolset, lines: Lines, arguments: dict[str, Any], error: str
) -> None:
    """G44."""
    stored(tools, "entry")
    assert tools.dispatch("memory_delete", arguments) == {"ok": False, "error": error}
    assert len(lines()) == 1


def test_deleting_twice_says_so_and_an_empty_workspace_has_nothing_to_delete(tools: Toolset, workspace: Path) -> None:
    """G44."""
    assert "not found" in tools.dispatch("memory_delete", {"id": "m-1"})["error"]
    assert [*workspace.iterdir()] == []
    tools.dispatch("memory_delete", {"id": stored(tools, "entry")})
    assert "not found" in tools.dispatch("memory_delete", {"id": "m-1"})["error"]


def test_a_line_that_a_person_wrote_can_be_deleted_too(tools: Toolset, file: Path) -> None:
    """G25: the rule is the file's."""
    file.parent.mkdir(parents=True)
    file.write_text('{"id":"m-4","text":"by hand"}\n{"id":"note","text":"under a name of its own"}\n')
    assert (
        tools.dispatch("memory_delete", {"id": "m-4"})
        == tools.dispatch("memory_delete", {"id": "note"})
        == {"ok": True}
    )
    assert file.read_bytes() == b""


def test_a_correction_is_a_delete_and_a_store(tools: Toolset) -> None:
    """G12."""
    old = stored(tools, "The port is 5432")
    tools.dispatch("memory_delete", {"id": old})
    new = stored(tools, "The port is 5433")
    assert (new != old, found(tools)) == (True, [new])


def test_what_was_deleted_and_is_put_back_by_hand_can_be_deleted_again(tools: Toolset, file: Path) -> None:
    """R12: the book does not take it in again; the line in the file goes all the same."""
    id = stored(tools, "hushed")
    stored(tools, "stays")
    before = file.read_bytes()
    tools.dispatch("memory_delete", {"id": id})
    file.write_bytes(before)
    with commonplace.open(tools.url) as book:
        assert [record.content for record in book.list()] == ["stays"]
    assert tools.dispatch("memory_delete", {"id": id}) == {"ok": True}
    assert b"hushed" not in file.read_bytes()
    assert found(tools) == ["m-2"]


def test_what_was_deleted_can_be_stored_again(tools: Toolset) -> None:
    tools.dispatch("memory_delete", {"id": stored(tools, "The port is 5432")})
    assert stored(tools, "The port is 5432") == "m-2"
    assert found(tools) == ["m-2"]
