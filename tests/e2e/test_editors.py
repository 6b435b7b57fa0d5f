"""How editors save (rows 47, 48, 51, 56; X-2): renaming, in place, with backups and droppings, in pieces, by the hundred.

What a person saves is honoured on the next call, whichever way the editor does it. What editors leave lying about is no
memory, and stays. Where a save meets a change of ours, both texts are kept.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Book, CommonplaceError
from commonplace.formats.steps import Files
from commonplace.model.fingerprint import fingerprint

CANONS = ("jsonl", "ledger", "vault")
Saving = Callable[[Path, bytes], None]
DROPPINGS = (".note.md.swp", "4913", "note.md~", "#note.md#", ".note.md.un~", "sedAbC123")


def vim(file: Path, text: bytes) -> None:
    """It tries whether files can be made here, puts the old one aside under another name, and writes a new one."""
    (file.parent / "4913").write_bytes(b"")
    (file.parent / "4913").unlink()
    swap = file.with_name(f".{file.name}.swp")
    swap.write_bytes(b"b0VIM 9.0")
    backup = file.with_name(f"{file.name}~")
    file.rename(backup)
    file.write_bytes(text)
    backup.unlink()
    swap.unlink()


def emacs(file: Path, text: bytes) -> None:
    """A link to nowhere while it edits, a save of its own in between, the old version beside the new one for good."""
    lock, own = file.with_name(f".#{file.name}"), file.with_name(f"#{file.name}#")
    lock.unlink(missing_ok=True)
    lock.symlink_to("somebody@somewhere.1234:1700000000")
    own.write_bytes(text[: len(text) // 2])
    shutil.copy2(file, file.with_name(f"{file.name}~"))
    in_place(file, text)
    own.unlink()
    lock.unlink()


def in_place(file: Path, text: bytes) -> None:
    """Visual Studio Code, Obsidian and nano: the same file, cut to nothing and written again."""
    with file.open("r+b") as open_file:
        open_file.truncate(0)
        open_file.write(text)
        open_file.flush()


def by_rename(file: Path, text: bytes) -> None:
    """`sed -i`, gedit, Kate, most sync clients: a new file that takes the name over."""
    partial = file.with_name("sedAbC123")
    partial.write_bytes(text)
    os.replace(partial, file)


EDITORS = {"vim": vim, "emacs": emacs, "in place": in_place, "by rename": by_rename}


@pytest.fixture(params=CANONS)
def scheme(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "book"


@pytest.fixture
def book(scheme: str, folder: Path) -> Iterator[Book]:
    with commonplace.open(f"{scheme}:{folder}", timeout=5.0) as opened:
        yield opened


def _save(book: Book, text: str) -> str:
    return book.save(text, type="project", project_id="atlas").id


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not _is_ours(path)]


def _is_ours(path: Path) -> bool:
    return bool({".commonplace", ".git", "_index.md"} & {*path.parts}) or ".partial-" in path.name


def _file_with(folder: Path, words: str) -> Path:
    (found,) = [
        path for path in _files(folder) if path.suffix in (".md", ".jsonl") and words.encode() in path.read_bytes()
    ]
    return found


def _edit(folder: Path, save: Saving, old: str, new: str) -> Path:
    file = _file_with(folder, old)
    save(file, file.read_bytes().replace(old.encode(), new.encode()))
    return file


def _everything(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in _files(folder))


@pytest.mark.parametrize("save", EDITORS.values(), ids=EDITORS.keys())
def test_what_an_editor_saves_is_honoured_on_the_next_call(book: Book, folder: Path, save: Saving) -> None:
    id, other = _save(book, "The gate opens at seven."), _save(book, "The lamp is green.")
    for n, hour in enumerate(("eight", "nine", "eleven")):
        _edit(folder, save, ("seven", "eight", "nine")[n], hour)
        assert book.get(id).content == f"The gate opens at {hour}."
    assert [operation.verb for operation in book.history(id)] == ["save", "edit", "edit", "edit"]
    assert {record.id for record in book.list()} == {id, other}
    assert book.search("gate eleven").results[0].record.id == id
    assert book.verify().ok


@pytest.mark.skipif(shutil.which("vim") is None, reason="NOT PROVED HERE: vim is not installed")
@pytest.mark.parametrize("option", ["backupcopy=no", "backupcopy=yes", "backup backupdir=."])
def test_the_real_vim_saves_and_is_honoured(book: Book, folder: Path, option: str) -> None:
    id = _save(book, "The gate opens at seven.")
    file = _file_with(folder, "seven")
    script = ["-c", f"set {option}", "-c", "%s/seven/eight/", "-c", "wq"]
    subprocess.run(["vim", "-Nu", "NONE", "-es", *script, str(file)], cwd=file.parent, check=True, timeout=20)
    assert book.get(id).content == "The gate opens at eight."
    assert len(book.list()) == 1


@pytest.mark.skipif(shutil.which("sed") is None, reason="NOT PROVED HERE: sed is not installed")
def test_the_real_sed_in_place_is_honoured_also_in_every_file_at_once(book: Book, folder: Path) -> None:
    ids = [_save(book, f"Gate {n} opens at seven.") for n in range(12)]
    files = [str(path) for path in _files(folder) if b"seven" in path.read_bytes()]
    subprocess.run(["sed", "-i", "s/seven/eight/", *files], check=True)
    assert [book.get(id).content for id in ids] == [f"Gate {n} opens at eight." for n in range(12)]
    assert book.verify().ok


def test_what_editors_leave_behind_is_no_memory_and_stays(book: Book, folder: Path) -> None:
    """Row 48."""
    id = _save(book, "The gate opens at seven.")
    beside = _file_with(folder, "seven").parent
    for name in DROPPINGS:
        (beside / name).write_bytes(b"---\nkind: fact\n---\n\nThe gate opens at noon.\n")
    (beside / ".#note.md").symlink_to("somebody@somewhere.1234")
    assert [record.id for record in book.list()] == [id]
    _save(book, "The lamp is green.")
    book.archive(id)
    book.restore(id)
    assert {path.name for path in beside.iterdir()} >= {*DROPPINGS, ".#note.md"}
    assert len(book.list()) == 2


@pytest.mark.parametrize("save", EDITORS.values(), ids=EDITORS.keys())
@pytest.mark.parametrize("verb", ["forget", "evolve", "archive", "save"])
def test_a_save_in_the_middle_of_a_change_of_ours_loses_neither(
    book: Book, folder: Path, save: Saving, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 47: the editor saves after we have read the file, right before we replace it."""
    id = _save(book, "The gate opens at seven.")
    _save(book, "The lamp is green.")
    carry_out = Files.carry_out

    def meanwhile(files: Files, intents: object) -> object:
        monkeypatch.setattr(Files, "carry_out", carry_out)
        _edit(folder, save, "lamp is green", "lamp is blue")
        if verb != "save" and len(_files(folder)) > 1:
            _edit(folder, save, "at seven", "at eight")
        return carry_out(files, intents)  # type: ignore[arg-type]

    monkeypatch.setattr(Files, "carry_out", meanwhile)
    _do(book, id, verb)
    assert b"lamp is blue" in _everything(folder), "what a person saved is gone"
    assert sorted(record.content for record in book.list() if "lamp" in record.content) == ["The lamp is blue."]
    if verb in ("evolve", "save"):
        assert [record.content for record in book.list() if "noon" in record.content] == ["The gate opens at noon."]
        assert b"noon" in _everything(folder)
    else:
        assert book.get(id).status in ("deleted", "archived", "active")
    assert book.verify().ok


