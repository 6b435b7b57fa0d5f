"""Books over the wire: an export comes back line by line, an import is sent the same way. No path ever comes from outside.

Both go through a file in a folder of their own that is gone afterwards: an export is one consistent moment of the book and is
known to be whole before its first line is sent, and an import is read only when all of it has come.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from commonplace.errors import UnavailableError
from commonplace.storage.atomic_write import in_our_words
from commonplace.surfaces.http import requests
from commonplace.surfaces.http.answers import LINES, Answer, said

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.surfaces.http.books import Threads

# A million memories without their vectors; larger books move by file.
MAX_IMPORT_BYTES = 1024 * 1024 * 1024 - 1
_IMPORT_SECONDS = 600.0
_PIECE = 256 * 1024


async def download(name: str, book: Book, threads: Threads) -> Answer:
    """The export, or the backup, of this book."""
    folder = _folder()
    try:
        made = os.path.join(folder, name)
        await threads.run(lambda: getattr(book, name)(made), is_long=True)
        length = (b"x-commonplace-bytes", b"%d" % _size(made))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    sort = LINES if name == "export" else b"application/octet-stream"
    return Answer(200, sort=sort, headers=[length], pieces=_piece_by_piece(made, folder, threads))


def _folder() -> str:
    with in_our_words("the folder for what is only there for a while"):
        return tempfile.mkdtemp(prefix="commonplace-")


def _size(path: str) -> int:
    if not os.path.isfile(path):
        hint = "Make it with `commonplace backup`, or take an export."
        raise UnavailableError("a backup of this book is a folder", hint=hint)
    return os.path.getsize(path)


async def _piece_by_piece(path: str, folder: str, threads: Threads) -> AsyncIterator[bytes]:
    try:
        with open(path, "rb") as file:
            while piece := await threads.run(lambda: file.read(_PIECE), is_long=True):
                yield piece
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def upload(receive: requests.Receive, book: Book, trust: str | None, threads: Threads) -> Answer:
    """Bring an export in; the report says what came of it."""
    folder = _folder()
    try:
        path = os.path.join(folder, "import.jsonl")
        with in_our_words(path), open(path, "xb", buffering=1 << 20) as file:
            async for piece in requests.pieces(receive, MAX_IMPORT_BYTES, _IMPORT_SECONDS):
                file.write(piece)
        return said(await threads.run(lambda: book.import_(path, trust=trust), is_long=True))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
