"""A text becomes a program: its statements, and everything that is wrong with its form. Never an exception."""

from __future__ import annotations

from commonplace.surfaces.vvm.cursor import Cursor
from commonplace.surfaces.vvm.errors import Findings
from commonplace.surfaces.vvm.statements import statements
from commonplace.surfaces.vvm.syntax import Block
from commonplace.surfaces.vvm.tokens import tokens_of


def normalised(text: str) -> str:
    """Lines end with a line feed, and a byte order mark is no part of the program."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def parse(text: str, findings: Findings) -> Block:
    """The statements of a normalised text, as far as they can be read."""
    return statements(Cursor(tokens_of(text, findings), findings), top=True)
