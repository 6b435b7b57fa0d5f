"""Which model answers for an agent? The one that whoever runs the program names; an agent's `model` is only a wish.

--model http://localhost:11434/v1#llama3          for all agents
--model opus=https://example.org/v1#large         for agents that ask for "opus"
--model exec:"python3 answer.py"                  a program of one's own: prompt on stdin, answer on stdout
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Iterable

from commonplace.errors import InvalidError, UnavailableError

Model = str | Callable[[str], str]
_KINDS = ("http:", "https:", "exec:")
_HINT = "Name one: --model ADDRESS#MODEL, or --model 'exec:COMMAND' for a program that reads the prompt and answers."
_SECONDS = 600.0  # a program that has not answered by then never will
_MOST_BYTES = 4 * 1024 * 1024


class Models:
    """The models of a run, by the names that agents ask for; the one without a name answers for all others."""

    def __init__(self, default: Model | None = None, named: dict[str, Model] | None = None) -> None:
        self._default, self._named = default, named or {}

    def of(self, wished: str | None) -> Model:
        found = self._named.get(wished, self._default) if wished else self._default
        return _nobody if found is None else found


def _nobody(prompt: str) -> str:  # noqa: ARG001 - a model like any other
    raise UnavailableError("no model is named for this agent", hint=_HINT)


def models_of(named: Iterable[str]) -> Models:
    """What `--model` says, once or several times."""
    default: Model | None = None
    by_name: dict[str, Model] = {}
    for one in named:
        name, _, where = ("", "", one) if one.startswith(_KINDS) else one.partition("=")
        if not where.startswith(_KINDS):
            raise InvalidError("--model: this is no address and no program", where="--model", hint=_HINT)
        if name:
            by_name[name] = _model(where)
        else:
            default = _model(where)
    return Models(default, by_name)


def _model(where: str) -> Model:
    return program_of(where.removeprefix("exec:")) if where.startswith("exec:") else where


def program_of(command: str) -> Callable[[str], str]:
    """A local program as a model. It is started without a shell, once for each call."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise InvalidError("--model exec: names no program", where="--model", hint="For example: exec:./answer.sh")

    def ask(prompt: str) -> str:
        try:
            done = subprocess.run(words, input=prompt.encode(), capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603
        except OSError as cause:
            raise UnavailableError(f"the model's program does not start: {cause.strerror}", hint=_HINT) from None
        except subprocess.TimeoutExpired:
            raise UnavailableError(f"the model's program did not answer within {_SECONDS:.0f} seconds") from None
        if done.returncode:
            raise UnavailableError(f"the model's program ended with exit code {done.returncode}")
        return done.stdout[:_MOST_BYTES].decode(errors="replace").removesuffix("\n")

    return ask
