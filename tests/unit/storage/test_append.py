"""Appending to a file of lines: whole, flushed, on a line of its own, or not at all (R1, R2, A33, rows 18, 24, 27, 44)."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace.errors import ConflictError, InvalidError, TooLargeError, UnavailableError
from commonplace.storage import append
from commonplace.storage.append import append_line, append_lines, read_lines


def lines(path: Path, limit: int = 1_000) -> list[tuple[int, bytes, bool]]:
    return [tuple(line) for line in read_lines(str(path), limit)]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


def test_what_was_appended_stands_on_lines_of_its_own_in_order(ledger: Path) -> None:
    append_line(str(ledger), b"one")
    append_line(str(ledger), b"two")
    assert ledger.read_bytes() == b"one\ntwo\n"
    assert lines(ledger) == [(1, b"one", False), (2, b"two", False)]


def test_the_stamp_says_what_the_file_looks_like_now(ledger: Path) -> None:
    stamp = append_line(str(ledger), b"one")
    now = ledger.stat()
    assert stamp == (now.st_size, now.st_mtime_ns, now.st_ino)


def test_several_lines_come_together(ledger: Path) -> None:
    append_lines(str(ledger), [b"one", b"two"])
    assert ledger.read_bytes() == b"one\ntwo\n"


def test_appending_nothing_changes_nothing(ledger: Path) -> None:
    ledger.write_bytes(b"torn")
    append_lines(str(ledger), [])
    assert ledger.read_bytes() == b"torn"


def test_a_torn_last_line_is_kept_and_ours_begins_on_a_new_one(ledger: Path) -> None:
    """Row 27, at every byte."""
    whole = b'{"id":"m-1"}\n{"id":"m-2"}\n'
    for cut in range(len(whole) + 1):
        ledger.write_bytes(whole[:cut])
        append_line(str(ledger), b"mine")
        kept = [raw for _, raw, _ in lines(ledger)]
        assert kept[-1] == b"mine"
        assert b"\n".join(kept[:-1]) == whole[:cut].removesuffix(b"\n")


def test_a_line_with_a_line_end_in_it_is_refused_and_changes_nothing(ledger: Path) -> None:
    append_line(str(ledger), b"one")
    with pytest.raises(InvalidError):
        append_line(str(ledger), b"two\nthree")
    assert ledger.read_bytes() == b"one\n"


def test_without_create_a_missing_file_stays_missing(ledger: Path) -> None:
    """R4: a lost file is not taken for a new one."""
    with pytest.raises(UnavailableError) as refused:
        append_line(str(ledger), b"one", create=False)
    assert refused.value.code == "missing"
    assert not ledger.exists()


def test_a_new_file_is_the_users_alone(ledger: Path) -> None:
    """Row 105, under any umask."""
    before = os.umask(0)
    try:
        append_line(str(ledger), b"one")
    finally:
        os.umask(before)
    assert ledger.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe"])
def test_what_is_no_plain_file_is_refused_and_not_followed(tmp_path: Path, ledger: Path, kind: str) -> None:
    """Rows 44 and 84, R6: at once, and nothing behind it is touched."""
    outside = tmp_path / "outside"
    if kind == "link":
        outside.write_bytes(b"theirs\n")
        ledger.symlink_to(outside)
    elif kind == "dangling":
        ledger.symlink_to(outside)
    elif kind == "folder":
        ledger.mkdir()
    else:
        os.mkfifo(ledger)
    with pytest.raises(InvalidError) as refused:
        append_line(str(ledger), b"mine")
    assert refused.value.code == "unsafe_path"
    assert outside.exists() == (kind == "link")
    if kind == "link":
        assert outside.read_bytes() == b"theirs\n"
    with pytest.raises(InvalidError):
        lines(ledger)


def test_a_file_with_another_name_outside_is_parted_from_it_first(tmp_path: Path, ledger: Path) -> None:
    """Row 44: nothing is written into the other name's file."""
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs\n")
    os.link(outside, ledger)
    append_line(str(ledger), b"mine")
    assert (outside.read_bytes(), ledger.read_bytes()) == (b"theirs\n", b"theirs\nmine\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.jsonl", "outside"]


