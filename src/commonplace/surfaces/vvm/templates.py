"""Templates: text between backticks, with `{name}` and `{}` to be filled in. `{{` and `}}` are braces, `` \\` `` is a backtick.

Any other brace is noted: more often a slip than a wish. Filled in they are by the agent that is called.
"""

from __future__ import annotations

import re

from commonplace.surfaces.vvm.errors import Findings, Place
from commonplace.surfaces.vvm.syntax import Hole, Template
from commonplace.surfaces.vvm.tokens import KEYWORDS, Token

_PIECE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)?\}|\\`|[{}]")
_LITERAL = ("{{", "}}", "\\`")


def template_of(token: Token, findings: Findings) -> Template:
    """The template as it stands, its holes, and a note for each brace that is none."""
    holes: list[Hole] = []
    places = _Places(token)
    for found in _PIECE.finditer(token.text):
        if found[0] in ("{", "}"):
            findings.add("E052", places.of(found.start()))
        elif found[0] not in _LITERAL:
            holes.append(_hole(found[1], places.of(found.start()), findings))
    return Template(token.at, token.text, tuple(holes))


def _hole(name: str | None, at: Place, findings: Findings) -> Hole:
    if name in KEYWORDS:
        hint = "{} stands for the input." if name == "it" else None
        findings.add("E052", at, f"`{name}` is a word of the language, not a name", hint)
    return Hole(at, name)


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
