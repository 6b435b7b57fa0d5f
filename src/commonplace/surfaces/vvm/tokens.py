"""Text becomes tokens, each with its place. Blocks become `indent` and `dedent`; inside brackets lines do not end.

One pass from left to right, each character looked at a fixed number of times. What cannot be read is noted with its
code, and reading goes on behind it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from commonplace.surfaces.vvm.errors import Findings, Place

_WORDS = (
    "import from as export agent def return match case choose by option constrain require with input if elif else while "
    "for in parallel try except finally raise pass break continue and or not it true false error"
)
KEYWORDS = frozenset(_WORDS.split())

_PLAIN = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<op>==|!=|<=|>=|[()\[\]{},:=<>+\-.@?*])"
)
_SPACE = re.compile(r"[ \t\r\f]+")
_COMMENT = re.compile(r"#[^\n]*")
_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_ODD = re.compile(r'[^A-Za-z0-9_()\[\]{},:=<>+\-.@?*\s#"`!]+|!')
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.|\Z)", re.DOTALL)
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/"}
_CLOSES = {")": "(", "]": "[", "}": "{"}


class Token(NamedTuple):
    """One word. `kind` is name, keyword, number, string, template, op, newline, indent, dedent or end."""

    kind: str
    text: str
    at: Place


def tokens_of(text: str, findings: Findings) -> list[Token]:
    """The tokens of a text in which lines end with a bare line feed. The last one is always `end`."""
    return _Lexer(text, findings).run()


class _Lexer:
    def __init__(self, text: str, findings: Findings) -> None:
        self._text, self._findings = text, findings
        self._pos = self._line_start = 0
        self._line = 1
        self._indents = [0]
        self._open: list[tuple[str, Place]] = []
        self._made: list[Token] = []

    def run(self) -> list[Token]:
        text = self._text
        self._begin_line()
        while self._pos < len(text):
            char = text[self._pos]
            if char == "\n":
                self._end_line()
            elif not self._skipped():
                self._word(char)
        return self._finish()

    def _skipped(self) -> bool:
        found = _SPACE.match(self._text, self._pos) or _COMMENT.match(self._text, self._pos)
        if found:
            self._pos = found.end()
        return found is not None

    def _word(self, char: str) -> None:
        if char == "`":
            self._template()
        elif self._text.startswith('"""', self._pos):
            self._long_string()
        elif char == '"':
            self._string()
        elif found := _PLAIN.match(self._text, self._pos):
            self._plain(found)
        else:
            self._odd()

    def _plain(self, found: re.Match[str]) -> None:
        kind, word = str(found.lastgroup), found[0]
        if kind == "op":
            self._bracket(word)
        self._make("keyword" if kind == "name" and word in KEYWORDS else kind, word)
        self._pos = found.end()

    def _bracket(self, word: str) -> None:
        if word in "([{":
            self._open.append((word, self._at()))
        elif word in _CLOSES and self._open and self._open[-1][0] == _CLOSES[word]:
            self._open.pop()

    def _odd(self) -> None:
        found = _ODD.match(self._text, self._pos)
        hint = "Strings stand in double quotes." if self._text[self._pos] in "'‘’“”„" else ""
        self._findings.add("E001", self._at(), "this character has no meaning here", hint)
        self._pos = found.end() if found else self._pos + 1

    # -- texts

    def _string(self) -> None:
        found = _STRING.match(self._text, self._pos)
        if found is None:
            self._findings.add("E003", self._at())
            end = self._text.find("\n", self._pos)
            self._make("string", "")
            self._pos = len(self._text) if end < 0 else end
            return
        self._make("string", self._unescaped(found[0][1:-1], self._pos + 1))
        self._pos = found.end()

    def _long_string(self) -> None:
        end = self._text.find('"""', self._pos + 3)
        while end > 0 and self._is_escaped(end):
            end = self._text.find('"""', end + 1)
        if end < 0:
            self._findings.add("E003", self._at(), "a string in three quotes is not closed", 'Close it with """.')
            self._make("string", "")
            self._pass_to(len(self._text))
            return
        self._make("string", self._unescaped(self._text[self._pos + 3 : end], self._pos + 3))
        self._pass_to(end + 3)

    def _is_escaped(self, pos: int) -> bool:
        """Does an odd number of backslashes stand before it? Far back is not looked: nobody means so many."""
        before = self._text[max(pos - 64, 0) : pos]
        return (len(before) - len(before.rstrip("\\"))) % 2 == 1

    def _unescaped(self, raw: str, start: int) -> str:
        if "\\" not in raw:
            return raw

        def meant(found: re.Match[str]) -> str:
            word = found[1]
            if word[:1] == "u" and len(word) == 5:
                char = chr(int(word[1:], 16))
                return "\ufffd" if "\ud800" <= char <= "\udfff" else char
            if word not in _ESCAPES and not self._findings.is_full:
                self._findings.add("E005", self._place(start + found.start()))
            return _ESCAPES.get(word, word)

        return _ESCAPE.sub(meant, raw)

    def _template(self) -> None:
        """Up to the next backtick without a backslash before it: that is the only escape there is."""
        end = self._text.find("`", self._pos + 1)
        while end > 0 and self._text[end - 1] == "\\":
            end = self._text.find("`", end + 1)
        if end < 0:
            self._findings.add("E004", self._at())
            self._make("template", "")
            self._pass_to(len(self._text))
            return
        self._make("template", self._text[self._pos + 1 : end])
        self._pass_to(end + 1)

    # -- lines

    def _begin_line(self) -> None:
        """Measure the indentation, unless the line is empty or goes on from the one before."""
        if self._open:
            return
        found = _SPACE.match(self._text, self._pos)
        end = found.end() if found else self._pos
        if end == len(self._text) or self._text[end] in "\n#":
            return
        if found and found[0].strip(" "):
            self._findings.add("E002", self._at(), "a line is indented with something other than spaces")
        self._indent(end - self._pos)

    def _indent(self, width: int) -> None:
        if width > self._indents[-1]:
            self._indents.append(width)
            self._make("indent", "")
            return
        while width < self._indents[-1]:
            self._indents.pop()
            self._make("dedent", "")
        if width != self._indents[-1]:
            at = Place(self._line, width + 1)
            self._findings.add("E002", at, "this line is indented like none of the blocks around it")

    def _end_line(self) -> None:
        if not self._open and self._made and self._made[-1].kind not in ("newline", "indent", "dedent"):
            self._make("newline", "")
        self._pos += 1
        self._line, self._line_start = self._line + 1, self._pos
        self._begin_line()

    def _finish(self) -> list[Token]:
        for bracket, at in self._open[:1]:
            self._findings.add("E001", at, f"this {bracket} is never closed", "Close it, or take it away.")
        if self._made and self._made[-1].kind != "newline":
            self._make("newline", "")
        for _ in self._indents[1:]:
            self._make("dedent", "")
        self._make("end", "")
        return self._made

    # -- places

    def _make(self, kind: str, text: str) -> None:
        self._made.append(Token(kind, text, self._at()))

    def _at(self) -> Place:
        return Place(self._line, self._pos - self._line_start + 1)

    def _place(self, pos: int) -> Place:
        """Where a later position of the current text stands."""
        lines = self._text.count("\n", self._pos, pos)
        start = self._text.rfind("\n", 0, pos) + 1 if lines else self._line_start
        return Place(self._line + lines, pos - start + 1)

    def _pass_to(self, pos: int) -> None:
        """Go on behind a text that may hold lines."""
        lines = self._text.count("\n", self._pos, pos)
        if lines:
            self._line, self._line_start = self._line + lines, self._text.rfind("\n", 0, pos) + 1
        self._pos = pos
