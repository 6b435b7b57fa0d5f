"""Where does a memory lie? Scope and key decide, and nothing else: not the agent's name, not the model (V7-V9).

    project   <project>/.vvm/memory/<escape(key)>
    user      ~/.vvm/memory/<escape(key)>
    path      <path>/<escape(key)>

A key may be any text, `user:alice/ticket:INC-1234`. It becomes one folder name that is safe on every file system and can be
read back: every byte but small letters, digits, `_` and `-` is written as `%` and two digits (V10, V-h).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from commonplace import settings
from commonplace.errors import ConflictError, InvalidError
from commonplace.surfaces.agent.host import Host

SCOPES = ("project", "user", "path")
_FIELDS = ("scope", "key", "path")
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
_ESCAPED = re.compile(r"(?:[a-z0-9_-]|%[0-9A-Fa-f]{2})*")
# Names that belong to devices where Windows is: with the first letter written out they are names like any other.
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")


class Binding(NamedTuple):
    """A memory's place, and whose it is in the words of a record (X-11)."""

    scope: str
    key: str
    folder: str
    root: str
    """The folder above all memories of this scope: the project, the home, the path."""

    @property
    def owners(self) -> dict[str, str]:
        """The scope as a record has it: a project's is the project's, a path's belongs to its root, a user's is global."""
        if self.scope == "project":
            return {"scope": "project", "project_id": _named(self.root)}
        return {"scope": "path", "repo_id": _named(self.root)} if self.scope == "path" else {"scope": "user"}


def bind(memory: Mapping[str, Any], host: Host) -> Binding:
    """The memory that is meant. Raises `InvalidError` if it cannot be one; the call is `rejected` then."""
    unknown = sorted(str(field) for field in memory if field not in _FIELDS)
    if unknown:
        raise _refused(f"memory has {', '.join(_FIELDS)}, and nothing else", "memory")
    scope, path = memory.get("scope"), memory.get("path")
    if scope not in SCOPES:
        raise _refused(f"scope must be one of: {', '.join(SCOPES)}", "memory.scope")
    if (path is not None) != (scope == "path"):
        raise _refused("path belongs to the scope `path`, and to no other", "memory.path")
    name = escape(_key(memory.get("key")))
    root = _root(scope, path, host)
    if scope == "path":
        folder = root if host.path_is_directory else os.path.join(root, name)
    else:
        folder = os.path.join(root, ".vvm", "memory", name)
    return Binding(scope, memory["key"], folder, root)


def escape(key: str) -> str:
    """The key as the name of a folder. Raises `InvalidError` if it is empty, too long or no text."""
    if not key:
        raise _refused("a key must not be empty", "memory.key")
    try:
        raw = key.encode()
    except UnicodeEncodeError:
        raise _refused("a key must be text that can be written as UTF-8", "memory.key") from None
    first = f"%{raw[0]:02X}" if _DEVICES.fullmatch(key) else _written(raw[0])
    name = first + "".join(map(_written, raw[1:]))
    if len(name) > settings.MAX_ESCAPED_KEY_BYTES:
        raise _refused(
            f"the key is too long: {len(name)} bytes when written as a folder's name, and at most"
            f" {settings.MAX_ESCAPED_KEY_BYTES} may be",
            "memory.key",
        )
    return name


def unescape(name: str) -> str:
    """The key that a folder is named after. Raises `InvalidError` for a name that no key has."""
    if not name or not _ESCAPED.fullmatch(name):
        raise _refused("this is not the name of a memory's folder", "memory.key")
    raw = bytes(int(piece[1:], 16) if piece[0] == "%" else ord(piece) for piece in re.findall("%..|.", name, re.DOTALL))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise _refused("this is not the name of a memory's folder", "memory.key") from None


def keep_out_of_git(binding: Binding) -> None:
    """A project's `.vvm` is never committed (V58): the folder says so itself, and nobody's own file is touched."""
    if binding.scope != "project":
        return
    from commonplace.storage.atomic_write import atomic_write, in_our_words
    from commonplace.storage.folders import make_folder

    path = os.path.join(binding.root, ".vvm", ".gitignore")
    if os.path.lexists(path):
        return
    with in_our_words(path):
        make_folder(os.path.dirname(path))
    try:
        with atomic_write(path) as file:
            file.write(b"*\n")
    except ConflictError:  # somebody else was quicker
        return


def _written(byte: int) -> str:
    return chr(byte) if byte in _SAFE else f"%{byte:02X}"


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise _refused("a key must be text", "memory.key")
    return key


def _root(scope: str, path: object, host: Host) -> str:
    if scope == "user":
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            raise _refused("nobody knows where the home folder is", "memory.scope")
        return home
    if scope == "project":
        return _project(host)
    given = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    if not isinstance(given, str) or not given or "\0" in given:
        raise _refused("path must be the path of a folder", "memory.path")
    given = os.path.expanduser(given)
    return given if os.path.isabs(given) else os.path.normpath(os.path.join(_project(host), given))


def _project(host: Host) -> str:
    """The folder of the program that is run, else the current one (V55)."""
    try:
        return os.path.abspath(host.project) if host.project else os.getcwd()
    except OSError:
        raise _refused("there is no project: the current folder is gone", "memory.scope") from None


def _named(folder: str) -> str:
    """A folder's own name, short enough for the name of a project; a root has only its path."""
    return (os.path.basename(folder.rstrip(os.sep)) or folder)[: settings.MAX_NAME_CHARS]


def _refused(message: str, where: str) -> InvalidError:
    hint = 'Write it as {"scope": "project", "key": "user:alice"}.'
    return InvalidError(message, where=where, hint=hint)
