"""What cannot be understood is kept aside, whole, once, with where it came from (R3; rows 27, 28, 29, 84)."""

from __future__ import annotations

import os
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from commonplace import settings
from commonplace.errors import CommonplaceError, InvalidError, TooLargeError
from commonplace.storage.quarantine import Quarantine


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


@pytest.fixture
def aside(store: Path) -> Quarantine:
    return Quarantine(str(store))


def test_what_is_kept_aside_comes_back_byte_for_byte(aside: Quarantine, store: Path) -> None:
    torn = b'{"id": "m-1", "text": "\xff\x00half'
    piece = aside.keep(torn, origin="memories.jsonl:7", reason="the line is torn off")
    assert aside.read(piece.sha256) == torn
    assert [*Quarantine(str(store)).pieces()] == [piece]
    assert (piece.sha256, piece.size) == (sha256(torn).hexdigest(), len(torn))
    assert (piece.origin, piece.reason) == ("memories.jsonl:7", "the line is torn off")


def test_it_lies_outside_the_store_and_is_the_users_alone(aside: Quarantine, store: Path, cache: Path) -> None:
    piece = aside.keep(b"x", origin="a.md", reason="odd")
    [found] = (cache / "quarantine").rglob(piece.sha256)
    assert found.read_bytes() == b"x"
    assert found.stat().st_mode & 0o777 == 0o600
    assert os.listdir(store) == []


def test_the_same_thing_is_listed_once_and_its_bytes_are_kept_once(aside: Quarantine, cache: Path) -> None:
    one = aside.keep(b"x", origin="a.md", reason="odd")
    assert aside.keep(b"x", origin="a.md", reason="odd") == one
    aside.keep(b"x", origin="b.md", reason="odd")
    assert [piece.origin for piece in aside.pieces()] == ["a.md", "b.md"]
    assert len([*(cache / "quarantine").rglob(one.sha256)]) == 1


def test_many_at_once_keep_it_once(aside: Quarantine) -> None:
    threads = [
        threading.Thread(target=aside.keep, args=(b"x",), kwargs={"origin": "a", "reason": "b"}) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([*aside.pieces()]) == 1


def test_a_torn_line_of_the_list_hides_nothing_else(aside: Quarantine, cache: Path) -> None:
    aside.keep(b"one", origin="a", reason="odd")
    [listed] = (cache / "quarantine").rglob("list.jsonl")
    with listed.open("ab") as file:
        file.write(b'{"sha256": "torn')
    aside.keep(b"two", origin="b", reason="odd")
    assert [piece.origin for piece in aside.pieces()] == ["a", "b"]


def test_bytes_that_were_damaged_are_put_down_again(aside: Quarantine, cache: Path) -> None:
    piece = aside.keep(b"x", origin="a", reason="odd")
    [found] = (cache / "quarantine").rglob(piece.sha256)
    found.write_bytes(b"")
    aside.keep(b"x", origin="b", reason="odd")
    assert aside.read(piece.sha256) == b"x"


@pytest.mark.parametrize("name", ["", "..", "../list.jsonl", "list.jsonl", "A" * 64, "/etc/passwd"])
def test_only_a_hash_names_a_piece(aside: Quarantine, name: str) -> None:
    """R8."""
    with pytest.raises(InvalidError):
        aside.read(name)


def test_a_link_planted_at_a_pieces_name_is_not_written_through(aside: Quarantine, tmp_path: Path, cache: Path) -> None:
    """Row 84."""
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    aside.keep(b"first", origin="a", reason="odd")
    [listed] = (cache / "quarantine").rglob("list.jsonl")
    (listed.parent / sha256(b"x").hexdigest()).symlink_to(outside)
    with pytest.raises(CommonplaceError):
        aside.keep(b"x", origin="b", reason="odd")
    assert outside.read_text() == "theirs"


def test_what_is_purged_is_purged_here_too(aside: Quarantine, cache: Path) -> None:
    """R12: found in no file, and the others stay."""
    aside.keep(b"the code is 4711, half a line", origin="a", reason="torn off")
    other = aside.keep(b"something else", origin="b", reason="torn off")
    assert aside.erase(b"4711") == 1
    assert aside.erase(b"4711") == 0
    assert [*aside.pieces()] == [other]
    assert not [path for path in cache.rglob("*") if path.is_file() and b"4711" in path.read_bytes()]


def test_a_giant_is_refused(aside: Quarantine, monkeypatch: pytest.MonkeyPatch) -> None:
    """R6."""
    monkeypatch.setattr(settings, "MAX_MATERIAL_BYTES", 10)
    with pytest.raises(TooLargeError):
        aside.keep(b"x" * 11, origin="a", reason="odd")