def _do(book: Book, id: str, verb: str) -> None:
    if verb == "evolve":
        book.evolve(id, "The gate opens at noon.", reason="summer")
    elif verb == "save":
        _save(book, "The gate opens at noon.")
    else:
        getattr(book, verb)(id)


def test_a_file_that_arrives_in_pieces_becomes_a_memory_when_it_is_whole(book: Book, folder: Path) -> None:
    """Row 51."""
    id = _save(book, "The gate opens at seven.")
    file = _file_with(folder, "seven")
    whole = file.read_bytes().replace(b"seven.", b"eight, and closes at nine.")
    cut = whole.index(b"eight")
    for length in (cut + 3, cut + 9, cut + 14):
        file.write_bytes(whole[:length])
        assert book.get(id).content == "The gate opens at seven.", "a piece was taken for the whole"
    file.write_bytes(whole)
    assert book.get(id).content == "The gate opens at eight, and closes at nine."
    assert [operation.verb for operation in book.history(id)] == ["save", "edit"]


def test_a_file_without_a_last_line_end_is_taken_once_it_rests(book: Book, folder: Path) -> None:
    """Some editors never write one. Nobody waits for ever."""
    id = _save(book, "The gate opens at seven.")
    file = _file_with(folder, "seven")
    file.write_bytes(file.read_bytes().replace(b"seven", b"eight").rstrip(b"\n"))
    rested = time.time() - 60
    os.utime(file, (rested, rested))
    assert book.get(id).content == "The gate opens at eight."


