"""Putting hooks, or our MCP server, into an agent's settings and taking them out: first what would change, then the change.

A change is planned on what the file holds now and refused if the file is another one by the time it is written. The former file
is kept beside it once; if nothing else has changed since, `uninstall` gives back its very bytes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Protocol

from commonplace.errors import ConflictError, InvalidError, UnavailableError
from commonplace.storage.atomic_write import atomic_write, in_our_words
from commonplace.storage.folders import make_folder
from commonplace.surfaces.hooks import openclaw, settings_file
from commonplace.surfaces.hooks.json_text import NotJsonError
from commonplace.surfaces.hooks.recipes import Recipe

_MAX_BYTES = 8 * 1024 * 1024


class Change:
    """One file: what it holds, what it should hold; None is no file. `aside` is where the former one is kept."""

    def __init__(self, path: str, before: bytes | None, after: bytes | None, aside: str | None = None) -> None:
        self.path, self.before, self.after, self.aside = path, before, after, aside
        self.restored = False
        """Is it the very file that was kept aside?"""

    @property
    def is_one(self) -> bool:
        return self.before != self.after

    def diff(self) -> Iterator[str]:
        from difflib import unified_diff

        old, new = ((one or b"").decode(errors="replace").splitlines() for one in (self.before, self.after))
        was, will = (self.path if one is not None else os.devnull for one in (self.before, self.after))
        yield from unified_diff(old, new, was, will, lineterm="")


class Part(Protocol):
    """What is put into a file that is a person's own, and taken out again."""

    ending: str
    """Of the file that is kept aside: each part has its own."""

    def fresh(self) -> str:
        """A file that holds it and nothing else."""
        ...

    def put(self, text: str) -> str: ...

    def take(self, text: str) -> str: ...

    def as_in(self, text: str) -> Part | None:
        """The same as it stands in this text; None if it does not."""
        ...


class Hooks:
    """The commands that an agent runs at its moments."""

    ending = "before-commonplace"

    def __init__(self, recipe: Recipe, commands: dict[str, str]) -> None:
        self._recipe, self._commands = recipe, commands

    def fresh(self) -> str:
        return settings_file.fresh(self._recipe, self._commands)

    def put(self, text: str) -> str:
        return settings_file.with_hooks(text, self._recipe, self._commands)

    def take(self, text: str) -> str:
        return settings_file.without_hooks(text, self._recipe)

    def as_in(self, text: str) -> Hooks | None:
        commands = settings_file.commands_in(text, self._recipe)
        return Hooks(self._recipe, commands) if commands else None


def to_install(recipe: Recipe, path: str, commands: dict[str, str]) -> Change:
    return to_put(Hooks(recipe, commands), path)


def to_uninstall(recipe: Recipe, path: str) -> Change:
    return to_take(Hooks(recipe, {}), path)


def to_put(part: Part, path: str) -> Change:
    real = os.path.realpath(path)  # a link to a file in somebody's dotfiles stays a link
    before = read(real)
    if before is None or not before.strip():
        return Change(real, before, part.fresh().encode(), aside=None if before is None else f"{real}.{part.ending}")
    try:
        text = before.decode()
        is_former = part.as_in(text) is None  # else it is none that was there before us
        return Change(real, before, part.put(text).encode(), aside=f"{real}.{part.ending}" if is_former else None)
    except (NotJsonError, UnicodeDecodeError) as cause:
        raise _not_understood(real) from cause


def to_take(part: Part, path: str) -> Change:
    real = os.path.realpath(path)
    before, aside = read(real), f"{real}.{part.ending}"
    if before is None or not before.strip():
        return Change(real, before, before)
    former = read(aside)
    try:
        text = before.decode()
        standing = part.as_in(text)
        if former is not None and standing is not None and _put_into(former, standing) == text:
            change = Change(real, before, former, aside)
            change.restored = True
            return change
        if former is None and standing is not None and standing.fresh() == text:
            return Change(real, before, None)
        return Change(real, before, part.take(text).encode())
    except (NotJsonError, UnicodeDecodeError) as cause:
        raise _not_understood(real) from cause


