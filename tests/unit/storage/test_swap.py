"""Replacing a file never loses what another put there meanwhile (R3, A36, A63, A-i, row 47)."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.errors import ConflictError, InvalidError, UnavailableError
from commonplace.storage import swap
from commonplace.storage.atomic_write import is_partial
from commonplace.storage.swap import break_links, replace_checked


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "note.md"


@pytest.fixture(params=["exchange", "link"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways: with the kernel's exchange, and without it."""
    if request.param == "link":
        monkeypatch.setattr(swap, "_renameat2", lambda: None)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def save_in_an_editor(note: Path, text: bytes) -> None:
    """As editors do: a new file, renamed over the old one."""
    fresh = note.with_name(".editor")
    fresh.write_bytes(text)
    fresh.replace(note)


def test_this_machine_tests_the_exchange() -> None:
    """Otherwise half of this file would test the other way twice."""
    assert swap._renameat2() is not None


@pytest.mark.usefixtures("_way")
def test_the_file_the_caller_read_is_replaced_and_nothing_else_is_left(note: Path) -> None:
    note.write_bytes(b"old")
    replace_checked(str(note), b"new", sha(b"old"))
    assert note.read_bytes() == b"new"
    assert names(note.parent) == ["note.md"]


@pytest.mark.usefixtures("_way")
def test_a_new_file_appears_and_is_the_users_alone(note: Path) -> None:
    replace_checked(str(note), b"new", None)
    assert note.read_bytes() == b"new"
    assert note.stat().st_mode & 0o777 == 0o600
    assert names(note.parent) == ["note.md"]


@pytest.mark.usefixtures("_way")
def test_what_is_there_already_is_not_replaced_by_a_new_file(note: Path) -> None:
    note.write_bytes(b"theirs")
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"mine", None)
    assert note.read_bytes() == b"theirs"
    assert names(note.parent) == ["note.md"]


@pytest.mark.usefixtures("_way")
def test_a_file_that_changed_since_it_was_read_stays(note: Path) -> None:
    """A-i: the hash is the one the caller read, however long ago."""
    note.write_bytes(b"edited")
    with pytest.raises(ConflictError) as refused:
        replace_checked(str(note), b"mine", sha(b"old"))
    assert refused.value.hint == "Read it again, then reapply your change."
    assert note.read_bytes() == b"edited"
    assert names(note.parent) == ["note.md"]


@pytest.mark.usefixtures("_way")
def test_a_file_that_vanished_since_it_was_read_is_a_conflict_too(note: Path) -> None:
    """A63."""
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"mine", sha(b"old"))
    assert names(note.parent) == []


@pytest.mark.usefixtures("_way")
def test_the_mode_of_a_replaced_file_is_kept(note: Path) -> None:
    note.write_bytes(b"old")
    note.chmod(0o640)
    replace_checked(str(note), b"new", sha(b"old"))
    assert note.stat().st_mode & 0o777 == 0o640


@pytest.mark.usefixtures("_way")
def test_a_link_at_the_name_is_neither_followed_nor_replaced(note: Path) -> None:
    """Row 44."""
    outside = note.with_name("outside")
    outside.write_bytes(b"old")
    note.symlink_to(outside)
    with pytest.raises(InvalidError):
        replace_checked(str(note), b"mine", sha(b"old"))
    assert note.is_symlink()
    assert outside.read_bytes() == b"old"


@pytest.mark.usefixtures("_way")
def test_where_nothing_can_be_written_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError) as refused:
        replace_checked(str(tmp_path / "no-such-folder" / "note.md"), b"x", None)
    assert refused.value.code == "missing"


def before_the_exchange(monkeypatch: pytest.MonkeyPatch, *deeds: Callable[[], None]) -> None:
    """Let others act in the very moment before each exchange."""
    waiting, real = list(deeds), swap._rename

    def rename(old: str, new: str, how: int) -> bool:
        if waiting:
            waiting.pop(0)()
        return real(old, new, how)

    monkeypatch.setattr(swap, "_rename", rename)


def test_a_save_in_the_last_moment_is_put_back(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 47, in the one moment that comparing first cannot see."""
    note.write_bytes(b"old")
    before_the_exchange(monkeypatch, lambda: save_in_an_editor(note, b"edited"))
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"mine", sha(b"old"))
    assert note.read_bytes() == b"edited"
    assert names(note.parent) == ["note.md"]


def test_two_saves_in_the_last_moments_are_both_kept(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest stays at the name, the other beside it under a name that says conflict."""
    note.write_bytes(b"old")
    before_the_exchange(
        monkeypatch, lambda: save_in_an_editor(note, b"first"), lambda: save_in_an_editor(note, b"second")
    )
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"mine", sha(b"old"))
    assert note.read_bytes() == b"second"
    [beside] = [name for name in names(note.parent) if name != "note.md"]
    assert beside.startswith("note (conflicted copy ")
    assert note.with_name(beside).read_bytes() == b"first"


