"""A home for each peer: a virtual environment, or a folder of node modules, made on demand and kept.

COMMONPLACE_PEERS names the folder for them; without it they are made again in each run. Nothing is ever installed into
the environment of the project.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.peers.catalogue import NPM_VERSION, ROOT, Entry, requirements

_INSTALL_SECONDS = 1_800
_PROBES = {
    "python": "import sys; sys.exit(sys.version_info < (3, 11))",
    "3.12": "import sys; sys.exit(sys.version_info < (3, 12))",
    "extensions": (
        "import sqlite3, sys; sys.exit(sys.version_info < (3, 11) or "
        "not hasattr(sqlite3.connect(':memory:'), 'enable_load_extension'))"
    ),
}


class NotHereError(Exception):
    """This peer cannot be run here; the message says why."""


@dataclass(frozen=True)
class Home:
    """How a peer's worker is started, and what was installed for it."""

    python: str
    version: str
    variables: dict[str, str]


def home_of(entry: Entry, folder: Path) -> Home:
    """Where this entry's worker runs; installs it if need be. Raises `NotHereError` with the reason."""
    if not entry.needs:
        return Home(
            sys.executable, "this tree" if entry.worker == "ours" else "", {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        )
    place = folder / entry.name
    if entry.needs == "node":
        return _node(entry, place)
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        _make(entry, place, python)
    told = subprocess.run([python, "-c", _VERSION, entry.package], capture_output=True, text=True, check=True)
    return Home(str(python), told.stdout.strip(), {"PYTHONPATH": str(ROOT / "src"), "PEER_HOME": str(place)})


_VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"


def _make(entry: Entry, place: Path, python: Path) -> None:
    _run([_interpreter(entry.needs), "-m", "venv", "--clear", str(place)])
    wanted = requirements(entry.name) + (requirements("embedder") if entry.takes_vectors else [])
    _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])
    (place / "ready").touch()


def _interpreter(needs: str) -> str:
    named = ("python3", "python3.11", "python3.12", "python3.13")
    pyenv = Path(os.environ.get("PYENV_ROOT") or "~/.pyenv").expanduser().glob("versions/*/bin/python3")
    candidates = [sys.executable, "/usr/bin/python3", *filter(None, map(shutil.which, named)), *map(str, sorted(pyenv))]
    for each in dict.fromkeys(candidates):
        try:
            if not subprocess.run([each, "-c", _PROBES[needs]], capture_output=True, check=False).returncode:
                return each
        except OSError:
            continue
    raise NotHereError({"3.12": "no Python 3.12 here"}.get(needs, "no Python 3.11 whose sqlite3 loads extensions here"))


def _node(entry: Entry, place: Path) -> Home:
    npm = shutil.which("npm")
    if not shutil.which("node") or not npm:
        raise NotHereError("no node")
    if not (place / "ready").exists():
        place.mkdir(parents=True, exist_ok=True)
        _run([npm, "install", "--silent", "--prefix", str(place), f"{entry.package}@{NPM_VERSION}"])
        (place / "ready").touch()
    return Home(sys.executable, NPM_VERSION, {"PEER_HOME": str(place)})


def _run(command: list[str]) -> None:
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
            env=clean,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as cause:
        raise NotHereError(f"{Path(command[0]).name}: {cause}") from cause
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if "ERROR" in line or "error" in line]
        raise NotHereError((said[-1] if said else f"{Path(command[0]).name} failed")[:200])
