"""`digest.md`: the one page that is always loaded. Read from whatever bytes are there; written in the style it had (row 31)."""

from __future__ import annotations

from typing import Any

from commonplace.formats.ledger.lines import BOM, is_text
from commonplace.model.hashing import sha256
from commonplace.model.words import Scope, Type
from commonplace.seam.format import Aside, Contents, Found

KIND = "digest"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_page(raw: bytes) -> Contents:
    """One memory, or none if there is nothing on the page. What is not UTF-8 is shown with marks in its place (row 32)."""
    if not raw.strip():
        return Contents(())
    if raw.startswith(_UTF16):
        return Contents((), (Aside(1, "the file is UTF-16; save it as UTF-8"),))
    text = raw.removeprefix(BOM).decode(errors="replace")
    if not is_text(text):
        return Contents((), (Aside(1, "the file holds a NUL; it is not text"),))
    fields = page_fields(text.replace("\r\n", "\n") if _ends_in_crlf(raw) else text)
    return Contents((Found("", sha256(raw), fields),), () if is_utf8(raw) else (_odd_line(raw),))


def page_fields(text: str) -> dict[str, Any]:
    """What a page says of itself: that it is one."""
    return {"content": text, "type": Type.PROJECT, "kind": KIND, "scope": Scope.GLOBAL, "always_load": True}


def write_page(text: str, before: bytes | None) -> bytes:
    """The page anew, with the line ends and the byte order mark of the one it replaces."""
    if before and _ends_in_crlf(before):
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return (BOM if before and before.startswith(BOM) else b"") + text.encode()


def is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _odd_line(raw: bytes) -> Aside:
    odd = next(number for number, line in enumerate(raw.split(b"\n"), 1) if not is_utf8(line))
    return Aside(odd, "not UTF-8; shown with marks where letters cannot be read")


def _ends_in_crlf(raw: bytes) -> bool:
    """Do all its lines end so? A few that do are content like any other."""
    return raw.count(b"\r\n") > 0 and raw.count(b"\r\n") == raw.count(b"\n")
