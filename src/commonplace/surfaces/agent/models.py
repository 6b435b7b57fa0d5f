"""Whom an agent asks: any callable that turns a prompt into an answer, or a chat model behind an address.

Whatever the model does becomes an answer or an error value: it may raise, hang, or return something that is no text.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.errors import CommonplaceError, InvalidError
from commonplace.guard.secrets import redact
from commonplace.surfaces.agent.values import ErrorValue

if TYPE_CHECKING:
    from commonplace.providers.chat import ChatModel

Model = Callable[[str], "str | ErrorValue"]
Given = Model | str | Mapping[str, Any]
KEY_VARIABLE = "COMMONPLACE_AGENT_KEY"

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Question:
    """One prompt, in its two parts: who the agent is, and what it is to do."""

    def __init__(self, prompt: str, task: str) -> None:
        self.prompt, self.task = prompt, task

    def __str__(self) -> str:
        return f"{self.prompt}\n\n{self.task}" if self.prompt else self.task


def ask(given: Given | None, question: Question, seconds: float | None) -> str | ErrorValue:
    """The model's answer, at most so many seconds later."""
    try:
        model = _model(given, question, seconds)
    except CommonplaceError as problem:
        return ErrorValue("rejected", problem.message)
    if seconds is None:
        return _answered(model)
    return _in_time(model, seconds)


def _model(given: Given | None, question: Question, seconds: float | None) -> Callable[[], object]:
    if isinstance(given, str) and given.startswith(("http:", "https:")):
        return lambda: _endpoint(given).ask(question.prompt, question.task, {}, seconds or _SECONDS["m"] * 10)
    if isinstance(given, Mapping):
        table = msgspec.json.encode(dict(given)).decode()
        return lambda: _configured(table).ask(question.prompt, question.task, {}, seconds or _SECONDS["m"] * 10)
    if callable(given):
        return lambda: given(str(question))
    hint = "Give a callable that takes a prompt, or an address: http://localhost:11434/v1#llama3."
    raise InvalidError("the agent has no model that can be called", where="model", hint=hint)


def _endpoint(url: str) -> ChatModel:
    return _configured(msgspec.json.encode({"use": url}).decode())


@cache
def _configured(table: str) -> ChatModel:
    from commonplace.providers.addresses import Asker
    from commonplace.providers.chat import ChatModel, chat_settings

    agent = Asker(name="model", wants="answer", hint="Check that the server runs and that the agent's model is right.")
    asked = {"format": "none", "api_key_env": KEY_VARIABLE, **msgspec.json.decode(table)}
    return ChatModel(chat_settings(asked, agent), agent)


def _in_time(model: Callable[[], object], seconds: float) -> str | ErrorValue:
    answers: list[str | ErrorValue] = []
    # A thread that nobody waits for: one that hangs is left behind, and what it says later is heard by nobody.
    thread = threading.Thread(target=lambda: answers.append(_answered(model)), name="commonplace-agent", daemon=True)
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else ErrorValue("timeout", f"the model did not answer within {seconds:g} seconds")


def _answered(model: Callable[[], object]) -> str | ErrorValue:
    try:
        answer = model()
    except TimeoutError:
        return ErrorValue("timeout", "the model ran out of time")
    except CommonplaceError as problem:
        return ErrorValue("rejected" if problem.kind in ("denied", "invalid") else "spawn_failed", problem.message)
    except Exception as problem:  # noqa: BLE001 - a stranger's code: whatever it raises is its failure, not ours
        return ErrorValue("spawn_failed", _said(problem))
    if isinstance(answer, (str, ErrorValue)):
        return answer
    return ErrorValue("spawn_failed", f"the model answered with {type(answer).__name__}, not with text")


def _said(problem: Exception) -> str:
    """What a stranger's error says, on one line, without secrets."""
    line = redact(" ".join(str(problem).split())[:300])[0]
    return f"{type(problem).__name__}: {line}".removesuffix(": ")


def seconds_of(timeout: str | float | None) -> float | None:
    """`"30s"`, `"500ms"`, `"2m"`, or a number of seconds. Raises `InvalidError`."""
    if timeout is None:
        return None
    match = _DURATION.fullmatch(timeout.strip()) if isinstance(timeout, str) else None
    if match is not None:
        seconds = float(match[1]) * _SECONDS[match[2] or "s"]
    elif isinstance(timeout, (int, float)) and not isinstance(timeout, bool):
        seconds = float(timeout)
    else:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise InvalidError("timeout: must be a time such as 30s", hint='For example: timeout="30s".', where="timeout")
    return seconds
