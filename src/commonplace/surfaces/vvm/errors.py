"""What is wrong with a program: a code of the language, a place, the line with a caret under it, and what to do.

Codes that begin with E keep a program from running; codes that begin with W do not. They are the language's own, so that
a search for one finds its meaning anywhere. E900 is ours: a construct of the language that this runtime does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from commonplace.errors import InvalidError, TooLargeError

MOST = 100
"""More findings than this in one text help nobody; the rest is counted."""

CODES = {
    "E001": "the text is not a form of the language",
    "E002": "the indentation does not line up",
    "E003": "a string is not closed",
    "E004": "a template is not closed",
    "E005": "a string has an escape that means nothing",
    "E010": "a word of the language is used as a name",
    "E020": "two agents have the same name",
    "E021": "two functions have the same name",
    "E030": "a skill import lacks its name or its source",
    "E031": "a skill is imported twice",
    "E032": "two modules import a skill from different sources",
    "E040": "there is no agent of that name",
    "E041": "an agent's declaration holds more than plain values",
    "E050": "a `case` has a pattern that there is not",
    "E051": "a template names something that is not there",
    "E052": "a template has a brace that stands alone",
    "E060": "`it` cannot be assigned",
    "E070": "`constrain` names something that has no value yet",
    "E080": "`return` stands outside of a function",
    "E081": "`break` or `continue` stands outside of a loop",
    "E082": "`try` has neither `except` nor `finally`",
    "E090": "a module, or what is imported from it, is not there",
    "E100": "two branches of `parallel` have the same name",
    "E101": "`join` is none of the ways to join",
    "E102": '`count` belongs to `join="any"`',
    "E103": "`count` is not between one and the number of branches",
    "E104": "`on_fail` is none of the ways to fail",
    "E105": "`parallel` has no branches",
    "E106": "a branch of `parallel` has no name",
    "E110": "an input is declared after the program has begun",
    "E111": "two inputs have the same name",
    "E900": "this runtime does not have that construct",
    "W001": "a skill comes from a kind of source that is not known",
    "W010": "an agent uses a skill that is not imported",
    "W011": "an agent has an empty list of skills",
    "W020": "an agent has a setting that is not one of the language's",
    "W030": "a variable is never used",
    "W031": "something is exported that never gets a value",
    "W040": "branches of `parallel` use the same memory and will wait for each other",
    "W041": "a single branch has nobody to race with",
    "W050": "an input says nothing about itself",
    "W051": "a program takes inputs and exports nothing",
}

_HINTS = {
    "E002": "Indent with spaces, the same number for all lines of a block.",
    "E003": 'Close it with " on the same line, or use """ for several lines.',
    "E004": "Close it with a backtick; a backtick inside is written \\`.",
    "E005": 'A string knows \\\\, \\", \\n, \\t, \\r, \\b, \\f, \\/ and \\uXXXX.',
    "E010": "Choose another name.",
    "E040": 'Declare it with `agent NAME(...)`, or write the settings in place: @{model="..."}.',
    "E041": "Use literals, lists, objects and perm(...) here; what is known only at run time goes into .with(...).",
    "E050": 'Use `_`, `error(_)`, `error(kind="...")` or a ?`criterion`.',
    "E051": "Only names can be filled in; assign the value to one first.",
    "E052": "Write {name}, {} for the input, and {{ or }} for a brace itself.",
    "E060": "`with input VALUE:` sets it for a block.",
    "E070": "Assign it before.",
    "E101": 'Use "all", "first" or "any".',
    "E104": 'Use "fail-fast", "continue" or "ignore".',
    "E106": "Write each branch as NAME = EXPRESSION.",
    "E110": "Put all `input` lines first.",
    "W040": 'Give each its own key, or memory_mode="fresh" and one call afterwards that remembers.',
}


class Place(NamedTuple):
    """Where something stands, counted from one as editors do."""

    line: int
    column: int


