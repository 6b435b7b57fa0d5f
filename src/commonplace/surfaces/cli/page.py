"""The page that answers are written on: spans of text with a style, laid out in lines and tables.

Everything shown goes through `Page.write`, and there every text is made harmless before a style is put around it: what
is stored in a book can never move the cursor, change a colour or reorder a line (row 115). On a terminal lines are fitted
to its width; anywhere else they are plain, uncoloured and whole, so that scripts can rely on them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TextIO

Span = tuple[str, str]
"""A text and the name of its style."""
Line = list[Span]

_STYLES = {
    "bold": "1",
    "dim": "2",
    "id": "36",
    "good": "32",
    "warn": "33",
    "bad": "31",
    "accent": "35",
    "key": "34",
    "head": "1;4",
    "title": "1;36",
}
_MOST = 100  # wider lines of prose are hard to read
_LEAST = 32  # and in narrower columns
_NARROW = 6  # where prose begins, if there is no room for it beside a name


class Page:
    """Where an answer goes, and what may be shown there."""

    def __init__(self, file: TextIO, color: str = "auto") -> None:
        self.file = file
        self.is_terminal = file.isatty()
        wanted = color == "always" or (color == "auto" and self.is_terminal and not os.environ.get("NO_COLOR"))
        self.colored = wanted and (color == "always" or os.environ.get("TERM") != "dumb")
        self.plain = not self.is_terminal and color != "always"
        self.width = _columns(file) if self.is_terminal else None
        self.glyphs = not self.plain and (file.encoding or "").lower().startswith("utf")

    def glyph(self, fancy: str, plain: str = "") -> str:
        return fancy if self.glyphs else plain

    def write(self, lines: Iterable[Line]) -> None:
        text = "".join(self.painted(line) + "\n" for line in lines)
        try:
            self.file.write(text)
        except UnicodeEncodeError:
            encoding = self.file.encoding or "ascii"
            self.file.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def painted(self, line: Line) -> str:
        if not self.colored:
            return "".join(clean(text) for text, _ in line).rstrip()
        return "".join(_painted(clean(text), style) for text, style in line)

    def prose(
        self, text: str, style: str = "", indent: Line | None = None, hanging: Line | None = None
    ) -> Iterator[Line]:
        """A text of any length, wrapped to the page, each line behind the indent (`hanging` from the second line on)."""
        before = indent or []
        room = None if self.width is None else max(min(self.width, _MOST) - width_of(before), 20)
        for paragraph in text.replace("\r\n", "\n").split("\n"):
            for part in wrapped(clean(paragraph), room):
                yield [*before, (part, style)]
                before = before if hanging is None else hanging

    def headed(self, head: Line, said: str, style: str = "dim") -> Iterator[Line]:
        """A head, mostly an id, with a few words beside it; below it where both do not fit on one line."""
        if self.width is None or width_of(head) + 2 + width_of([(said, style)]) <= self.width:
            yield [*head, (f"  {said}" if said else "", style)]
        else:
            yield head
            yield from self.prose(said, style, [("    ", "")])

    def described(self, name: str, said: str, column: int, most: int | None = None) -> Iterator[Line]:
        """A name, and at the column what is said of it: below the name where that is long or the page narrow."""
        width = self.width if most is None else min(self.width or most, most)
        if width is not None and width < column + _LEAST:
            column = _NARROW
        lines = wrapped(said, None if width is None else min(width, _MOST) - column)
        if len(name) > column - 4:
            yield [("  ", ""), (name, "id")]
        else:
            yield [("  ", ""), (name.ljust(column - 2), "id"), (lines.pop(0), "")]
        yield from ([(" " * column, ""), (line, "")] for line in lines)

    def table(self, titles: list[str], rows: list[Line], droppable: tuple[int, ...] = ()) -> Iterator[Line]:
        """Aligned columns; the last one takes what is left and is cut there. Where room is short, columns go in the
        order of `droppable`."""
        kept = [*range(len(titles))]
        widths = [max(width_of([row[column]]) for row in [[(title, "")] * len(titles), *rows])
                  for column, title in enumerate(titles)]  # fmt: skip
        for column in droppable:
            if self.width is None or self.width - sum(widths[i] + 2 for i in kept[:-1]) >= min(widths[-1], 36):
                break
            kept.remove(column)
        for row in [[(title, "dim") for title in titles], *rows]:
            yield self._row([row[column] for column in kept], [widths[column] for column in kept])

    def _row(self, cells: Line, widths: list[int]) -> Line:
        line: Line = []
        for cell, width in zip(cells[:-1], widths, strict=False):
            line += [cell, (" " * (width - width_of([cell]) + 2), "")]
        text, style = cells[-1]
        room = None if self.width is None else max(self.width - width_of(line), 12)
        return [*line, (fitted(text, room, self.glyph("…", "...")), style)]


def clean(text: str) -> str:
    """Harmless on a terminal, and on one line."""
    if text.isascii() and text.isprintable():
        return text
    from commonplace.guard.text import visible

    return visible(text.replace("\r\n", "\n")).replace("\n", " ").replace("\t", "    ")


def one_line(text: str) -> str:
    return " ".join(text.split())


def width_of(line: Line) -> int:
    return sum(_width(clean(text)) for text, _ in line)


def fitted(text: str, room: int | None, ellipsis: str = "…") -> str:
    """The text, cut to the room with an ellipsis where it is longer."""
    text = clean(text)
    if room is None or _width(text) <= room:
        return text
    kept, used = "", len(ellipsis)
    for char in text:
        used += _width(char)
        if used > room:
            break
        kept += char
    return kept.rstrip() + ellipsis


def wrapped(text: str, room: int | None) -> list[str]:
    """Lines of at most `room` columns, broken between words where that is possible."""
    if room is None or _width(text) <= room:
        return [text]
    lines, line = [], ""
    for word in _pieces(text, room):
        if line and _width(line) + 1 + _width(word) > room:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _pieces(text: str, room: int) -> Iterator[str]:
    """The words; those longer than a line (or written without spaces) in parts that fit."""
    for word in text.split(" "):
        piece, used = "", 0
        for char in word:
            wide = _width(char)
            if used + wide > room:
                yield piece
                piece, used = "", 0
            piece, used = piece + char, used + wide
        yield piece


def _width(text: str) -> int:
    """Columns on a terminal: East Asian wide characters and emoji take two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    columns, joined = 0, False
    for char in text:
        # In an emoji family the joiner makes one picture of several; what follows it takes no room of its own.
        if not joined and category(char) not in ("Mn", "Me", "Cf"):
            columns += 2 if east_asian_width(char) in "WF" else 1
        joined = char == "\u200d"
    return columns


def _painted(text: str, style: str) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if style and text else text


def _columns(file: TextIO) -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) > 0:
        return max(int(asked), 40)
    try:
        return max(os.get_terminal_size(file.fileno()).columns or 80, 40)
    except (OSError, ValueError):
        return 80
