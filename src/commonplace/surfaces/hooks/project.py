"""Which project does this folder belong to? Said in a file, else the name of its repository. No program is started (A48, A-n).

Three tiers: `vault_project` in `.agentm-config.json` or `.harness/project.json`, the last part of `github.repo` there, the last
part of the URL that `.git/config` has for the remote. A folder that says nothing of itself has no project.
"""

from __future__ import annotations

import os

from commonplace.surfaces import small_json

_FILES = (".agentm-config.json", os.path.join(".harness", "project.json"))
_MAX_BYTES = 256 * 1024
_MAX_STEPS = 40
_MAX_NAME = 100


class Place:
    """A working folder: where its project begins, what it is called, and what its file says."""

    def __init__(self, root: str | None, said: dict[str, object], remote: str | None) -> None:
        self.root, self.said, self.repo = root, said, remote
        github = said.get("github")
        repo = github.get("repo") if isinstance(github, dict) else said.get("github.repo")
        self.project = _name(said.get("vault_project")) or _name(_last(repo)) or remote


def place_of(cwd: str | None) -> Place:
    """Looked for upwards from the folder, as far as the repository goes; never above the home folder."""
    folder, home = cwd, os.path.expanduser("~")
    for _ in range(_MAX_STEPS):
        if not folder or folder == home:
            break
        said = read_json(*(os.path.join(folder, name) for name in _FILES))
        git = os.path.join(folder, ".git")
        if said or os.path.lexists(git):
            return Place(folder, said, _remote(git))
        above = os.path.dirname(folder)
        folder = above if above != folder else None
    return Place(None, {}, None)


def read_json(*paths: str) -> dict[str, object]:
    """The objects in these files as one, the first one's words before the others'. What is not one is passed over."""
    said: dict[str, object] = {}
    for path in paths:
        said = {**small_json.read_object(_read(path) or b""), **said}
    return said


def _remote(git: str) -> str | None:
    """The name of the repository by its remote: `origin`, or the first there is."""
    config = _read(os.path.join(_git_folder(git), "config"))
    urls: dict[str, str] = {}
    section = ""
    for line in (config or b"").decode(errors="replace").splitlines():
        word = line.strip()
        if word.startswith("["):
            section = word
        elif section.startswith("[remote ") and word.partition("=")[0].strip() == "url":
            urls.setdefault(section, word.partition("=")[2].strip())
    return _name(_last(urls.get('[remote "origin"]') or next(iter(urls.values()), None)))


def _git_folder(git: str) -> str:
    """`.git` itself, or for a worktree and a submodule the folder that its file points to."""
    if os.path.isdir(git):
        return git
    pointed = (_read(git) or b"").decode(errors="replace").partition("gitdir:")[2].strip()
    folder = os.path.join(os.path.dirname(git), pointed)
    common = (_read(os.path.join(folder, "commondir")) or b"").decode(errors="replace").strip()
    return os.path.join(folder, common) if common else folder


def _read(path: str) -> bytes | None:
    """A small plain file. Not waiting: a pipe in its place is no reason to hang."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        return os.read(fd, _MAX_BYTES)
    except OSError:
        return None
    finally:
        os.close(fd)


def _last(given: object) -> str | None:
    if not isinstance(given, str):
        return None
    path = given.rstrip("/").removesuffix(".git")
    return path.replace("\\", "/").rpartition("/")[2].rpartition(":")[2]


def _name(given: object) -> str | None:
    """A name that may be one: letters, digits, dots, hyphens, underscores."""
    if not isinstance(given, str) or not 0 < len(given) <= _MAX_NAME or given[0] in ".-":
        return None
    bare = given.replace("-", "").replace("_", "").replace(".", "")
    return given if bare.isascii() and bare.isalnum() else None