class Diagnostic(NamedTuple):
    """One finding in a text."""

    code: str
    at: Place
    message: str
    hint: str
    excerpt: str
    file: str

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")

    @property
    def shown(self) -> str:
        """One line, as compilers write it: editors can jump to it."""
        return f"{self.file}:{self.at.line}:{self.at.column}: {self.code} {self.message}"

    def lines(self) -> Iterator[str]:
        """The finding with its line, a caret under the place, and the next step."""
        yield self.shown
        if self.excerpt:
            text, caret = _windowed(self.excerpt, self.at.column - 1)
            yield f"  {text}"
            yield f"  {' ' * caret}^"
        if self.hint:
            yield f"  hint: {self.hint}"

    def to_dict(self) -> dict[str, object]:
        place = {"line": self.at.line, "column": self.at.column}
        said: dict[str, object] = {"code": self.code, "file": self.file, **place, "message": self.message}
        return said | {"hint": self.hint} if self.hint else said


_WIDE = 100


def _windowed(line: str, column: int) -> tuple[str, int]:
    """The part of a long line around a column, and where the column is in it."""
    start = max(column - _WIDE // 2, 0) if len(line) > _WIDE else 0
    return line[start : start + _WIDE], min(column, len(line)) - start


class Findings:
    """Collects what is wrong with one text."""

    def __init__(self, text: str, file: str = "program") -> None:
        self.file = file
        self.left_out = 0
        self._lines = text.split("\n")
        self._found: list[Diagnostic] = []

    def add(self, code: str, at: Place, message: str = "", hint: str | None = None) -> Diagnostic:
        hint = _HINTS.get(code, "") if hint is None else hint
        excerpt = self._lines[at.line - 1] if 0 < at.line <= len(self._lines) else ""
        found = Diagnostic(code, at, message or CODES[code], hint, excerpt, self.file)
        if len(self._found) < MOST:
            self._found.append(found)
        else:
            self.left_out += 1
        return found

    @property
    def is_full(self) -> bool:
        return len(self._found) >= MOST

    def all(self) -> list[Diagnostic]:
        """In the order of the text; what was said twice of one place, once."""
        return sorted({*self._found}, key=lambda found: (found.at, found.code, found.message))

    @property
    def errors(self) -> list[Diagnostic]:
        return [found for found in self.all() if found.is_error]

    @property
    def warnings(self) -> list[Diagnostic]:
        return [found for found in self.all() if not found.is_error]


class Fault(Exception):  # noqa: N818 - never leaves the parser
    """A statement cannot be read any further; the parser goes on with the next one."""

    def __init__(self, code: str, at: Place, message: str, hint: str | None = None) -> None:
        self.code, self.at, self.message, self.hint = code, at, message, hint
        super().__init__(message)


class ProgramError(InvalidError):
    """The program has errors; nothing of it was run."""

    def __init__(self, found: Iterable[Diagnostic]) -> None:
        self.found = [*found]
        first = next(one for one in self.found if one.is_error)
        others = sum(one.is_error for one in self.found) - 1
        more = f" (and {others} more)" if others else ""
        super().__init__(
            f"{first.code} {first.message}{more}",
            hint=first.hint,
            where=f"{first.file}:{first.at.line}:{first.at.column}",
        )
        self.code = first.code

    def to_dict(self) -> dict[str, object]:
        said = super().to_dict()["error"]
        assert isinstance(said, dict)
        return {"error": {**said, "diagnostics": [one.to_dict() for one in self.found]}}


class ProgramRaisedError(InvalidError):
    """The program raised an error of its own and nothing in it caught that."""

    def __init__(self, value: dict[str, object], at: str) -> None:
        self.value = value
        said = value["error"]
        assert isinstance(said, dict)
        super().__init__(f"the program raised: {said.get('message') or said.get('kind')}", hint=_CATCH, where=at)
        self.code = str(said.get("kind", "thrown"))


_CATCH = "`try:` with `except as err:` catches what is raised; `match` with `case error(_)` handles error values."


class ProgramTooLargeError(TooLargeError):
    """The text is longer than a program is."""

    hint = "Split it into modules."
