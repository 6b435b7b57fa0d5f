"""A session leaves one small file until it is over: written once, renamed once, gone after thirty days (A75)."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commonplace.surfaces.hooks.markers import IDLE_SECONDS, KEPT_SECONDS, Marker, cache_folder, folder_for, tidy


def _aged(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


def test_a_session_is_marked_once_and_keeps_what_was_said_first(folder: Path) -> None:
    Marker(str(folder), "s1").begin({"host": "codex", "project": "atlas"})
    file = folder / "session-id-s1.start"
    before = file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    Marker(str(folder), "s1").begin({"host": "other", "project": "borealis"})
    assert file.read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["session-id-s1.start"]


def test_a_session_that_is_over_is_reflected_and_one_that_goes_on_is_started_again(folder: Path) -> None:
    marker = Marker(str(folder), "s1")
    marker.begin({"host": "codex"})
    assert marker.reflect()
    assert [path.name for path in folder.iterdir()] == ["session-id-s1.reflected"]
    assert not marker.reflect(), "only the first one says so"
    again = Marker(str(folder), "s1")
    again.note(captured=12)
    again.begin({"host": "codex"})
    assert [path.name for path in folder.iterdir()] == ["session-id-s1.start"]
    assert Marker(str(folder), "s1").number("captured") == 12


def test_of_many_that_end_a_session_one_does(folder: Path) -> None:
    Marker(str(folder), "s1").begin({})
    with ThreadPoolExecutor(8) as pool:
        won = [*pool.map(lambda _: Marker(str(folder), "s1").reflect(), range(32))]
    assert sum(won) == 1


def test_after_an_hour_a_session_is_idle_and_after_thirty_days_its_file_goes(folder: Path) -> None:
    for name in ("new", "idle", "old", "old-reflected"):
        Marker(str(folder), name).begin({"host": "codex"})
    Marker(str(folder), "old-reflected").reflect()
    _aged(folder / "session-id-idle.start", IDLE_SECONDS + 1)
    _aged(folder / "session-id-old.start", KEPT_SECONDS + 1)
    _aged(folder / "session-id-old-reflected.reflected", KEPT_SECONDS + 1)
    (folder / "somebody-elses.txt").write_text("stays")
    _aged(folder / "somebody-elses.txt", KEPT_SECONDS + 1)
    assert [marker.session for marker in tidy(str(folder))] == ["idle"]
    assert {path.name for path in folder.iterdir()} == {
        "session-id-new.start",
        "session-id-idle.start",
        "somebody-elses.txt",
    }
    assert (IDLE_SECONDS, KEPT_SECONDS) == (3_600, 30 * 86_400)


def test_a_prompt_keeps_a_session_from_being_idle(folder: Path) -> None:
    Marker(str(folder), "s1").begin({})
    _aged(folder / "session-id-s1.start", IDLE_SECONDS + 1)
    Marker(str(folder), "s1").begin({})
    assert tidy(str(folder)) == []


def test_a_marker_that_is_a_link_or_nonsense_is_no_reason_to_fail(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    (tmp_path / "secret").write_text('{"transcript": "/etc/passwd"}')
    (folder / "session-id-link.start").symlink_to(tmp_path / "secret")
    (folder / "session-id-odd.start").write_text("nonsense")
    (folder / "session-id-list.start").write_text("[1]")
    for name in ("link", "odd", "list"):
        assert Marker(str(folder), name).told == {}


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    marker = Marker(str(tmp_path / "file"), "s1")
    marker.begin({"host": "codex"})
    marker.note(captured=1)
    assert not marker.reflect()
    assert tidy(str(tmp_path / "file")) == []


def test_compacting_gives_the_session_a_new_name_in_receipts(folder: Path) -> None:
    marker = Marker(str(folder), "s1")
    assert marker.window == "s1"
    marker.note(compacted=1)
    assert Marker(str(folder), "s1").window == "s1.1"


def test_a_project_with_a_harness_keeps_its_markers_there_and_others_in_the_cache(tmp_path: Path) -> None:
    (tmp_path / "with" / ".harness").mkdir(parents=True)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".harness").symlink_to(tmp_path / "with")
    assert folder_for(str(tmp_path / "with")) == str(tmp_path / "with" / ".harness")
    assert folder_for(str(tmp_path / "linked")) == cache_folder(), "a link may lead anywhere"
    assert folder_for(None) == cache_folder()
    assert cache_folder().startswith(os.environ["XDG_CACHE_HOME"])
