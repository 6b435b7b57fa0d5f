"""Names of files and folders: made of any text so that every file system and every link takes them, and read back (row 45).

What a name must not hold is written as `%2F`, as in an address. A name that is too long is cut and closed with a piece of its
hash, so that two long names that begin alike stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from unicodedata import normalize

from commonplace.model.hashing import sha256
from commonplace.storage.conflict_files import classify

_LONGEST = 120  # bytes; with `-99`, a date and `.md` still far below the 255 that file systems take
# Separators, what Windows refuses, and what a wikilink takes as its own sign.
_UNSAFE = re.compile(r'[/\\:*?"<>|%#^\[\]]')
_AT_THE_START = re.compile(r"\A[ ._~-]")  # hidden, reserved, an option, a backup
_AT_THE_END = re.compile(r"[ .~]\Z")
_DEVICES = re.compile(r"\A(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|\Z)", re.IGNORECASE)
_SIMPLE = re.compile(r"[a-z0-9][a-z0-9-]{4,99}")  # longer than every device name
_ESCAPED = re.compile(r"(?:%[0-9A-F]{2})+")
_CUT = re.compile(r"~[0-9a-f]{8}\Z")


def safe_name(text: str) -> str:
    """A name for a file or folder; `plain_name` gives the text back, unless it had to be cut."""
    if _SIMPLE.fullmatch(text):
        return text
    name = _UNSAFE.sub(_escape, normalize("NFC", text))
    if not name.isprintable():  # controls, and characters that nobody sees
        name = "".join(char if char.isprintable() else _escape_one(char) for char in name)
    for edge in (_AT_THE_START, _AT_THE_END, _DEVICES):
        name = edge.sub(lambda found: _escape_one(found[0][:1]) + found[0][1:], name)
    return _cut(name, text) if len(name.encode()) > _LONGEST else name or "%"


def plain_name(name: str) -> str:
    if "%" not in name:
        return name
    return "" if name == "%" else _ESCAPED.sub(_unescape, name)


def _escape(found: re.Match[str]) -> str:
    return _escape_one(found[0])


def _escape_one(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def _unescape(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("%", "")).decode(errors="replace")


def _cut(name: str, text: str) -> str:
    head = name.encode()[: _LONGEST - 9].decode(errors="ignore")
    # Not in the middle of an escape.
    head = re.sub(r"%[0-9A-F]?\Z", "", head)
    return f"{_AT_THE_END.sub('', head)}~{sha256(text.encode()).hex()[:8]}"


def file_stem(slug: str, title: str | None, content: str, id: str) -> str:
    """What to call a note: by its slug, else by the words of its title or its beginning, in any script."""
    if slug:
        return recognised(safe_name(slug))
    words = re.findall(r"[^\W_]+", (title or content)[:80])
    stem = safe_name(normalize("NFC", "-".join(words)).lower())
    return recognised(stem) if words else f"note-{re.sub(r'[^a-z0-9]', '', id.lower())[-8:] or '0'}"


def recognised(stem: str) -> str:
    """A name that is not taken for a drawing or a sync client's copy of another note, whatever lies beside it (row 49)."""
    odd = stem.endswith(".excalidraw") or classify(f"{stem}.md", _Everything()) is not None
    if _SIMPLE.fullmatch(stem) or not odd:
        return stem
    return re.sub(r"[^\w%-]", _escape, stem.lower()).replace("_", "%5F")


class _Everything(Set[str]):
    """A folder in which every name is taken."""

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def plain(path: str) -> str:
    """A path as a file system sees it that knows neither case nor Unicode forms (row 46)."""
    return normalize("NFC", path).casefold()


def archive_stem(stem: str, day: str) -> str:
    """`name.md.20260503`: the name under which a superseded note is kept (A69)."""
    return f"{stem}.md.{day}"


_ARCHIVED = re.compile(r"(?P<stem>.+)\.md\.\d{8}(?:-\d{1,2})?\Z", re.DOTALL)


def unarchived_stem(stem: str) -> str:
    """The name that a superseded note had before."""
    found = _ARCHIVED.match(stem)
    return found["stem"] if found else stem


def numbered(stem: str, number: int) -> str:
    return stem if number == 1 else f"{stem}-{number}"
