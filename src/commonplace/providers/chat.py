"""A chat model behind an address: any server that answers `POST {base}/chat/completions` in OpenAI's shape.

It is asked for one JSON document of a given schema and given a time limit for all attempts together. What the model says is
text from outside; whoever asked has to check it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from commonplace.errors import UnavailableError
from commonplace.model.base import taken_apart
from commonplace.providers.addresses import Asker
from commonplace.providers.server import Count, Seconds, Server, ServerSettings, settings_of

KEY_VARIABLE = "COMMONPLACE_EXTRACTOR_KEY"
EXTRACTOR = Asker(
    name="extractor",
    wants="answer",
    hint="Check that the server runs and that [extractor] is right; `rules` need no server.",
)
_MOST_CHARS = 1_000_000  # of an answer: some thousand statements with their quotations


class ChatSettings(ServerSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `[extractor]` may say when `use` is an address."""

    api_key_env: str = KEY_VARIABLE
    format: Literal["json_schema", "json_object", "none"] = "json_schema"  # what the server understands
    extra: dict[str, Any] = {}
    max_tokens: Count = 4_000  # of one answer
    max_chars: Count = 40_000  # of a source in one request: about ten thousand tokens
    most: Count = 60
    timeout: Seconds = 100.0  # for a whole source, all requests and attempts together; a worker waits 120


def chat_settings(asked: Mapping[str, Any], asker: Asker = EXTRACTOR) -> ChatSettings:
    return settings_of(ChatSettings, asker, asked)


class ChatModel:
    """A model to be asked. Making one calls nobody."""

    def __init__(self, settings: ChatSettings, asker: Asker = EXTRACTOR) -> None:
        self._settings = settings
        self._server = Server(settings, asker)

    def __repr__(self) -> str:
        return f"<chat model {self.name} at {self._server}>"

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
        return self._text(self._server.post("/chat/completions", body, seconds))

    def failed(self, why: str) -> UnavailableError:
        """What went wrong, without the request, the answer and the key."""
        return self._server.failed(why)

    def _text(self, raw: bytes) -> str:
        try:
            choices = msgspec.json.decode(raw, type=taken_apart(_Answer)).choices
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self.failed("its answer is not understood") from None
        text = choices[0].message.content if choices else None
        if not text:
            raise self.failed("its answer is empty")
        if len(text) > _MOST_CHARS:
            raise self.failed("its answer is far too long")
        return text


def _format(format: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if format == "json_schema":
        named = {"name": "memories", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if format == "json_object" else {}


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Answer(msgspec.Struct):
    choices: list[_Choice]
