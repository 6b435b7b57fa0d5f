"""The name of a document inside a store: opaque, relative, and unable to point outside.

A locator is never a path. Whoever holds one cannot tell where the store lies, or whether it is a folder at all; only the backend
that resolves it can. All guards are here, so that no backend has to think of them again.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from commonplace.errors import InvalidError
from commonplace.model.base import Noun

_MAX_PARTS: Final = 64
_MAX_PART_BYTES: Final = 255  # what file systems take
_DRIVE_OR_SCHEME = re.compile(r"[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*:$")


class InvalidLocatorError(InvalidError):
    """This names nothing inside a store."""

    hint = "Name it from the store's root, with `/` between its parts."

    def __init__(self, reason: str) -> None:
        super().__init__(f"this is no document's name: {reason}", where="locator", code="unsafe_path")


class Locator(Noun, frozen=True, kw_only=True):
    """Which document, from the store's root; the root itself is ''."""

    key: str = ""

    def __post_init__(self) -> None:
        if self.key and self.key != "/".join(parts_of(self.key)):
            raise InvalidLocatorError("it is not in its plain form")

    @classmethod
    def of(cls, *parts: str) -> Locator:
        """The locator of some parts, each of which may have several segments. Empty ones and `.` fall away."""
        return cls(key="/".join(parts_of("/".join(parts))))

    def child(self, *parts: str) -> Locator:
        return Locator.of(self.key, *parts)

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2]

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.key.split("/")) if self.key else ()

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.key


def parts_of(text: str) -> list[str]:
    """The segments of a name, checked."""
    if "\\" in text or "\0" in text:
        raise InvalidLocatorError("it has a backslash or a NUL in it")
    parts = [part for part in text.split("/") if part not in {"", "."}]
    if len(parts) > _MAX_PARTS:
        raise InvalidLocatorError(f"it has more than {_MAX_PARTS} parts")
    for number, part in enumerate(parts):
        _check(part, is_first=number == 0)
    return parts


def _check(part: str, *, is_first: bool) -> None:
    if not part.strip("."):
        raise InvalidLocatorError("it leads upwards")
    if "%" in part and _leads_elsewhere(part):
        raise InvalidLocatorError("it leads upwards behind an encoding")
    if is_first and (part.startswith("~") or _DRIVE_OR_SCHEME.match(part)):
        raise InvalidLocatorError("it begins like a home folder, a drive or an address")
    if len(part.encode("utf-8", "surrogatepass")) > _MAX_PART_BYTES:
        raise InvalidLocatorError(f"a part of it is longer than {_MAX_PART_BYTES} bytes")


def _leads_elsewhere(part: str) -> bool:
    """Nothing here decodes it, but somebody behind us might."""
    for _ in range(3):
        part = unquote(part)
        if "/" in part or "\\" in part or "\0" in part or not part.strip("."):
            return True
    return False
