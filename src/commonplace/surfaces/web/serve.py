"""The inspector's files: which there are, of which type, and what a browser may do with them.

The page itself holds no data, so it needs no token; every datum it shows is asked from `/v1` with one. Nothing in it comes from
elsewhere, nothing is inline, and the policy says so: a stored text that pretends to be a script has nowhere to run.
"""

from __future__ import annotations

import os
from functools import cache
from hashlib import sha256
from typing import NamedTuple

PREFIX = "/web/"
_FOLDER = os.path.join(os.path.dirname(__file__), "pages")
_FIRST = "index.html"
_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
}
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Page(NamedTuple):
    """One file as it goes out."""

    body: bytes
    type: bytes
    etag: bytes
    caching: bytes

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Beside those of every answer (nosniff, no referrer): in place of their policy, one under which the page can live."""
        return [
            (b"content-security-policy", POLICY),
            (b"cache-control", self.caching),
            (b"etag", self.etag),
            (b"x-frame-options", b"DENY"),
            (b"cross-origin-opener-policy", b"same-origin"),
        ]


@cache
def pages() -> dict[str, Page]:
    """Every file by its path. Read once: what is served is what this version shipped, whatever happens to the folder."""
    found = {f"{PREFIX}{name}": _page(name) for name in sorted(os.listdir(_FOLDER)) if _type_of(name) in _TYPES}
    return {PREFIX: found.pop(PREFIX + _FIRST), **found}


def page_at(path: str, method: str) -> Page | None:
    """None for what is no file of ours: it is then answered like any other path."""
    if not path.startswith(PREFIX) or method not in ("GET", "HEAD"):
        return None
    return pages().get(path)


def _page(name: str) -> Page:
    with open(os.path.join(_FOLDER, name), "rb") as file:
        body = file.read()
    # The page is never kept; its parts are asked after each time, and usually need not be sent again.
    caching = b"no-store" if name == _FIRST else b"no-cache"
    return Page(body, _TYPES[_type_of(name)], b'"%s"' % sha256(body).hexdigest()[:32].encode(), caching)


def _type_of(name: str) -> str:
    return os.path.splitext(name)[1]
