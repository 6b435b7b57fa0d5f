"""Which files of a vault are notes: one walk, one look at each.

A vault is full of other things: the editor's own folder, attachments, drawings, what editors and sync clients leave behind.
They are left alone. What a sync client has not downloaded yet is still there, only not here (row 50).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from commonplace.formats.vault.layout import Layout
from commonplace.seam.format import Stamp

_AWAY = Stamp(0, 0, 0)  # what no file on disk looks like
_DRAWING = ".excalidraw.md"


def scan(folder: str, layout: Layout) -> dict[str, Stamp]:
    found: dict[str, Stamp] = {}
    for path, names in walk(folder, layout):
        _take(found, path, names, layout)
    return found


def walk(folder: str, layout: Layout) -> Iterator[tuple[str, dict[str, os.DirEntry[str]]]]:
    """Every folder that may hold notes, by its path from the vault's ('' is the vault itself), with what lies in it.

    Links are not followed: they leave the vault, or lead to what is found anyway, or run in a circle (row 44).
    """
    waiting = [""]
    while waiting:
        path = waiting.pop()
        try:
            with os.scandir(f"{folder}/{path}" if path else folder) as entries:
                names = {entry.name: entry for entry in entries}
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        yield path, names
        for name, entry in names.items():
            if name[0] != "." and name[-3:] != ".md" and entry.is_dir(follow_symlinks=False):
                below = f"{path}/{name}" if path else name
                if not layout.is_ignored(below):
                    waiting.append(below)


def _take(found: dict[str, Stamp], path: str, names: dict[str, os.DirEntry[str]], layout: Layout) -> None:
    prefix = f"{path}/" if path else ""
    for name, entry in names.items():
        if name[-3:] == ".md":
            if name[0] != "." and is_note(prefix + name, names, layout) and entry.is_file(follow_symlinks=False):
                stamp = _stamp(entry)
                if stamp is not None:
                    found[prefix + name] = stamp
        elif name[0] == "." and name.endswith(".md.icloud"):
            found.setdefault(prefix + name[1:-7], _AWAY)


def is_note(path: str, beside: dict[str, os.DirEntry[str]], layout: Layout) -> bool:
    """Is this the name of a note, beside these others? A sync client's second version of a note is none (row 49)."""
    name = path.rsplit("/", 1)[-1]
    if name.endswith(_DRAWING) or path == layout.index_path or not _is_text(name):
        return False
    return not is_conflict_copy(name, beside)


def is_conflict_copy(name: str, beside: dict[str, os.DirEntry[str]]) -> bool:
    del name, beside
    return False


def _is_text(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:  # bytes that are no UTF-8: nobody could name it
        return False
    return True


def _stamp(entry: os.DirEntry[str]) -> Stamp | None:
    try:
        seen = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return Stamp(seen.st_size, seen.st_mtime_ns, seen.st_ino)