def test_a_deletion_in_the_last_moment_is_a_conflict(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note.write_bytes(b"old")
    before_the_exchange(monkeypatch, note.unlink)
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"mine", sha(b"old"))
    assert names(note.parent) == []


def test_a_deletion_while_a_save_is_put_back_keeps_the_save(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note.write_bytes(b"old")
    before_the_exchange(monkeypatch, lambda: save_in_an_editor(note, b"edited"), note.unlink)
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"mine", sha(b"old"))
    [beside] = names(note.parent)
    assert note.with_name(beside).read_bytes() == b"edited"


def test_a_link_planted_in_the_last_moment_is_put_back(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 84."""
    outside = note.with_name("outside")
    outside.write_bytes(b"old")

    def plant() -> None:
        note.unlink()
        note.symlink_to(outside)

    note.write_bytes(b"old")
    before_the_exchange(monkeypatch, plant)
    with pytest.raises(InvalidError):
        replace_checked(str(note), b"mine", sha(b"old"))
    assert note.is_symlink()
    assert outside.read_bytes() == b"old"


@pytest.mark.usefixtures("_way")
def test_another_name_of_the_replaced_file_keeps_its_bytes(note: Path) -> None:
    """Row 44: a hard link outside is never written through."""
    other = note.with_name("other.md")
    note.write_bytes(b"old")
    os.link(note, other)
    replace_checked(str(note), b"new", sha(b"old"))
    assert (note.read_bytes(), other.read_bytes()) == (b"new", b"old")


def test_a_file_with_other_names_is_parted_from_them(note: Path) -> None:
    """Row 44: what is written next reaches this name alone."""
    other = note.with_name("other.md")
    note.write_bytes(b"text")
    os.link(note, other)
    break_links(str(note))
    assert note.read_bytes() == other.read_bytes() == b"text"
    assert not note.samefile(other)


_EDITOR = """
import hashlib, json, os, sys, time
from commonplace.storage.swap import _EXCHANGE, _rename
note, rounds = sys.argv[1], int(sys.argv[2])
for number in range(rounds):
    fresh = note + ".editor"
    text = f"editor {number}".encode()
    with open(fresh, "wb") as file:
        file.write(text)
    _rename(fresh, note, _EXCHANGE)  # a save that can say what it replaced
    with open(fresh, "rb") as file:
        print(json.dumps([text.decode(), file.read().decode()]), flush=True)
    os.unlink(fresh)
    time.sleep(0.0007)
"""


@pytest.mark.parametrize("rounds", [300, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_no_version_is_lost_between_an_editor_and_us(
    note: Path, tmp_path_factory: pytest.TempPathFactory, rounds: int
) -> None:
    """R3: every version was replaced by its own author, or by somebody who had read it, or is on disk."""
    note.write_bytes(b"begin")
    log = tmp_path_factory.mktemp("log") / "saves"
    with log.open("w") as told:
        editor = subprocess.Popen([sys.executable, "-c", _EDITOR, note, str(rounds)], stdout=told)
    ours, replaced, conflicts = ["begin"], [], 0
    while editor.poll() is None:
        read = note.read_bytes()
        try:
            replace_checked(str(note), f"ours {len(ours)}".encode(), sha(read))
        except ConflictError:
            conflicts += 1
        else:
            replaced.append(read.decode())
            ours.append(f"ours {len(ours)}")
    saves = [json.loads(line) for line in log.read_text().splitlines()]
    on_disk = [path.read_text() for path in note.parent.iterdir()]
    accounted = {*replaced, *on_disk, *(gone for _, gone in saves)}
    print(f"{len(ours)} of ours, {len(saves)} of the editor's, {conflicts} conflicts, {len(on_disk) - 1} kept beside")
    assert editor.returncode == 0
    assert len(saves) == rounds
    assert [text for text, _ in saves if text not in accounted] == []
    assert [text for text in ours if text not in accounted] == []


class Appender(threading.Thread):
    """A program that knows no lock: it opened the file before it was replaced, and writes and closes a while after."""

    def __init__(self, path: Path, line: bytes, *, late: float = 0.02) -> None:
        super().__init__()
        self._path, self._line, self._late = path, line, late
        self._file = path.open("ab", buffering=0)
        self._was = os.fstat(self._file.fileno()).st_ino
        self.start()

    def run(self) -> None:
        while self._path.stat().st_ino == self._was:
            time.sleep(0.0002)
        time.sleep(self._late)
        self._file.write(self._line)
        self._file.close()


def test_who_opened_the_file_before_and_writes_after_the_exchange_loses_nothing(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R3, row 47: the old file has no name any more when the line is written. It is put back with the line in it."""
    monkeypatch.setattr(swap, "_PATIENCE_SECONDS", 60.0)  # however slow this machine is
    note.write_bytes(b"old\n")
    theirs = Appender(note, b"theirs\n")
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"new\n", sha(b"old\n"))
    theirs.join()
    assert note.read_bytes() == b"old\ntheirs\n"
    assert names(note.parent) == ["note.md"]


