"""The page about locks tells what is really there."""

from __future__ import annotations

import re
from pathlib import Path

from commonplace.storage.lease import lease
from commonplace.storage.locks.owner import Owner
from commonplace.storage.mutex import STALE_SECONDS, Mutex
from commonplace.storage.quarantine import Piece

_PAGE = (Path(__file__).parents[3] / "docs" / "format" / "locks.md").read_text()


def test_every_field_of_a_lock_file_is_described() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", _PAGE, re.MULTILINE))
    assert rows == set(Owner.__struct_fields__)


def test_the_files_have_the_names_on_the_page(tmp_path: Path, cache: Path) -> None:
    with (
        Mutex(str(tmp_path)).held(1.0),
        lease(str(tmp_path), "user:alice"),
        Mutex(str(tmp_path), "other", way="epochs").held(1.0),
    ):
        names = sorted(path.name for path in (cache / "locks").rglob("*") if path.is_file())
        texts = {path.read_text().split(" ")[0] for path in (cache / "locks").rglob("*") if path.is_file()}
    assert [re.sub(r"[0-9a-f]{32}", "KEY", name) for name in names] == ["lease-KEY", "other.000000000001", "write"]
    assert texts == {"held"}
    assert {path.read_text().split()[0] for path in (cache / "locks").rglob("*") if path.is_file()} == {"free"}
    for name in ("lease-KEY", "write.000000000042", "quarantine"):
        assert name in _PAGE


def test_the_times_are_those_on_the_page() -> None:
    numbers = {4: "four", 8: "eight"}
    assert f"every {numbers[int(STALE_SECONDS / 2)]} seconds" in _PAGE
    assert f"for {numbers[int(STALE_SECONDS)]} seconds" in _PAGE


def test_what_is_kept_aside_is_listed_as_the_page_says() -> None:
    assert len(Piece.__struct_fields__) == 5
    assert "hash, size, origin, reason, moment" in _PAGE