def test_edits_of_the_same_length_at_the_same_moment_are_seen(book: Book, folder: Path) -> None:
    """A file system's clock ticks a few hundred times a second; programs write faster than that."""
    id = _save(book, "The gate opens at seven.")
    for n in range(40):
        old, new = ("seven", "eight") if n % 2 == 0 else ("eight", "seven")
        _edit(folder, in_place, old, new)
        assert book.get(id).content == f"The gate opens at {new}."


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="NOT PROVED HERE: git is not installed")


def _git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, timeout=30)


@needs_git
@pytest.mark.parametrize("tracked", [False, True], ids=["journal untracked", "journal tracked"])
def test_a_checkout_that_swaps_the_files_is_followed_and_nothing_is_written_unseen(
    book: Book, folder: Path, tracked: bool
) -> None:
    """Row 56: another branch's words are what the book says now, and a change meant for the others is refused."""
    id, other = _save(book, "The gate opens at seven."), _save(book, "The lamp is green.")
    _git(folder, "init", "-q", "-b", "main")
    if not tracked:
        (folder / ".git" / "info" / "exclude").write_text(".commonplace/\n")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "main")
    _git(folder, "checkout", "-q", "-b", "summer")
    _edit(folder, in_place, "seven", "five")
    assert book.get(id).content == "The gate opens at five."
    _git(folder, "commit", "-q", "-am", "summer")
    read = fingerprint(book.get(id).content)
    _git(folder, "checkout", "-q", "main")
    with pytest.raises(CommonplaceError) as refused:
        book.evolve(id, "The gate opens at four.", reason="earlier still", expect=read)
    assert refused.value.kind == "stale"
    assert book.get(id).content == "The gate opens at seven."
    assert [operation.verb for operation in book.history(id)] == ["save", "edit", "edit"]
    newer = book.evolve(id, "The gate opens at six.", reason="winter").id
    if tracked:
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "-m", "winter")
    assert {record.id for record in book.list()} == {newer, other}
    assert book.verify().ok


def test_the_control_that_reads_before_it_asks_loses_a_persons_save(tmp_path: Path) -> None:
    """What a store does that keeps what it read and writes it back: the save in between is gone. So row 47 does bite."""
    file = tmp_path / "note.md"
    file.write_text("The lamp is green.\n")
    read = file.read_text()
    by_rename(file, b"The lamp is blue.\n")
    file.write_text(f"{read}The gate opens at noon.\n")
    assert "blue" not in file.read_text()
