"""A worker seen from this side: started in its peer's environment, asked in lines of JSON, ended."""

from __future__ import annotations

import base64
import json
import os
import selectors
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from bench.peers.catalogue import WORKERS, Entry
from bench.peers.environments import Home


class WorkerError(Exception):
    """The peer failed or took too long; the message is for the table."""


class Worker:
    """One opened peer in its own process."""

    def __init__(
        self, entry: Entry, home: Home, folder: Path, *, patience: float = 900, under: Sequence[str] = ()
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.entry, self.patience = entry, patience
        self.log = folder.with_suffix(".log")
        with self.log.open("ab") as errors:
            self.process = subprocess.Popen(
                [*under, *command(entry, home), str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=os.environ | home.variables,
            )
        self._chooser = selectors.DefaultSelector()
        self._chooser.register(_open(self.process.stdout), selectors.EVENT_READ)
        try:
            self.about = self._answer()
        except BaseException:
            self.end()
            raise

    def ask(self, do: str, **asked: Any) -> dict[str, Any]:
        try:
            stdin = _open(self.process.stdin)
            stdin.write(json.dumps({"do": do, **asked}).encode() + b"\n")
            stdin.flush()
        except OSError as cause:
            raise WorkerError("its process ended") from cause
        return self._answer()

    def learn(self, documents: Mapping[str, np.ndarray], queries: Mapping[str, np.ndarray]) -> None:
        """Hand over vectors; a peer that takes none is not bothered."""
        if self.entry.takes_vectors:
            self.ask("learn", documents=_packed(documents), queries=_packed(queries))

    def close(self) -> None:
        try:
            self.ask("close")
        finally:
            self.end()

    def end(self) -> None:
        """The process is gone afterwards, whatever it was doing."""
        self._chooser.close()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # what was still to be said to it finds nobody
                _open(pipe).close()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answer(self) -> dict[str, Any]:
        if not self._chooser.select(self.patience):
            self.process.kill()
            raise WorkerError(f"no answer in {self.patience:.0f} s")
        line = _open(self.process.stdout).readline()
        if not line:
            raise WorkerError("its process ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer


def command(entry: Entry, home: Home) -> list[str]:
    return [home.python, str(WORKERS / f"{entry.worker}.py")]


def first_answer(entry: Entry, home: Home, folder: Path, mode: str, text: str) -> float:
    """CPU seconds of a new process from its start to its first answer."""
    asked = [*command(entry, home), str(folder), mode, text]
    try:
        done = subprocess.run(asked, capture_output=True, env=os.environ | home.variables, timeout=300, check=True)
        return float(json.loads(done.stdout.splitlines()[-1])["cpu"])
    except (subprocess.SubprocessError, IndexError, KeyError) as cause:
        raise WorkerError("no answer from a cold start") from cause


def _packed(vectors: Mapping[str, np.ndarray]) -> dict[str, str]:
    return {text: base64.b64encode(row.astype(np.float32).tobytes()).decode() for text, row in vectors.items()}


def _open(pipe: Any) -> Any:
    assert pipe is not None
    return pipe
