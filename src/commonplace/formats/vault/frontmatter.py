"""The frontmatter of a note: read without a YAML library, and changed field by field.

A block is kept as the lines it was written in. Reading understands simple fields and leaves the rest alone; writing replaces
the lines of one field, or the value on its line, and nothing else. Whatever a person wrote there stays byte for byte:
unknown fields, comments, order, line ends, things only a YAML library would understand (rows 35, 36).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from commonplace.formats.vault.scalars import Value, inline_list, scalar, written, written_list

LARGEST = 65_536  # characters; a longer block is not frontmatter but a document that begins with a line

_OPENING = re.compile(r"---[ \t]*(\r\n|\n|\r)")
_CLOSING = re.compile(r"(?:\A|(?<=[\r\n]))---[ \t]*(?:\r\n|\n|\r|\Z)")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FIELD = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+|(?=[\r\n]|\Z))")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+|(?=[\r\n]|\Z))")
_END = re.compile(r"[\r\n]+\Z")


class Field(NamedTuple):
    """A field as it lies in its block: from this line up to that one."""

    key: str
    first: int
    after: int
    value: Value | None
    """None when it is empty, or nothing that is understood here."""
    is_simple: bool
    """Was all of it understood? Of a text that goes on below its line, only the line is."""
    span: tuple[int, int]
    """Where its value stands in its first line."""


class Block(NamedTuple):
    """A note taken apart. `head + lines + tail + body` is the text again."""

    head: str
    """The byte order mark and the opening line, as far as they are there."""
    lines: list[str]
    tail: str
    """The closing line; '' if the note has no frontmatter."""
    body: str
    newline: str
    is_open: bool = False
    """It begins like frontmatter and never ends."""

    @property
    def text(self) -> str:
        return "".join((self.head, *self.lines, self.tail, self.body))


def take_apart(text: str) -> Block:
    mark = text[:1] if text.startswith("\ufeff") else ""
    opening = _OPENING.match(text, len(mark))
    if opening is None:
        return Block(mark, [], "", text[len(mark) :], _newline(text))
    closing = _CLOSING.search(text, opening.end(), opening.end() + LARGEST)
    if closing is None:
        return Block(mark, [], "", text[len(mark) :], _newline(text), is_open=True)
    lines = _LINES.findall(text[opening.end() : closing.start()])
    return Block(text[: opening.end()], lines, closing[0], text[closing.end() :], opening[1])


def _newline(text: str) -> str:
    found = re.search(r"\r\n|\n|\r", text)
    return found[0] if found else "\n"


def fields_of(block: Block) -> list[Field]:
    """The fields that begin at the left margin, in their order, with what they say."""
    starts = _starts(block.lines)
    found: list[Field] = []
    for first, end in zip(starts, [*starts[1:], len(block.lines)], strict=False):
        keyed = _FIELD.match(block.lines[first])
        if keyed:
            found.append(_field(block.lines, first, end, keyed))
        elif found and not found[-1].is_simple and found[-1].after == first:
            found[-1] = found[-1]._replace(after=_last_of_its_own(block.lines, first, end))  # a list that goes on below
    return found


def _starts(lines: list[str]) -> list[int]:
    """Where something begins at the left margin that is neither a comment nor one more item of a list."""
    return [number for number, line in enumerate(lines) if line[0] not in " \t#\r\n" and not _ITEM.match(line)]


def _field(lines: list[str], first: int, end: int, found: re.Match[str]) -> Field:
    after = _last_of_its_own(lines, first, end)
    begins = found.end()
    text = _END.sub("", lines[first])[begins:]
    more = [line for line in lines[first + 1 : after] if not _is_filler(line)]
    if not text or text.startswith("#"):
        return _below(found[1], first, after, more, begins)
    simple = inline_list(text) if text.startswith("[") else scalar(text)
    if simple is None or (more and text[0] in "[\"'"):
        return Field(found[1], first, after, None, False, (begins, begins + len(text)))
    return Field(found[1], first, after, simple[0], not more, (begins, begins + simple[1]))


def _below(key: str, first: int, after: int, more: list[str], begins: int) -> Field:
    """A field with nothing behind its colon: empty, or a list in the lines below, or something else."""
    items = [_item(line) for line in more]
    whole = [item for item in items if item is not None]
    simple = len(whole) == len(items)
    return Field(key, first, after, whole if simple and whole else None, simple, (begins, begins))


def _item(line: str) -> str | None:
    found = _ITEM.match(line)
    said = scalar(_END.sub("", line)[found.end() :]) if found else None
    return said[0] if said else None


def _is_filler(line: str) -> bool:
    bare = line.strip()
    return not bare or bare.startswith("#")


def _last_of_its_own(lines: list[str], first: int, end: int) -> int:
    """Blank lines and comments before the next field belong to nobody and stay when this field changes."""
    while end > first + 1 and _is_filler(lines[end - 1]):
        end -= 1
    return end


def put(block: Block, key: str, value: Value | None, order: tuple[str, ...]) -> Block:
    """The block with one field said anew, or added where `order` wants it, or taken out. All other lines stay.

    A text comes as YAML already, a list as its plain items.
    """
    here = [field for field in fields_of(block) if field.key == key]
    if here:
        return _replaced(block, here[-1], value)  # of a field that is there twice, the last one counts
    if value is None:
        return block
    line = f"{key}: {_written(value)}{block.newline}"
    if not block.tail:
        mark = block.head
        return block._replace(head=f"{mark}---{block.newline}", lines=[line], tail=f"---{block.newline}", is_open=False)
    at = _place_for(block, key, order)
    return block._replace(lines=[*block.lines[:at], line, *block.lines[at:]])


def _replaced(block: Block, field: Field, value: Value | None) -> Block:
    before, after = block.lines[: field.first], block.lines[field.after :]
    if value is None:
        return block._replace(lines=[*before, *after])
    line = block.lines[field.first]
    if isinstance(value, list) and isinstance(field.value, list) and field.span[0] == field.span[1] and value:
        return block._replace(lines=[*before, line, *_items(block, field, value), *after])
    start, end = field.span
    keyed = line[:start] if line[:start].endswith((" ", "\t")) else f"{line[:start]} "
    rest = line[end:] if field.is_simple else block.newline
    rest = f" {rest}" if rest.startswith("#") else rest
    return block._replace(lines=[*before, f"{keyed}{_written(value)}{rest}", *after])


def _items(block: Block, field: Field, values: list[str]) -> list[str]:
    """A list in lines stays one, with the same indentation; the lines of items that stay are kept as they are."""
    lines = [line for line in block.lines[field.first + 1 : field.after] if not _is_filler(line)]
    kept = {_item(line): line for line in lines}
    found = _ITEM.match(lines[0])
    dash = found[0] if found else "  - "
    return [kept.get(value) or f"{dash}{written(value)}{block.newline}" for value in values]


def _place_for(block: Block, key: str, order: tuple[str, ...]) -> int:
    """Behind the last field that comes before it in the locked order; what the order does not know goes to the end."""
    rank = order.index(key) if key in order else len(order)
    places = [field.after for field in fields_of(block) if field.key in order and order.index(field.key) < rank]
    if places or key not in order:
        return max(places, default=len(block.lines))
    return next(iter(_starts(block.lines)), len(block.lines))


def _written(value: Value) -> str:
    return value if isinstance(value, str) else written_list(value)


def made(fields: list[tuple[str, str]], body: str) -> str:
    """A new note: these fields in this order, already written, a blank line, the body."""
    head = "".join(f"{key}: {value}\n" for key, value in fields)
    return f"---\n{head}---\n\n{body}"
