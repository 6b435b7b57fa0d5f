"""Which model answers for an agent? The one that whoever runs the program names; an agent's `model` is only a wish.

--model http://localhost:11434/v1#llama3          for all agents
--model opus=https://example.org/v1#large         for agents that wish for "opus"
--model exec:./answer.sh                          a program of one's own: prompt on stdin, answer on stdout
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import IO

from commonplace.errors import InvalidError, UnavailableError

Model = str | Callable[[str], str]
_KINDS = ("http:", "https:", "exec:")
_HINT = "Name one: --model ADDRESS#MODEL, or --model exec:COMMAND for a program that reads the prompt and answers."
_SECONDS = 600.0  # a program that has not answered by then never will
_MOST_BYTES = 4 * 1024 * 1024  # of an answer; a book has fewer


class Models:
    """The models of a run, by what agents wish for; the one without a name answers for all others, and judges."""

    def __init__(self, default: Model | None = None, named: dict[str, Model] | None = None) -> None:
        self._default, self._named = default, named or {}

    def of(self, wished: str | None) -> Model | None:
        return self._named.get(wished, self._default) if wished else self._default

    def close(self) -> None:
        """Nobody waits for an answer any more: what is still running is ended, and nothing new is begun."""
        for model in (self._default, *self._named.values()):
            if isinstance(model, Answerer):
                model.close()


def models_of(named: Iterable[str]) -> Models:
    """What `--model` says, once or several times."""
    default: Model | None = None
    by_wish: dict[str, Model] = {}
    for one in named:
        wish, _, where = ("", "", one) if one.startswith(_KINDS) else one.partition("=")
        if not where.startswith(_KINDS):
            raise InvalidError("--model: this is no address and no program", where="--model", hint=_HINT)
        if wish:
            by_wish[wish] = _model(where)
        else:
            default = _model(where)
    return Models(default, by_wish)


def _model(where: str) -> Model:
    return Answerer(where.removeprefix("exec:")) if where.startswith("exec:") else where


class Answerer:
    """A local program as a model. It is started without a shell, once for each call; its complaints go where ours go."""

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError:
            self._words = []
        if not self._words:
            raise InvalidError("--model exec: names no program", where="--model", hint="For example: exec:./answer.sh")
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def __call__(self, prompt: str) -> str:
        self._must_be_open()
        with self._started() as process:
            self._running.add(process)
            try:
                self._must_be_open()  # who closes ends what runs; what has just begun to has to look for itself
                answer = _exchanged(process, prompt.encode(errors="replace"))
            finally:
                _end(process)
                self._running.discard(process)
        if process.returncode:
            raise UnavailableError(f"the model's program ended with exit code {process.returncode}")
        return answer.decode(errors="replace").removesuffix("\n")

    def _must_be_open(self) -> None:
        if self._closed:
            raise UnavailableError("the run was stopped")

    def close(self) -> None:
        self._closed = True
        for process in tuple(self._running):
            _end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        """In a session of its own, so that it can be ended together with what it starts."""
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(self._words, stdin=pipe, stdout=pipe, start_new_session=True)  # noqa: S603 - named by whoever runs us
        except OSError as cause:
            raise UnavailableError(f"the model's program does not start: {cause.strerror}", hint=_HINT) from None


def _exchanged(process: subprocess.Popen[bytes], prompt: bytes) -> bytes:
    """Its whole answer. It is written to and read from at once: it may answer before it has read everything."""
    assert process.stdin is not None
    assert process.stdout is not None
    late = threading.Timer(_SECONDS, _end, (process,))
    writer = threading.Thread(target=_fed, args=(process.stdin, prompt), daemon=True)
    late.start()
    writer.start()
    try:
        answer = process.stdout.read(_MOST_BYTES + 1)
        if len(answer) > _MOST_BYTES:
            raise UnavailableError("the model's program answers without end")
        process.wait()
        return answer
    finally:
        late.cancel()
        _end(process)
        writer.join()


def _fed(stdin: IO[bytes], prompt: bytes) -> None:
    with suppress(OSError):  # it need not read what it does not want to know
        stdin.write(prompt)
    with suppress(OSError):
        stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and what it started, unless it has ended by itself."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
