"""What an agent sends on stdin: at most a megabyte of JSON, of which a few texts are wanted and nothing is believed."""

from __future__ import annotations

import os
import time

from commonplace.surfaces import small_json
from commonplace.surfaces.hooks.hosts import Host, host_of, text_at

MAX_BYTES = 1_000_000
"""A long prompt and its book-keeping fit many times over; what is larger is no payload."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_MAX_SESSION = 100
_HEAD, _TAIL = 3_000, 1_000
_MOMENT = 0.002


class Skip(Exception):  # noqa: N818 - no error: a reason to do nothing, and to say so
    """There is nothing to do; the message is the reason."""


class Payload:
    """The few things a hook wants to know. Each may be missing."""

    def __init__(self, host: Host, given: object) -> None:
        self.host = host
        self.session = session_of(text_at(given, host.session))
        self.cwd = _folder(text_at(given, host.cwd))
        self.prompt = text_at(given, host.prompt)
        self.transcript = text_at(given, host.transcript)

    @property
    def question(self) -> str:
        """The prompt as something to look for, without a `/command` in front. Of a long one, how it begins and how it ends."""
        first, _, rest = (self.prompt or "").strip().partition(" ")
        said = rest.strip() if _is_command(first) else f"{first} {rest}".strip()
        return said if len(said) <= _HEAD + _TAIL else f"{said[:_HEAD]}\n{said[-_TAIL:]}"


def understood(raw: bytes, named: str | None) -> Payload:
    """The payload in these bytes. `Skip` if there is none; odd and unknown fields are passed over."""
    if not raw.strip():
        raise Skip("no payload on stdin")
    if len(raw) > MAX_BYTES:
        raise Skip("the payload is larger than a megabyte")
    try:
        given = small_json.read(raw)
    except ValueError:
        raise Skip("the payload is not JSON") from None
    if not isinstance(given, dict):
        raise Skip("the payload is not a JSON object")
    return Payload(host_of(given, named), given)


def read_stdin() -> bytes:
    """Everything there is, up to a little more than is allowed; the rest is read and let go, so that nobody's pipe breaks."""
    kept, size = [], 0
    try:
        if os.isatty(0):
            return b""
        while piece := _some():
            if size <= MAX_BYTES:
                kept.append(piece)
                size += len(piece)
    except OSError:  # closed, or a folder
        return b""
    return b"".join(kept)


def _some() -> bytes:
    """The next bytes. The agent may have given us a pipe that does not wait until there are any."""
    while True:
        try:
            return os.read(0, 1 << 16)
        except BlockingIOError:
            time.sleep(_MOMENT)


def session_of(given: str | None) -> str | None:
    """The session's name as receipts and markers know it: its own if that is a plain word, else a hash of it."""
    if given is None:
        return None
    if len(given) <= _MAX_SESSION and _PLAIN.issuperset(given) and given[0] not in ".-":
        return given
    from hashlib import sha256

    return sha256(given.encode(errors="surrogatepass")).hexdigest()[:32]


def _is_command(word: str) -> bool:
    """`/review` is one; `/home/alice` is a path."""
    return word.startswith("/") and _PLAIN.issuperset(word[1:].replace(":", ""))


def _folder(given: str | None) -> str | None:
    """The folder the session works in: the one that is named if it is one, else the one this process was started in."""
    try:
        if given is not None and os.path.isabs(given) and os.path.isdir(given):
            return given
        return os.getcwd()
    except (OSError, ValueError):  # gone, or a name that cannot be one
        return None