def test_the_control_that_compares_at_once_loses_the_line(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swap, "wait_for_writers", lambda path, seconds: True)
    note.write_bytes(b"old\n")
    theirs = Appender(note, b"theirs\n")
    replace_checked(str(note), b"new\n", sha(b"old\n"))
    theirs.join()
    assert note.read_bytes() == b"new\n"
    assert names(note.parent) == ["note.md"]


@pytest.mark.usefixtures("_way")
def test_what_somebody_keeps_open_is_looked_at_again_with_the_next_change(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R3: a log that is open all day. Nobody waits for it, and what it wrote in the end lies beside."""
    monkeypatch.setattr(swap, "_PATIENCE_SECONDS", 0.01)
    note.write_bytes(b"old\n")
    with note.open("ab", buffering=0) as theirs:
        replace_checked(str(note), b"new\n", sha(b"old\n"))
        replace_checked(str(note), b"newer\n", sha(b"new\n"))
        [held] = [name for name in names(note.parent) if name != "note.md"]
        assert is_partial(held), "doctor has a word for it"
        theirs.write(b"theirs\n")
    replace_checked(str(note), b"newest\n", sha(b"newer\n"))
    assert note.read_bytes() == b"newest\n"
    [beside] = [name for name in names(note.parent) if name != "note.md"]
    assert "conflicted copy" in beside
    assert note.with_name(beside).read_bytes() == b"old\ntheirs\n"


@pytest.mark.usefixtures("_way")
def test_what_somebody_kept_open_and_never_wrote_to_goes_with_the_next_change(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "_PATIENCE_SECONDS", 0.01)
    note.write_bytes(b"old\n")
    with note.open("ab"):
        replace_checked(str(note), b"new\n", sha(b"old\n"))
        assert len(names(note.parent)) == 2
    replace_checked(str(note), b"newer\n", sha(b"new\n"))
    assert names(note.parent) == ["note.md"]


@pytest.mark.usefixtures("_way")
def test_a_reader_is_not_waited_for(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swap, "_PATIENCE_SECONDS", 60.0)
    note.write_bytes(b"old\n")
    with note.open("rb") as reader:
        replace_checked(str(note), b"new\n", sha(b"old\n"))
        assert reader.read() == b"old\n"
    assert names(note.parent) == ["note.md"]


def test_who_writes_to_ours_before_theirs_is_put_back_loses_nothing(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two strangers in one moment: one saved before the exchange, one appended to what stood there until it was undone."""
    note.write_bytes(b"old\n")

    def append() -> None:
        with note.open("ab") as file:
            file.write(b"second\n")

    before_the_exchange(monkeypatch, lambda: save_in_an_editor(note, b"first\n"), append)
    with pytest.raises(ConflictError):
        replace_checked(str(note), b"mine\n", sha(b"old\n"))
    assert note.read_bytes() == b"first\n"
    [beside] = [name for name in names(note.parent) if name != "note.md"]
    assert note.with_name(beside).read_bytes() == b"mine\nsecond\n"


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("old", [None, b"old"], ids=["new", "replaced"])
def test_bytes_are_flushed_before_they_get_their_name_and_the_name_after(
    note: Path, monkeypatch: pytest.MonkeyPatch, old: bytes | None
) -> None:
    """A34, row 4: else a power cut may leave the name with nothing behind it, or the old file after we said it was replaced."""
    flushed: list[tuple[str, bytes | None]] = []
    really = os.fsync

    def flush(fd: int) -> None:
        what = os.readlink(f"/proc/self/fd/{fd}")
        flushed.append(("folder" if os.path.isdir(what) else "file", note.read_bytes() if note.exists() else None))
        really(fd)

    if old is not None:
        note.write_bytes(old)
    monkeypatch.setattr(os, "fsync", flush)
    replace_checked(str(note), b"new", old and sha(old))
    assert flushed[0] == ("file", old)
    assert flushed[-1] == ("folder", b"new")
