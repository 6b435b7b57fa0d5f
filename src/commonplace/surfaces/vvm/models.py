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
from collections.abc import Callable, Iterable
from contextlib import suppress

from commonplace.errors import InvalidError, UnavailableError

Model = str | Callable[[str], str]
_KINDS = ("http:", "https:", "exec:")
_HINT = "Name one: --model ADDRESS#MODEL, or --model exec:COMMAND for a program that reads the prompt and answers."
_SECONDS = 600.0  # a program that has not answered by then never will


class Models:
    """The models of a run, by what agents wish for; the one without a name answers for all others, and judges."""

    def __init__(self, default: Model | None = None, named: dict[str, Model] | None = None) -> None:
        self._default, self._named = default, named or {}

    def of(self, wished: str | None) -> Model | None:
        return self._named.get(wished, self._default) if wished else self._default

    def close(self) -> None:
        """Nobody waits for an answer any more: what is still running is ended."""
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

    def __call__(self, prompt: str) -> str:
        try:
            process = subprocess.Popen(  # noqa: S603 - the person who runs us named it
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as cause:
            raise UnavailableError(f"the model's program does not start: {cause.strerror}", hint=_HINT) from None
        self._running.add(process)
        try:
            answer, _ = process.communicate(prompt.encode(errors="replace"), timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise UnavailableError(f"the model's program did not answer within {_SECONDS:.0f} seconds") from None
        finally:
            _end(process)
            self._running.discard(process)
        if process.returncode:
            raise UnavailableError(f"the model's program ended with exit code {process.returncode}")
        return answer.decode(errors="replace").removesuffix("\n")

    def close(self) -> None:
        for process in [*self._running]:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and what it started, unless it has ended by itself."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
