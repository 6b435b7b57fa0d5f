"""Replacing a file without losing what somebody else put there meanwhile.

Comparing first and renaming then leaves a moment in which an editor's save would be destroyed. Where the kernel can exchange
two names at once, that is what happens: whatever stood at the path is in our hands afterwards, is compared with what was
expected, and goes back if it is something else. Where it cannot (some network file systems), a second name is given to the
old file first; then the moment is a few microseconds long, and is all that is left.

Who opened the old file before the exchange may write to it after. So what was taken is compared only when nobody has it open for
writing any more; and if somebody keeps it open, it is not deleted but looked at again with the next change, and named by doctor.

Callers exclude each other with the book's mutex. This is about those who do not ask for it: editors and sync clients.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import time
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, BinaryIO

from commonplace.errors import CommonplaceError, ConflictError
from commonplace.storage.atomic_write import flush_folder, in_our_words, partial_name, remove
from commonplace.storage.plain_file import open_plain, opened, sha256_of
from commonplace.storage.writers import is_written_to, wait_for_writers

if TYPE_CHECKING:
    from collections.abc import Callable

_NO_REPLACE, _EXCHANGE = 1, 2
_HERE = -100  # AT_FDCWD: relative paths mean what they mean to everybody
_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM})

_PATIENCE_SECONDS = 0.5  # between opening and closing a file others take milliseconds; who takes longer keeps it open
_held: dict[str, list[tuple[str, str]]] = {}
"""What was replaced while somebody kept it open for writing: by its path, where it is now and the hash it had."""


def replace_checked(path: str, data: bytes, expected_sha256: str | None) -> None:
    """Put `data` at `path`, whole and flushed, if what is there now has the hash that the caller read; None: nothing is there.

    Otherwise raises `ConflictError`, and what is there stays. The file keeps its mode; a new one is the user's alone.
    """
    _swap_in_own(stage(path, io.BytesIO(data)), path, expected_sha256)


def stage(path: str, data: BinaryIO) -> str:
    """A flushed file beside `path`, under a name that nobody else has, ready for `swap_in`."""
    staged = partial_name(path)
    with in_our_words(path):
        fd = open_plain(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with open(fd, "wb") as file:
                _keep_mode(fd, path)
                shutil.copyfileobj(data, file, 1 << 20)
                file.flush()
                os.fsync(fd)
        except BaseException:
            remove(staged)
            raise
    return staged


def swap_in(staged: str, path: str, expected_sha256: str | None) -> None:
    """Give the flushed file `staged` the name `path`, durably, if the file that is there has the expected hash; None: if
    nothing is there. Otherwise raises `ConflictError`, and what is there stays.

    Whatever happens, nothing of anybody else's is left at `staged`: what may still be there is the caller's to remove.
    """
    with in_our_words(path):
        _look_at_held(path)
        if expected_sha256 is None:
            _put_new(staged, path)
        else:
            _replace(staged, path, expected_sha256)
        remove(staged)
        flush_folder(path)


def take_away(path: str, aside: str, expected_sha256: str) -> None:
    """Delete the file at `path`, durably, if it has the expected hash. Otherwise raises `ConflictError`, and it stays.

    For a moment it has the name `aside`, until nobody writes to it any more. If we are cut off then, `settle` goes on.
    """
    with in_our_words(path):
        _must_be(path, path, expected_sha256)
        try:
            os.rename(path, aside)
        except FileNotFoundError as cause:
            raise _conflict(path, "the file is gone") from cause
        settle(path, aside, expected_sha256)


def settle(path: str, aside: str, expected_sha256: str) -> None:
    """What was taken away is deleted if it is what was expected, and given back if somebody wrote to it."""
    with in_our_words(path):
        try:
            is_final = wait_for_writers(aside, _PATIENCE_SECONDS)
            _must_be(aside, path, expected_sha256)
        except BaseException:
            _give_back(aside, path)
            raise
        if is_final:
            os.unlink(aside)
        else:
            _hold(aside, path, expected_sha256)
        flush_folder(path)


def _give_back(aside: str, path: str) -> None:
    try:
        _put_new(aside, path)
    except ConflictError:  # another one came in its place: both stay
        keep_beside(aside, path)
    remove(aside)
    flush_folder(path)


def break_links(path: str) -> None:
    """Make a file that has other names too a file of its own, so that what is written to it reaches no other place."""
    expected = sha256_of(path)
    with opened(path) as fd, open(fd, "rb", closefd=False) as file:
        staged = stage(path, file)
    _swap_in_own(staged, path, expected)


def _swap_in_own(staged: str, path: str, expected_sha256: str | None) -> None:
    """Swap in what was staged here, and clean up. An interrupt may strike between any two steps: then what is at the staged name
    may be another's, and stays."""
    mine = os.lstat(staged)
    try:
        swap_in(staged, path, expected_sha256)
    finally:
        with suppress(FileNotFoundError):
            if os.path.samestat(os.lstat(staged), mine):
                remove(staged)


