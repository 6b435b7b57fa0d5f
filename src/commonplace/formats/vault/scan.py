"""Which files of a vault are notes: one walk, one look at each.

A vault is full of other things: the editor's own folder, attachments, drawings, what editors and sync clients leave behind.
They are left alone. What a sync client has not downloaded yet is still there, only not here (row 50). Nothing is asked of
a note but its stamp, so that looking through ten thousand costs little more than the looks themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Set
from stat import S_IFREG, S_ISDIR

from commonplace.formats.looked import LARGEST, Looked, stamp_of
from commonplace.formats.vault.layout import Layout
from commonplace.seam.format import Stamp
from commonplace.storage.conflict_files import classify

_AWAY = Stamp(0, 0, 0)  # what no file on disk looks like
_SIGNS = ("/.", "/_", "/~", "/[", ").md", "].md", "onflict", "opy", "excalidraw")
_COUNTED = re.compile(r" [^/]{1,2}\.md(?:/|$)")
_HOST = re.compile(r"-[^-/a-z]*[A-Z][^-/a-z]*\.md(?:/|$)")


def _any_odd(names: str) -> bool:
    """Among names, each behind a slash: is any worth a closer look? `.x`, `x (1)`, `x 2`, `x conflict`, `Copy of x`, `x-HOST`;
    and what is not ASCII. Nearly every name is a note's, and this is asked once for a whole folder of them."""
    if not names.isascii() or any(sign in names for sign in _SIGNS) or (" " in names and _COUNTED.search(names)):
        return True
    return "-" in names and not names.islower() and _HOST.search(names) is not None


def scan(folder: str, layout: Layout) -> Looked:
    found = Looked()
    waiting = [""]
    while waiting:
        path = waiting.pop()
        try:
            # By a descriptor each look is at a name in this folder, and nobody walks the whole path again for it.
            fd = os.open(f"{folder}/{path}", _FOLDER | os.O_NOFOLLOW) if path else os.open(folder, _FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            if not path:
                raise  # of a book that cannot be looked at at all, nothing is known
            found.hidden.append(path)
            continue
        try:
            _look(fd, path, layout, found, waiting)
        finally:
            os.close(fd)
    return found


def _look(fd: int, path: str, layout: Layout, found: Looked, waiting: list[str]) -> None:
    """At what lies in one folder."""
    prefix = f"{path}/" if path else ""
    try:
        with os.scandir(fd) as entries:
            here = {entry.name: entry for entry in entries}
    except OSError:
        found.hidden.append(path)
        return
    any_odd = _any_odd("/" + "/".join(here))
    make = tuple.__new__  # half of what a named tuple's own making costs
    for name, entry in here.items():
        if name[-3:] == ".md":
            if any_odd and _any_odd(f"/{name}") and not is_note(prefix + name, here.keys(), layout):
                continue
            try:
                seen = entry.stat(follow_symlinks=False)
            except OSError:
                found.hidden.append(prefix + name)
                continue
            if seen.st_mode & 0o170000 == S_IFREG:
                at, inode = seen.st_mtime_ns, seen.st_ino
                is_usual = 0 <= at <= LARGEST >= inode
                found[prefix + name] = make(Stamp, (seen.st_size, at, inode)) if is_usual else stamp_of(seen)
            elif S_ISDIR(seen.st_mode):
                waiting.append(prefix + name)
        elif may_hold_notes(entry, prefix, layout):
            waiting.append(prefix + name)
        elif name[-10:] == ".md.icloud" and name[0] == ".":
            found.setdefault(placeheld(prefix, name), _AWAY)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def listed(folder: str, path: str) -> list[os.DirEntry[str]]:
    """What lies in a folder of the vault; nothing if it is not there."""
    try:
        with os.scandir(f"{folder}/{path}" if path else folder) as entries:
            return [*entries]
    except (FileNotFoundError, NotADirectoryError):
        return []


def may_hold_notes(entry: os.DirEntry[str], prefix: str, layout: Layout) -> bool:
    """A folder of the vault's own. Links are not followed: they leave the vault, or lead to what is found anyway, or run in
    a circle (row 44)."""
    return entry.name[0] != "." and entry.is_dir(follow_symlinks=False) and not layout.is_ignored(prefix + entry.name)


def placeheld(prefix: str, name: str) -> str:
    """The note for which `.note.md.icloud` stands."""
    return prefix + name[1:-7]


def is_note(path: str, beside: Set[str], layout: Layout) -> bool:
    """Is this the name of a note, beside these others? What an editor left behind is none, nor a sync client's second
    version of a note (rows 48, 49)."""
    name = path.rsplit("/", 1)[-1]
    if name[0] == "." or name.endswith(".excalidraw.md") or path == layout.index_path or not is_utf8(name):
        return False
    return classify(name, beside) is None


def is_utf8(name: str) -> bool:
    """Bytes in a name that are no UTF-8 come as halves of characters; nobody could name such a note."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
