"""Which files of a vault are notes: one walk, one look at each.

A vault is full of other things: the editor's own folder, attachments, drawings, what editors and sync clients leave behind.
They are left alone. What a sync client has not downloaded yet is still there, only not here (row 50). Nothing is asked of
a note but its stamp, so that looking through ten thousand costs little more than the looks themselves.
"""

from __future__ import annotations

import os
from collections.abc import Set
from stat import S_ISDIR, S_ISREG

from commonplace.formats.vault.layout import Layout
from commonplace.seam.format import Stamp
from commonplace.storage.conflict_files import classify

_AWAY = Stamp(0, 0, 0)  # what no file on disk looks like


def scan(folder: str, layout: Layout) -> dict[str, Stamp]:
    found: dict[str, Stamp] = {}
    waiting = [""]
    odd = frozenset(")]")
    make = tuple.__new__  # half of what a named tuple's own making costs
    while waiting:
        path = waiting.pop()
        entries = listed(folder, path)
        prefix = f"{path}/" if path else ""
        names: set[str] = set()
        for entry in entries:
            name = entry.name
            if name[-3:] == ".md":
                if name[0] in "._~[" or name[-4] in odd or not name.isascii() or _is_odd(name):
                    names = names or {one.name for one in entries}
                    if not is_note(prefix + name, names, layout):
                        continue
                try:
                    seen = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if S_ISREG(seen.st_mode):
                    found[prefix + name] = make(Stamp, (seen.st_size, seen.st_mtime_ns, seen.st_ino))
                elif S_ISDIR(seen.st_mode):
                    waiting.append(prefix + name)
            elif may_hold_notes(entry, prefix, layout):
                waiting.append(prefix + name)
            elif name[-10:] == ".md.icloud" and name[0] == ".":
                found.setdefault(placeheld(prefix, name), _AWAY)
    return found


def _is_odd(name: str) -> bool:
    """Is a name worth a closer look? Cheap to ask: nearly every name is a note's. `x 2`, `x conflict`, `Copy of x`, `x-HOST`."""
    if "onflict" in name or "opy" in name or "excalidraw" in name or " " in name[-6:-4]:
        return True
    return not name.islower() and name[name.rfind("-") + 1 : -3].isupper() and "-" in name


def listed(folder: str, path: str) -> list[os.DirEntry[str]]:
    """What lies in a folder of the vault; nothing if it is not there, or not to be read."""
    try:
        with os.scandir(f"{folder}/{path}" if path else folder) as entries:
            return [*entries]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
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
