"""May this request come in at all? Asked before anything is done, and before anybody's name is looked at.

The daemon listens on this machine only, but a browser on this machine visits every page of the world. A page may point a name of
its own at loopback, post a form, or ask without reading the answer; what it cannot do is choose the Host, the Origin and the
`Sec-Fetch-Site` that its browser sends. So those three decide (rows 95-97), always on the bytes that were sent, never on an
address put together from them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from commonplace.surfaces.http.answers import RefusedError

_HOST = re.compile(rb"(127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?", re.ASCII)
_OWN_SITES = (b"same-origin", b"none")
_MOST_HEADER_BYTES = 32 * 1024

# A busy agent asks a few times a second; a run-away loop asks as often as it can. Bursts are for bulk work.
RATE_PER_SECOND = 1_000.0
BURST = 3_000.0


class Head:
    """The headers of a request, each at most once where that matters."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._pairs = [*pairs]
        if sum(len(name) + len(value) for name, value in self._pairs) > _MOST_HEADER_BYTES:
            raise RefusedError(431, "the headers are too large", kind="too_large", closes=True)

    def one(self, name: bytes) -> bytes | None:
        found = [value for known, value in self._pairs if known == name]
        if len(found) > 1:
            raise RefusedError(400, f"{name.decode()} stands there twice", closes=True)
        return found[0] if found else None


def check_head(scope: Mapping[str, Any], head: Head) -> None:
    """Refuses what no program of this machine would send."""
    host = _check_host(head, scope.get("server"))
    origin = head.one(b"origin")
    if origin is not None and origin != b"http://" + host:
        raise _foreign("a page of another origin may not ask here")
    site = head.one(b"sec-fetch-site")
    if site is not None and site not in _OWN_SITES:
        raise _foreign("a page of another site may not ask here")


def _check_host(head: Head, server: tuple[str, int | None] | None) -> bytes:
    host = head.one(b"host")
    if host is None:
        raise RefusedError(400, "a Host header is needed", closes=True)
    found = _HOST.fullmatch(host)
    if found is None:
        raise _foreign("this is not a name of this machine")
    port = server[1] if server else None
    if port is not None and int(found[2] or 80) != port:
        raise _foreign("this is not the port it listens on")
    return host


def _foreign(message: str) -> RefusedError:
    return RefusedError(403, message, kind="denied", hint="Ask 127.0.0.1 directly, from a program.", closes=True)


def check_sort(head: Head, sorts: tuple[bytes, ...]) -> None:
    """A form can post text, but not with one of these content types unless the other side agrees, which we never do."""
    sort = (head.one(b"content-type") or b"").partition(b";")[0].strip().lower()
    if sort not in sorts:
        wanted = b" or ".join(sorts).decode()
        raise RefusedError(415, f"the content type must be {wanted}", hint=f"Send content-type: {wanted}.", closes=True)
    if head.one(b"content-encoding") not in (None, b"identity"):
        raise RefusedError(415, "a compressed body is not taken", closes=True)


class Meter:
    """How often each client may ask. A bucket that fills steadily: what was not used is there for a burst."""

    def __init__(self, rate: float = RATE_PER_SECOND, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left: dict[str, tuple[float, float]] = {}

    def count(self, client: str) -> None:
        now = time.monotonic()
        left, at = self._left.get(client, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        self._left[client] = (left - 1 if left >= 1 else left, now)
        if left < 1:
            raise RefusedError(
                429, "too many requests", kind="unavailable", hint="Wait a second.", retryable=True,
                headers=[(b"retry-after", b"1")],
            )  # fmt: skip