def test_a_file_that_an_editor_replaced_meanwhile_is_a_conflict(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 47: the editor's version stays as it is."""
    append_line(str(ledger), b"one")
    real = os.fsync

    def saved_by_an_editor(fd: int) -> None:
        real(fd)
        edited = ledger.with_suffix(".new")
        edited.write_bytes(b"edited\n")
        edited.replace(ledger)

    monkeypatch.setattr(append.os, "fsync", saved_by_an_editor)
    with pytest.raises(ConflictError):
        append_line(str(ledger), b"two")
    assert ledger.read_bytes() == b"edited\n"


def test_when_the_flush_fails_nothing_is_acknowledged_and_the_line_is_gone(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 16: a failed fsync is never asked again and called a success."""
    append_line(str(ledger), b"one")

    def failing(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(append.os, "fsync", failing)
    with pytest.raises(UnavailableError) as refused:
        append_line(str(ledger), b"two")
    assert refused.value.code == "io_error"
    assert ledger.read_bytes() == b"one\n"


_AT_THE_LIMIT = """
import resource, sys
from commonplace.errors import UnavailableError
from commonplace.storage.append import append_line
resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
try:
    append_line(sys.argv[1], b"x" * 500)
except UnavailableError as refused:
    print(refused.code)
"""


@pytest.mark.parametrize("before", [b"", b"one\n", b"torn"])
def test_a_short_write_is_taken_back(ledger: Path, before: bytes) -> None:
    """Rows 18 and 24: the kernel takes 200 bytes and no more."""
    if before:
        ledger.write_bytes(before)
    done = subprocess.run([sys.executable, "-c", _AT_THE_LIMIT, ledger], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "disk_full"
    assert ledger.exists() == bool(before)
    if before:
        assert ledger.read_bytes() == before


def test_the_name_is_flushed_by_the_first_append_of_each_process(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its creator may have been killed before that: the file's bytes would be safe, its name not."""
    ledger.write_bytes(b"one\n")
    flushed: list[str] = []
    monkeypatch.setattr(append, "flush_folder", flushed.append)
    append_line(str(ledger), b"two")
    append_line(str(ledger), b"three")
    assert flushed == [str(ledger)]


def test_a_line_longer_than_the_limit_is_cut_so_that_it_shows_and_the_others_are_served(ledger: Path) -> None:
    """Row 43."""
    ledger.write_bytes(b"short\n" + b"x" * 10 + b"\n" + b"y" * 11 + b"\n" + b"z" * 300_000 + b"\nlast")
    assert lines(ledger, 10) == [
        (1, b"short", False),
        (2, b"x" * 10, False),
        (3, b"y" * 11, False),
        (4, b"z" * 11, False),
        (5, b"last", True),
    ]


def test_a_line_of_half_a_gigabyte_costs_no_memory(ledger: Path) -> None:
    """Row 43, R6."""
    with ledger.open("wb") as file:
        file.truncate(512 * 1024 * 1024)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert [(number, len(raw), torn) for number, raw, torn in lines(ledger, 1_000)] == [(1, 1_001, True)]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_file_of_a_terabyte_is_refused(ledger: Path) -> None:
    """Row 43."""
    with ledger.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLargeError):
        lines(ledger)


def test_odd_lines_are_handed_over_as_they_are(ledger: Path) -> None:
    """Rows 29, 31, 32: judging them is the reader's business."""
    ledger.write_bytes(b"\xef\xbb\xbf{}\r\n\n  \nnull\n\xff\xfe\n\x00\n")
    assert [raw for _, raw, _ in lines(ledger)] == [b"\xef\xbb\xbf{}\r", b"", b"  ", b"null", b"\xff\xfe", b"\x00"]
