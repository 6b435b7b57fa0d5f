"""Templates: text between backticks, with `{name}` and `{}` to be filled in. `{{` and `}}` are braces, `` \\` `` is a backtick.

Any other brace is noted: more often a slip than a wish. A backslash before anything but a backtick is a backslash.
"""

from __future__ import annotations

import re

from commonplace.surfaces.vvm.errors import Findings, Place
from commonplace.surfaces.vvm.syntax import Hole, Template
from commonplace.surfaces.vvm.tokens import KEYWORDS, Token

_PIECE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)?\}|\\`|[{}]")
_LITERAL = {"{{": "{", "}}": "}", "\\`": "`"}


def template_of(token: Token, findings: Findings) -> Template:
    parts: list[str | Hole] = []
    places = _Places(token)
    end = 0
    for found in _PIECE.finditer(token.text):
        parts.append(token.text[end : found.start()])
        parts.append(_meant(found, places.of(found.start()), findings))
        end = found.end()
    parts.append(token.text[end:])
    return Template(token.at, tuple(part for part in parts if part != ""))


def _meant(found: re.Match[str], at: Place, findings: Findings) -> str | Hole:
    if found[0] in _LITERAL:
        return _LITERAL[found[0]]
    if found[0] in "{}":
        findings.add("E052", at)
        return found[0]
    if found[1] in KEYWORDS:
        hint = "{} stands for the input." if found[1] == "it" else None
        findings.add("E052", at, f"`{found[1]}` is a word of the language, not a name", hint)
    return Hole(at, found[1])


class _Places:
    """Where the parts of a template stand. Asked from left to right, it counts each line once."""

    def __init__(self, token: Token) -> None:
        self._text, self._pos = token.text, 0
        self._line, self._start = token.at.line, -token.at.column  # the text begins behind its backtick

    def of(self, pos: int) -> Place:
        lines = self._text.count("\n", self._pos, pos)
        if lines:
            self._line, self._start = self._line + lines, self._text.rfind("\n", self._pos, pos) + 1
        self._pos = pos
        return Place(self._line, pos - self._start + 1)
