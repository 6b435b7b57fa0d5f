"""Raw material as the readers see it: its text, and the JSON in it, parsed once for all of them.

It may come from anywhere. Whatever is wrong with it (bytes that are no text, JSON a thousand levels deep, a line cut in
half) makes a reader say "not mine" or makes an odd line, never an error.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec

# A NUL cannot be kept in every canon; its picture can, and a person sees that something was there.
_PICTURES = {"\0": "\u2400"}
_BYTE_ORDER = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
ODD = object()
"""Stands for a line that is no JSON."""


def text_of(raw: str | bytes) -> str:
    """The text of it, with line ends as we write them and without what cannot be kept. Never fails."""
    text = raw if isinstance(raw, str) else _decoded(raw)
    return keepable(text.removeprefix("\ufeff"))


def keepable(text: str) -> str:
    """The same text as any canon can keep it: no NUL, no half of a surrogate pair, one sort of line end."""
    for odd, picture in _PICTURES.items():
        text = text.replace(odd, picture)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _decoded(raw: bytes) -> str:
    for mark, encoding in _BYTE_ORDER:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    return raw.decode("utf-8", "replace")


class Material:
    """One piece of raw material. What is asked of it twice is worked out once."""

    def __init__(self, raw: str | bytes) -> None:
        self.text = text_of(raw)

    @cached_property
    def document(self) -> Any:
        """The whole text as one JSON document, or None if it is none."""
        opening = self.text[:200].lstrip()[:1]
        found = parsed(self.text) if opening in ("{", "[") else ODD
        return None if found is ODD else found

    @cached_property
    def lines(self) -> list[tuple[Any, str]]:
        """Each line that is not blank, as JSON and as text; `ODD` for what is no JSON. Empty if these are no lines of JSON."""
        first, _, _ = self.text.lstrip().partition("\n")
        if not first.startswith("{") or not isinstance(parsed(first), dict):
            return []
        return [(parsed(line), line) for line in self.text.split("\n") if line.strip()]

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The lines that are objects."""
        return [found for found, _ in self.lines if isinstance(found, dict)]

    @cached_property
    def odd(self) -> list[str]:
        """The lines that are something else: a line cut off by a crash, a stray word."""
        return [line for found, line in self.lines if not isinstance(found, dict)]


def parsed(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError, ValueError):
        return ODD
