"""JSON that means one thing: no key twice, no `NaN`, no number of five thousand digits, no nesting without end (row 34).

Python's own reader takes the last of two equal keys and invents numbers that JSON does not have. What others wrote into a
file or an answer is read here instead, so that every reader of it sees the same.
"""

from __future__ import annotations

import json
from typing import Any

_DEEPEST = 200
_MOST_DIGITS = 400


def parse(text: str) -> Any:
    """The value. Raises ValueError, whose message says what is wrong and never quotes the text."""
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_integer)
    except json.JSONDecodeError as problem:
        raise ValueError(f"not JSON: line {problem.lineno}, column {problem.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _check_depth(value)
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands there twice")
    return table


def _no_constant(_: str) -> Any:
    raise ValueError("a number that JSON does not have")


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("a number with too many digits")
    return int(digits)


def _check_depth(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        level = [
            one
            for outer in level
            if isinstance(outer, (dict, list))
            for one in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise ValueError("nested too deeply")
