"""Where the parser is in the tokens, what it may take there, and how deep it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from commonplace.surfaces.vvm.errors import Fault, Findings, Place
from commonplace.surfaces.vvm.tokens import Token

MAX_DEPTH = 40
"""Brackets within brackets, and blocks within blocks. Nobody reads deeper; the interpreter's own stack is not endless."""

_NAMES = {"newline": "the end of the line", "indent": "an indented line", "dedent": "the end of the block",
          "end": "the end of the program"}  # fmt: skip


class Cursor:
    def __init__(self, tokens: list[Token], findings: Findings) -> None:
        self.findings = findings
        self._tokens, self._pos, self._depth = tokens, 0, 0

    @property
    def token(self) -> Token:
        return self._tokens[self._pos]

    @property
    def at(self) -> Place:
        return self.token.at

    @property
    def following(self) -> Token:
        return self._tokens[min(self._pos + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        if token.kind != "end":
            self._pos += 1
        return token

    def sees(self, *words: str) -> bool:
        """Is the next token one of these keywords or signs?"""
        return self.token.kind in ("op", "keyword") and self.token.text in words

    def sees_kind(self, *kinds: str) -> bool:
        return self.token.kind in kinds

    def takes(self, word: str) -> bool:
        """Take it if it is next."""
        if self.sees(word):
            self._pos += 1
            return True
        return False

    def expect(self, word: str, where: str) -> Token:
        if not self.sees(word):
            raise self.unexpected(f"`{word}` {where}")
        return self.take()

    def expect_kind(self, kind: str, wanted: str) -> Token:
        if self.token.kind != kind:
            raise self.unexpected(wanted)
        return self.take()

    def unexpected(self, wanted: str, hint: str = "") -> Fault:
        return Fault("E001", self.at, f"expected {wanted}, found {shown(self.token)}", hint)

    def end_line(self) -> None:
        if not self.sees_kind("newline"):
            raise self.unexpected("the end of the line")
        self.take()

    def new_name(self, what: str) -> str:
        """A name that the program gives to something. A word of the language is noted, and taken."""
        token = self.token
        if token.kind == "keyword":
            self.findings.add("E010", token.at, f"`{token.text}` is a word of the language and cannot be {what}")
        elif token.kind != "name":
            raise self.unexpected(f"the name of {what}")
        return self.take().text

    def recover(self) -> None:
        """Behind a fault: go on with the next line, and pass over the block that may follow this one."""
        while not self.sees_kind("newline", "end", "dedent", "indent"):
            self.take()
        if self.sees_kind("newline"):
            self.take()
        if self.sees_kind("indent"):
            self._pass_block()

    def _pass_block(self) -> None:
        depth = 0
        while not self.sees_kind("end"):
            depth += {"indent": 1, "dedent": -1}.get(self.take().kind, 0)
            if depth == 0:
                return

    @contextmanager
    def deeper(self) -> Iterator[None]:
        if self._depth >= MAX_DEPTH:
            raise Fault("E001", self.at, f"more than {MAX_DEPTH} levels within each other", "Give a part of it a name.")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1


def shown(token: Token) -> str:
    if token.kind in _NAMES:
        return _NAMES[token.kind]
    return f"`{token.text}`" if token.kind in ("op", "keyword", "name", "number") else f"a {token.kind}"
