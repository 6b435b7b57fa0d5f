"""A copy of a folder is acknowledged when all of it is on disk, and only then (row 17)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commonplace.errors import UnavailableError
from commonplace.storage import folders
from commonplace.storage.folders import copy_folder


def test_a_folder_of_the_copy_that_cannot_be_listed_is_told_and_nothing_of_the_copy_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "book" / "notes").mkdir(parents=True)
    (tmp_path / "book" / "notes" / "n.md").write_text("The gate opens at seven.\n")
    listed = os.scandir

    def refuse_the_copy(where: str) -> object:
        if ".partial-" in str(where) and str(where).endswith("notes"):
            raise OSError(5, "input/output error", where)
        return listed(where)

    monkeypatch.setattr(folders.os, "scandir", refuse_the_copy)
    with pytest.raises(UnavailableError):
        copy_folder(str(tmp_path / "book"), str(tmp_path / "copy"))
    assert [path.name for path in tmp_path.iterdir()] == ["book"]
