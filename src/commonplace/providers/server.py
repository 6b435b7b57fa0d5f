"""A model behind an address: what embedders and chat models on a server have in common.

Where a request may go, how long it may take, how long an answer may be, and where the key may be seen is decided here, once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec

from commonplace.errors import InvalidError, UnavailableError
from commonplace.model.base import Noun, taken_apart
from commonplace.providers.addresses import Asker, target_of
from commonplace.providers.wire import failed, post

Count = Annotated[int, msgspec.Meta(gt=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class ServerSettings(Noun, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every model on a server is told by."""

    use: str
    model: str = ""
    api_key_env: str  # the name of an environment variable; the key itself stays out of files
    api_key: str = ""
    allow: tuple[str, ...] = ()

    def __repr__(self) -> str:  # the key must not be in a traceback
        return f"<settings of {self.model}>"


S = TypeVar("S", bound=ServerSettings)


def settings_of(cls: type[S], asker: Asker, asked: Mapping[str, Any]) -> S:
    """The settings that a table describes. The model may also stand behind a `#` in the address."""
    url, _, model = str(asked["use"]).partition("#")
    try:
        settings = msgspec.convert({"model": model, **asked, "use": url}, taken_apart(cls))
    except msgspec.ValidationError:
        # Not the decoder's words: they may quote the value, and the value may be the key.
        fields = ", ".join(cls.__struct_fields__)
        raise InvalidError(f"{asker} is not understood", where=asker.name, hint=f"It may say: {fields}.") from None
    if not settings.model:
        raise InvalidError(
            f"{asker} names no model", where=asker.name, hint="Say which: model = …, or put #model at the end."
        )
    return settings


class Server:
    """A server to be asked. Making one calls nobody."""

    def __init__(self, settings: ServerSettings, asker: Asker) -> None:
        self._settings, self._asker = settings, asker
        self._target = target_of(settings.use, settings.allow, asker)
        if self._key() and not self._target.secure and not self._target.is_private:
            raise InvalidError("a key must not go over http", where=asker.name, hint="Use an https address.")

    def __str__(self) -> str:
        return self._target.shown

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> bytes:
        """What it answers, in at most so many seconds. Raises `UnavailableError`."""
        return post(self._target, path, body, self._key(), seconds)

    def failed(self, why: str) -> UnavailableError:
        """What went wrong, without the request, the answer and the key."""
        return failed(self._target, why)

    def _key(self) -> str:
        """Read when it is needed and kept nowhere; checked, because an error about a malformed header would quote it."""
        key = self._settings.api_key or os.environ.get(self._settings.api_key_env, "")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise InvalidError(f"the key of {self._asker} has characters that no key has", where=self._asker.name)
        return key
