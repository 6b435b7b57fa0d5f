"""One value of a note's frontmatter: the small part of YAML that people write by hand, and no more.

Plain words, quoted text, lists of them. Anchors, tags, maps, block text and everything else that needs a YAML library is not
understood here and never has to be: whoever meets `None` leaves the bytes as they are (row 35).
"""

from __future__ import annotations

import json
import re

Value = str | list[str]

_NOT_PLAIN = re.compile(r"[\[\]{}&*!|>%@`\"'#,?]|-(?:\s|\Z)")
_COMMENT = re.compile(r"(?:\A|[ \t])#.*\Z", re.DOTALL)
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_PLAIN_ITEM = re.compile(r"[^,\[\]{}\"'][^,\[\]{}]*")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SHORT = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", " ": " ",
    '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def scalar(text: str) -> tuple[str, int] | None:
    """What a scalar on one line says, and where in the line its own characters end; None if it is not a simple one."""
    if text[:1] in ('"', "'"):
        return _quoted(text)
    if _NOT_PLAIN.match(text):
        return None
    end = len(_COMMENT.sub("", text).rstrip())
    return text[:end], end


def _quoted(text: str) -> tuple[str, int] | None:
    found = (_DOUBLE if text[0] == '"' else _SINGLE).match(text)
    if found is None or not _is_nothing(text[found.end() :]):
        return None
    said = _unescaped(found[1]) if text[0] == '"' else found[1].replace("''", "'")
    return None if said is None else (said, found.end())


def inline_list(text: str) -> tuple[list[str], int] | None:
    """`[a, "b", 'c']` on one line, and where it ends; None if it is anything more."""
    items: list[str] = []
    at = _skip(text, 1)
    while at < len(text) and text[at] != "]":
        found = _item(text, at)
        if found is None:
            return None
        items.append(found[0])
        at = _skip(text, found[1])
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            return None
    if at >= len(text) or not _is_nothing(text[at + 1 :]):
        return None
    return items, at + 1


def _item(text: str, at: int) -> tuple[str, int] | None:
    if text[at] in "\"'":
        found = (_DOUBLE if text[at] == '"' else _SINGLE).match(text, at)
        said = None if found is None else _unescaped(found[1]) if text[at] == '"' else found[1].replace("''", "'")
        return None if found is None or said is None else (said, found.end())
    plain = _PLAIN_ITEM.match(text, at)
    if plain is None or (_NOT_PLAIN.match(plain[0]) and not plain[0].startswith("#")):
        return None
    return plain[0].strip(), plain.end()


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _is_nothing(rest: str) -> bool:
    return not _COMMENT.sub("", rest).strip()


def _unescaped(text: str) -> str | None:
    if "\\" not in text:
        return text
    try:
        said = _ESCAPE.sub(_meant, text)
        said.encode()
    except (KeyError, ValueError, OverflowError):  # an escape that means nothing, or half of a character
        return None
    return None if "\0" in said else said  # no book takes that in (row 33)


def _meant(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    return chr(int(code, 16)) if code else _SHORT[found[4]]


_SAFE = re.compile(r"\w(?:[\w ./+@-]*[\w./+-])?")
# What a reader of YAML would take for a number, a date, a truth value or nothing at all.
_TAKEN = re.compile(r"[\d.+-][\d_.:eExXoO+-]*|true|false|yes|no|on|off|null|y|n|\.nan|\.inf", re.IGNORECASE)
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def written(text: str) -> str:
    """A text as one line of YAML that every reader takes for exactly this text."""
    if _SAFE.fullmatch(text) and not _TAKEN.fullmatch(text) and not _HIDDEN.search(text):
        return text
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def written_list(items: list[str]) -> str:
    return f"[{', '.join(map(written, items))}]"
