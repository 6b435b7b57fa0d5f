"""Making folders that are still there after a power cut, and looking at them."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from commonplace.storage.atomic_write import flush_file, flush_folder, in_our_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.seam.terms import Progress


def make_folder(folder: str) -> None:
    """The folder, and each that is missing above it, each flushed into the one above. The user's alone (0700)."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    if above and above != folder:
        make_folder(above)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    flush_folder(folder)


def copy_folder(folder: str, target: str, progress: Progress | None = None) -> None:
    """Everything in a folder, flushed, under another name first: the copy is there whole or not at all. Links stay links."""
    partial = f"{target}.partial-{os.getpid()}-{os.urandom(4).hex()}"
    with in_our_words(target):
        try:
            _copy(folder, partial)
            _flush_all(partial, progress)
            os.rename(partial, target)
            flush_folder(target)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def remove_folder(folder: str) -> None:
    """As well as one can: whoever does this is on the way out with an error."""
    shutil.rmtree(folder, ignore_errors=True)


def _copy(folder: str, target: str) -> None:
    """The first thing that cannot be copied ends it, with its own error: `copytree` would go on and tell of many at the end."""
    os.mkdir(target, 0o700)
    for entry in os.scandir(folder):
        there = os.path.join(target, entry.name)
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), there)
        elif entry.is_dir():
            _copy(entry.path, there)
        elif entry.is_file():
            shutil.copy2(entry.path, there)


def _flush_all(folder: str, progress: Progress | None) -> None:
    files = [os.path.join(where, name) for where, _, names in _walked(folder) for name in names]
    for done, path in enumerate(files, 1):
        if not os.path.islink(path):
            flush_file(path)
        if progress and done % 100 == 0:
            progress(done, len(files))
    for where, _, _ in _walked(folder):
        flush_folder(os.path.join(where, "."))


def _walked(folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """`os.walk` passes over a folder that cannot be listed; what is in it would not be flushed, and nobody would know."""

    def refuse(cause: OSError) -> None:
        raise cause

    return os.walk(folder, onerror=refuse)