def keep_beside(taken: str, path: str) -> str:
    """Give another's version a name beside `path` that people and sync clients know as a conflict. Returns it."""
    stem, ending = os.path.splitext(path)
    moment = time.strftime("%Y-%m-%d %H%M%S", time.gmtime())
    while True:
        beside = f"{stem} (conflicted copy {moment} {os.urandom(2).hex()}){ending}"
        try:
            _put_new(taken, beside)
        except ConflictError:
            continue
        remove(taken)
        flush_folder(path)
        return beside


def _keep_mode(fd: int, path: str) -> None:
    with suppress(OSError):
        os.fchmod(fd, stat.S_IMODE(os.lstat(path).st_mode))


def _put_new(staged: str, path: str) -> None:
    try:
        os.link(staged, path, follow_symlinks=False)
    except FileExistsError as cause:
        raise _conflict(path, "a file is there already") from cause
    except OSError as cause:
        # A file system without hard links.
        if cause.errno not in _CANNOT or not _rename(staged, path, _NO_REPLACE):
            raise


def _replace(staged: str, path: str, expected: str) -> None:
    _must_be(path, path, expected)
    mine = os.lstat(staged)
    try:
        exchanged = _rename(staged, path, _EXCHANGE)
    except FileNotFoundError as cause:
        raise _conflict(path, "the file is gone") from cause
    if exchanged:
        _look_at_what_was_there(staged, path, expected, mine)
    else:
        _replace_behind_a_link(staged, path, expected)


def _look_at_what_was_there(staged: str, path: str, expected: str, mine: os.stat_result) -> None:
    try:
        is_final = wait_for_writers(staged, _PATIENCE_SECONDS)
        _must_be(staged, path, expected)
    except BaseException:
        _put_back(staged, path, mine)
        raise
    if not is_final:
        os.rename(staged, _held_name(staged))
        _hold(_held_name(staged), path, expected)


def _put_back(staged: str, path: str, mine: os.stat_result) -> None:
    """Return what we took. If yet another version came meanwhile, that one stays at the path and the older one beside it; and if
    somebody wrote to ours while it stood there, that is kept beside too."""
    with suppress(FileNotFoundError):
        _rename(staged, path, _EXCHANGE)
        if os.path.samestat(os.lstat(staged), mine):
            flush_folder(path)
            if not _is_as_it_was(staged, mine):
                keep_beside(staged, path)
            return
        _rename(staged, path, _EXCHANGE)
    keep_beside(staged, path)


def _is_as_it_was(staged: str, mine: os.stat_result) -> bool:
    wait_for_writers(staged, _PATIENCE_SECONDS)
    now = os.lstat(staged)
    return (now.st_size, now.st_mtime_ns) == (mine.st_size, mine.st_mtime_ns)


def _replace_behind_a_link(staged: str, path: str, expected: str) -> None:
    held = _held_name(staged)
    try:
        with suppress(OSError):  # without hard links the comparison alone must do
            os.link(path, held, follow_symlinks=False)
        _must_be(held if os.path.lexists(held) else path, path, expected)
        os.replace(staged, path)
    except BaseException:
        remove(held)
        raise
    if os.path.lexists(held):
        with suppress(OSError, CommonplaceError):  # it has happened; what cannot be told now is looked at again
            wait_for_writers(held, _PATIENCE_SECONDS)
        _hold(held, path, expected)
        _look_at_held(path)


def _held_name(staged: str) -> str:
    return f"{staged}-held"


def _hold(held: str, path: str, expected: str) -> None:
    _held.setdefault(path, []).append((held, expected))


def _look_at_held(path: str) -> None:
    """What was replaced while somebody wrote to it: gone if nothing was written, kept beside if something was, as soon as nobody
    has it open any more. If that cannot be told now it stays, and doctor names it."""
    for held, expected in _held.pop(path, []):
        try:
            if is_written_to(held):
                _hold(held, path, expected)
            elif sha256_of(held) in (expected, None):
                remove(held)
            else:
                keep_beside(held, path)
        except (OSError, CommonplaceError):
            _hold(held, path, expected)


def _must_be(found: str, path: str, expected: str) -> None:
    now = sha256_of(found)
    if now is None:
        raise _conflict(path, "the file is gone")
    if now != expected:
        raise _conflict(path, "the file changed since it was read")


def _conflict(path: str, message: str) -> ConflictError:
    return ConflictError(message, where=path, hint="Read it again, then reapply your change.")


def _rename(old: str, new: str, how: int) -> bool:
    """The kernel's rename with a flag. False if this kernel or file system does not know it, and nothing was done."""
    call = _renameat2()
    if call is None:
        return False
    import ctypes

    while call(_HERE, os.fsencode(old), _HERE, os.fsencode(new), how) != 0:
        code = ctypes.get_errno()
        if code in _CANNOT:
            return False
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code), new)
    return True


@cache
def _renameat2() -> Callable[..., int] | None:
    import ctypes

    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call
