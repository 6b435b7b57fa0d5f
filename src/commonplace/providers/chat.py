"""A chat model behind an address: any server that answers `POST {base}/chat/completions` in OpenAI's shape.

It is asked for one JSON document of a given schema and given a time limit for all attempts together. The same guards
as for an embedder hold: where a request may go, how long it may take, how long an answer may be, and where the key
may be seen. What the model says is text from outside; whoever asked has to check it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from commonplace.errors import CommonplaceError, DeniedError, InvalidError, UnavailableError
from commonplace.model.base import Noun
from commonplace.providers.addresses import Target, target_of
from commonplace.providers.wire import post

KEY_VARIABLE = "COMMONPLACE_EXTRACTOR_KEY"
_MOST_CHARS = 1_000_000  # of an answer: some thousand statements with their quotations
_HINT = "Check that the server runs and that [extractor] is right; `rules` need no server."

Count = Annotated[int, msgspec.Meta(gt=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class ChatSettings(Noun, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `[extractor]` may say when `use` is an address."""

    use: str
    model: str = ""
    api_key_env: str = KEY_VARIABLE  # the name of an environment variable; the key itself stays out of files
    api_key: str = ""
    format: Literal["json_schema", "json_object", "none"] = "json_schema"  # what the server understands
    extra: dict[str, Any] = {}
    max_tokens: Count = 4_000  # of one answer
    max_chars: Count = 40_000  # of a source in one request: about ten thousand tokens
    most: Count = 60
    timeout: Seconds = 100.0  # for a whole source, all requests and attempts together; a worker waits 120
    allow: tuple[str, ...] = ()

    def __repr__(self) -> str:  # the key must not be in a traceback
        return f"<settings of {self.model}>"


def chat_settings(asked: Mapping[str, Any]) -> ChatSettings:
    """The settings that a table describes. The model may also stand behind a `#` in the address."""
    url, _, model = str(asked["use"]).partition("#")
    try:
        settings = msgspec.convert({"model": model, **asked, "use": url}, ChatSettings)
    except msgspec.ValidationError:
        # Not the decoder's words: they may quote the value, and the value may be the key.
        fields = ", ".join(ChatSettings.__struct_fields__)
        raise InvalidError("[extractor] is not understood", where="extractor", hint=f"It may say: {fields}.") from None
    if not settings.model:
        raise InvalidError(
            "[extractor] names no model", where="extractor", hint="Say which: model = …, or put #model at the end."
        )
    return settings


class ChatModel:
    """A model to be asked. Making one calls nobody."""

    def __init__(self, settings: ChatSettings) -> None:
        self._settings = settings
        self._target = _target(settings)
        if self._key() and not self._target.secure and not self._target.is_private:
            raise InvalidError("a key must not go over http", where="extractor", hint="Use an https address.")

    def __repr__(self) -> str:
        return f"<chat model {self.name} at {self._target.shown}>"

    @property
    def name(self) -> str:
        """The server's name for it. Not the address: servers move."""
        return self._settings.model

    def ask(self, instructions: str, material: str, schema: Mapping[str, Any], seconds: float) -> str:
        """What the model says to this material, in at most so many seconds. Raises `UnavailableError`."""
        said = self._settings
        body: dict[str, Any] = {
            "model": said.model,
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": material}],
            "temperature": 0,
            "max_tokens": said.max_tokens,
            **_format(said.format, schema),
            **said.extra,
        }
        try:
            raw = post(self._target, "/chat/completions", body, self._key(), seconds)
        except CommonplaceError as problem:
            raise _reworded(problem) from None
        return self._text(raw)

    def failed(self, why: str) -> UnavailableError:
        """What went wrong, without the request, the answer and the key."""
        return UnavailableError(f"{self._target.shown} gave no answer: {why}", code="extractor", hint=_HINT)

    def _text(self, raw: bytes) -> str:
        try:
            choices = msgspec.json.decode(raw, type=_Answer).choices
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self.failed("its answer is not understood") from None
        text = choices[0].message.content if choices else None
        if not text:
            raise self.failed("its answer is empty")
        if len(text) > _MOST_CHARS:
            raise self.failed("its answer is far too long")
        return text

    def _key(self) -> str:
        """Read when it is needed and kept nowhere; checked, because an error about a malformed header would quote it."""
        key = self._settings.api_key or os.environ.get(self._settings.api_key_env, "")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise InvalidError("the key of [extractor] has characters that no key has", where="extractor")
        return key


def _target(settings: ChatSettings) -> Target:
    try:
        return target_of(settings.use, settings.allow)
    except CommonplaceError as problem:
        raise _reworded(problem) from None


def _format(format: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if format == "json_schema":
        named = {"name": "memories", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if format == "json_object" else {}


def _reworded(problem: CommonplaceError) -> CommonplaceError:
    """The guards speak of vectors and of `[embedder]`, whom they were made for."""
    message = problem.message.replace("gave no vectors", "gave no answer")
    hint = problem.hint.replace("[embedder]", "[extractor]")
    if isinstance(problem, UnavailableError):
        return UnavailableError(message, code="extractor", hint=_HINT)
    if isinstance(problem, DeniedError):
        return DeniedError(message, where="extractor", hint=hint)
    return InvalidError(message, where="extractor", hint=hint)


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Answer(msgspec.Struct):
    choices: list[_Choice]
