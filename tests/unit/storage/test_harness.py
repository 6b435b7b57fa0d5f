"""Plan, progress and features of a harness go through the same seam (A5, A16)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from commonplace.errors import ConflictError, CorruptError, InvalidError
from commonplace.seam.storage import StorageBackend
from commonplace.storage.device_local import DeviceLocal
from commonplace.storage.harness import HarnessState
from commonplace.storage.synced_vault import SyncedVault


@pytest.fixture(params=[DeviceLocal, SyncedVault])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> StorageBackend:
    made: StorageBackend = request.param(str(tmp_path))
    return made


def test_a_plan_is_kept_where_the_layout_says(backend: StorageBackend, tmp_path: Path) -> None:
    state = HarnessState(backend, "atlas")
    state.write_plan("# Plan\n", state.plan().hash)
    assert HarnessState(backend, "atlas").plan().text == "# Plan\n"
    assert (tmp_path / "projects/atlas/_harness/PLAN.md").read_text() == "# Plan\n"


def test_two_that_plan_at_once_hear_of_each_other(backend: StorageBackend) -> None:
    one, other = HarnessState(backend, "atlas"), HarnessState(backend, "atlas")
    before = one.plan().hash
    other.write_plan("theirs", other.plan().hash)
    with pytest.raises(ConflictError):
        one.write_plan("mine", before)
    assert one.plan().text == "theirs"


def test_nobodys_progress_is_lost(backend: StorageBackend) -> None:
    def work(name: str) -> None:
        for number in range(10):
            HarnessState(backend, "atlas").note_progress(f"{name} {number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = HarnessState(backend, "atlas").progress()
    assert sorted(lines) == sorted(f"{name} {number}" for name in "abc" for number in range(10))
    assert [line for line in lines if line.startswith("a")] == [f"a {number}" for number in range(10)]


def test_a_line_that_a_person_left_without_its_end_is_kept(backend: StorageBackend, tmp_path: Path) -> None:
    state = HarnessState(backend, "atlas")
    state.note_progress("first")
    (tmp_path / "projects/atlas/_harness/progress.md").write_text("by hand")
    state.note_progress("second")
    assert state.progress() == ["by hand", "second"]
    with pytest.raises(InvalidError):
        state.note_progress("two\nlines")


def test_each_feature_is_set_without_touching_the_others(backend: StorageBackend) -> None:
    state = HarnessState(backend, "atlas")
    state.set_feature("search", {"passes": False})
    HarnessState(backend, "atlas").set_feature("save", {"passes": True})
    state.set_feature("search", {"passes": True})
    assert state.features() == {"save": {"passes": True}, "search": {"passes": True}}


@pytest.mark.parametrize("text", ["{", "[]", "7", "[" * 100_000])
def test_features_that_cannot_be_read_are_not_written_over(backend: StorageBackend, tmp_path: Path, text: str) -> None:
    """R3."""
    state = HarnessState(backend, "atlas")
    state.set_feature("a", 1)
    file = tmp_path / "projects/atlas/_harness/features.json"
    file.write_text(text)
    with pytest.raises(CorruptError):
        state.set_feature("b", 2)
    assert file.read_text() == text


@pytest.mark.parametrize("project", ["", "..", "a/b", "/", "../x"])
def test_a_projects_name_is_one_part(backend: StorageBackend, project: str) -> None:
    with pytest.raises(InvalidError):
        HarnessState(backend, project)
