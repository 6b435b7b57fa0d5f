"""A folder that cannot be written, from the start or suddenly (rows 15, 21, 26; R3, R7): reading goes on, writing says why."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import Book, CommonplaceError

from . import children
from .books import Template, every_memory, in_files, on_every_canon, open_book
from .children import Say
from .mounts import Disk, mount, needs_mounts

NOBODY = 65534


def _save(book: Book, text: str = "Said just now.") -> dict:
    """What becomes of one save: its id, or the code of the error."""
    try:
        return {"saved": book.save(text, type="project", project_id="atlas").id}
    except CommonplaceError as cause:
        return {"refused": cause.code}


def _cover_read_only(folder: Path) -> None:
    """The folder again, on top of itself, read-only: what is opened from now on cannot be written."""
    mount("--bind", str(folder), str(folder))
    mount("-o", "remount,ro,bind", str(folder))


@on_every_canon
def test_a_book_on_a_read_only_mount_is_read_and_refuses_writes(place: Path, template: Template) -> None:
    needs_mounts()
    folder = template.copy(place / "book")
    _cover_read_only(folder)
    with open_book(folder) as book:
        assert every_memory(book) == template.truth
        assert _save(book) == {"refused": "read_only"}
        assert book.verify().ok
        assert [one for one in book.doctor(full=True).findings if one.severity == "error"] == []


@on_every_canon
def test_a_book_recovers_without_reopening_when_the_mount_becomes_writable(place: Path, template: Template) -> None:
    needs_mounts()
    folder = template.copy(place / "book")
    _cover_read_only(folder)

    def work(say: Say) -> None:
        with open_book(folder) as book:
            say(_save(book))
            mount("-o", "remount,rw,bind", str(folder))
            say({"written": "saved" in _save(book)})

    assert children.run(work) == [{"refused": "read_only"}, {"written": True}]


@on_every_canon
def test_a_reader_behind_a_read_only_mount_sees_what_others_write(place: Path, template: Template) -> None:
    """Read-only for us is not unchanging: a container may see read-only what the host goes on writing."""
    needs_mounts()
    folder = template.copy(place / "book")
    view = place / "view"
    view.mkdir()
    mount("--bind", str(folder), str(view))
    mount("-o", "remount,ro,bind", str(view))
    with open_book(view) as reader:
        assert every_memory(reader) == template.truth
        for n in range(30):
            with open_book(folder) as writer:
                saved = writer.save(f"Written by the host, {n}: {'word ' * 300}", type="project", project_id="atlas")
        assert reader.get(saved.id).content == saved.content
        assert len(every_memory(reader)) == len(template.truth) + 30


def _content(folder: Path, id: str) -> str:
    try:
        with open_book(folder) as book:
            return book.get(id).content
    except CommonplaceError as cause:
        return cause.code


def test_a_log_that_was_left_is_read_on_a_read_only_mount(place: Path, template: Template) -> None:
    """The last writer was killed: its memories lie only in the log, and are not lost to a reader who may not write."""
    needs_mounts()
    folder = template.copy(place / "book")
    said = children.run(lambda say: (say(_save(open_book(folder))), os.kill(os.getpid(), 9)))
    _cover_read_only(folder)
    # To refuse would be honest too; an older state served as the present one is not.
    assert _content(folder, said[0]["saved"]) in ("Said just now.", "read_only")


@on_every_canon
def test_a_disk_that_turns_read_only_in_mid_run_is_still_read(place: Path, template: Template) -> None:
    """What ext4 does when it finds an error: from one moment to the next nothing can be written, files open or not."""
    disk = Disk(place)
    folder = template.copy(disk.root / "book")

    def work(say: Say) -> None:
        with open_book(folder) as book:
            say({"saved": "saved" in _save(book)})
            subprocess.run(["mount", "-o", "remount,abort", str(disk.root)], check=False, capture_output=True)
            say(_save(book, "After the disk went read-only."))
            say({"readable": len(every_memory(book)) == len(template.truth) + 1})
            say(_save(book, "Once more."))

    said = children.run(work)
    assert said == [{"saved": True}, {"refused": "read_only"}, {"readable": True}, {"refused": "read_only"}]


def _as_nobody(work: Callable[[Say], None]) -> list[children.Said]:
    """Root ignores permissions, so these questions are asked by somebody else."""
    if os.geteuid() != 0:
        return children.run(work)
    cache = Path(os.environ["XDG_CACHE_HOME"])
    cache.mkdir(exist_ok=True)
    _give_away(cache, 0o700)

    def lowly(say: Say) -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        work(say)

    return children.run(lowly)


@pytest.fixture
def open_place(place: Path) -> Path:
    """A folder that the other user can reach."""
    for folder in [place, *place.parents]:
        if folder == Path(folder.anchor) or folder.stat().st_uid != os.geteuid():
            break
        folder.chmod(folder.stat().st_mode | 0o055)
    return place


def _give_away(folder: Path, mode: int) -> None:
    """To the other user, with these permissions on each folder; where nothing can be written, files cannot be either."""
    for path in sorted([*folder.rglob("*"), folder], reverse=True):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        if path.is_dir():
            path.chmod(mode)
        elif not mode & 0o200 and in_files():
            path.chmod(0o400)


def _take_back(folder: Path) -> None:
    folder.chmod(0o700)
    for path in folder.iterdir():
        if path.is_dir():
            _take_back(path)


@on_every_canon
@pytest.mark.parametrize("mode", [0o500, 0o400, 0o000])
def test_a_folder_without_permissions_is_named(open_place: Path, template: Template, mode: int) -> None:
    folder = template.copy(open_place / "book")
    _give_away(folder, mode)

    def work(say: Say) -> None:
        try:
            with open_book(folder) as book:
                say({"readable": every_memory(book) == template.truth})
                say(_save(book))
        except CommonplaceError as cause:
            say({"refused": cause.code, "named": str(folder) in str(cause.where)})

    said = _as_nobody(work)
    _take_back(folder)
    assert children.troubles(said) == []
    if mode == 0o500:
        assert said == [{"readable": True}, {"refused": "read_only"}]
    else:
        assert said[0]["refused"] in ("read_only", "io_error")
        assert said[0]["named"]
    with open_book(folder) as book:
        assert every_memory(book) == template.truth


@on_every_canon
def test_a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one(open_place: Path, template: Template) -> None:
    """R4: not being allowed to see the book is not the same as there being none."""
    folder = template.copy(open_place / "book")
    _give_away(folder, 0o300)
    for path in folder.rglob("*"):
        path.chmod(0o000 if path.is_file() else 0o300)
    before = sorted(path.name for path in folder.rglob("*"))

    def work(say: Say) -> None:
        try:
            with open_book(folder) as book:
                say({"opened": len(every_memory(book))})
        except CommonplaceError as cause:
            say({"refused": cause.code})

    said = _as_nobody(work)
    _take_back(folder)
    assert said[0]["refused"] in ("read_only", "io_error")
    assert sorted(path.name for path in folder.rglob("*")) == before


@on_every_canon
def test_the_control_as_root_writes_in_spite_of_the_mode(place: Path, template: Template) -> None:
    """Why the questions above are asked by another user."""
    if os.geteuid() != 0:
        pytest.skip("only root ignores modes")
    folder = template.copy(place / "book")
    folder.chmod(0o500)
    with open_book(folder) as book:
        assert "saved" in _save(book)
