"""The command line as people meet it: a real process, in a home of its own, on a pipe or on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

PROGRAM = [sys.executable, "-m", "commonplace.surfaces.cli"]
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.err)["error"]
        return found

    @property
    def id(self) -> str:
        """What `--quiet` answers."""
        assert self.code == 0, self.err
        return self.out.strip()


class Shell:
    """Runs `commonplace` on one book as one person; keeps a list of the commands it ran."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.path = folder / "book.sqlite"
        self.ran: list[tuple[str, ...]] = []
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "COMMONPLACE_BOOK": f"sqlite:{self.path}",
            "COMMONPLACE_ACTOR": "alice",
            "COMMONPLACE_EMBEDDER": "none",  # on words, so that it shows the same everywhere; a test may say otherwise
            "COMMONPLACE_RERANKER": "none",
            **environment,
        }

    def __call__(self, *words: str, stdin: str | bytes = b"", **environment: str) -> Said:
        self.ran.append(words)
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [*PROGRAM, *words],
            input=given,
            capture_output=True,
            cwd=self.folder,
            env={**self.environment, **environment},
            timeout=60,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def quiet(self, *words: str) -> str:
        """The id of what a command made or found."""
        return self(*words, "--quiet").id

    def on_terminal(self, *words: str, typed: str = "", columns: int = 100, **environment: str) -> tuple[int, str]:
        """Run on a terminal; returns the exit code and everything that appeared there, escapes and all."""
        ours, theirs = pty.openpty()
        env = {**self.environment, "TERM": "xterm", "COLUMNS": str(columns), **environment}
        child = subprocess.Popen(
            [*PROGRAM, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.folder, env=env
        )
        os.close(theirs)
        if typed:
            os.write(ours, typed.encode())
        shown = _read_all(ours)
        os.close(ours)
        return child.wait(60), shown


def _read_all(terminal: int) -> str:
    shown = b""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:  # the other side has closed it
            return shown.decode().replace("\r\n", "\n")
        if not read:
            return shown.decode().replace("\r\n", "\n")
        shown += read


def without_colour(text: str) -> str:
    return _ESCAPES.sub("", text)