def _put_into(former: bytes, part: Part) -> str | None:
    """None if the former file is none that anything can be put into: then it is not where this one came from."""
    try:
        return part.put(former.decode()) if former.strip() else part.fresh()
    except (NotJsonError, UnicodeDecodeError):
        return None


def openclaw_to_install(commands: dict[str, str]) -> list[Change]:
    return [Change(path, read(path), text.encode()) for path, text in openclaw.files(commands).items()]


def openclaw_to_uninstall() -> list[Change]:
    """Only files that are ours: one that somebody has rewritten stays."""
    found = [(path, read(path)) for path in openclaw.files({})]
    return [
        Change(path, before, None) for path, before in found if before and b"commonplace install openclaw" in before
    ]


def apply(change: Change) -> None:
    """Make it so, durably. `ConflictError` if the file is not what the change was planned on."""
    if not change.is_one:
        return
    if read(change.path) != change.before:
        raise ConflictError("the file changed meanwhile", where=change.path, hint="Run the command again.")
    _refuse_read_only(change)
    if change.after is None:
        with in_our_words(change.path):
            os.unlink(change.path)
            _remove_if_empty(os.path.dirname(change.path))
        return
    with in_our_words(change.path):
        _refuse_anothers_folder(os.path.dirname(change.path))
        make_folder(os.path.dirname(change.path))
    if change.aside is not None and not change.restored and not os.path.lexists(change.aside):
        _write(change.aside, change.before or b"", change.path)
    _write(change.path, change.after, change.path)
    if change.restored and change.aside is not None:
        with in_our_words(change.path):
            os.unlink(change.aside)


def read(path: str) -> bytes | None:
    """What the file holds; None if there is none."""
    from commonplace.storage.plain_file import open_plain

    with in_our_words(path):
        try:
            fd = open_plain(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        with open(fd, "rb") as file:
            found = file.read(_MAX_BYTES + 1)
    if len(found) > _MAX_BYTES:
        raise _not_understood(path)
    return found


def _refuse_read_only(change: Change) -> None:
    """A file is replaced rather than written to, which would go past a mode that says that it shall stay as it is."""
    if change.before is not None and not os.stat(change.path).st_mode & stat.S_IWUSR:
        raise UnavailableError(
            "the file is read-only, so it is left alone",
            where=change.path,
            hint="Make it writable first, or put it in by hand: --print shows what to put.",
            code="read_only",
        )


def _write(path: str, content: bytes, like: str) -> None:
    with atomic_write(path, replace=True) as file:
        if os.path.exists(like):
            _make_alike(file.fileno(), os.stat(like))
        else:
            _give_to_owner(file.fileno(), os.path.dirname(path))
        file.write(content)


def _give_to_owner(fd: int, folder: str) -> None:
    """What `sudo` puts into somebody's folder is theirs."""
    owner = os.stat(folder)
    if _is_for_another(owner):
        os.fchown(fd, owner.st_uid, owner.st_gid)


def _refuse_anothers_folder(folder: str) -> None:
    """A file is given away by its descriptor; a folder that is made and then given away could be exchanged in between."""
    above = folder
    while not os.path.isdir(above):
        above = os.path.dirname(above)
    if above != folder and _is_for_another(os.stat(above)):
        raise UnavailableError(
            "the folder is missing, and made by root it would not be its user's",
            where=folder,
            hint="Run it without sudo, or make the folder first.",
        )


def _is_for_another(owner: os.stat_result) -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 != owner.st_uid


def _make_alike(fd: int, like: os.stat_result) -> None:
    """Mode and owner: a file that a command with `sudo` has made its own could not be read by the agent any more."""
    if like.st_uid != os.fstat(fd).st_uid:
        os.fchown(fd, like.st_uid, like.st_gid)
    os.fchmod(fd, stat.S_IMODE(like.st_mode))


def _remove_if_empty(folder: str) -> None:
    """The folder of our own hook for OpenClaw; a folder of the agent's is never ours to remove."""
    if os.path.basename(folder) == "commonplace" and not os.listdir(folder):
        os.rmdir(folder)


def _not_understood(path: str) -> InvalidError:
    return InvalidError(
        "this file is not as it is expected there, so it is left alone",
        where=path,
        hint="Put it in by hand: --print shows what to put.",
    )
