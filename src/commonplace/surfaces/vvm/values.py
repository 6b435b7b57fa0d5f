"""Values while a program runs: plain data, functions, and errors that are data too.

`()`, true, false, numbers, strings, lists and objects are Python's own; an error value is the object `{error: {…}}`. What is
raised travels as `Raised` until a `try` catches it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.vvm.errors import Place

if TYPE_CHECKING:
    from commonplace.surfaces.vvm.scope import Frame

Value = Any
UNIT: tuple[()] = ()


class Raised(Exception):  # noqa: N818 - the program's word
    """An error value on its way to a `try`, or out of the program."""

    def __init__(self, value: dict[str, Any], at: Place) -> None:
        self.value, self.at = value, at
        self.file = ""  # of the function or module that it came from; said by the first one it leaves
        super().__init__(str(value["error"].get("message", "")))


class Function:
    """Something that can be called: the program's own `def`, or one of the library.

    `call` takes the frame and the place of the call, the positional values, and those with a name.
    """

    def __init__(self, name: str, call: Callable[[Frame, Place, list[Value], dict[str, Value]], Value]) -> None:
        self.name, self.call = name, call

    def __repr__(self) -> str:
        return f"<function {self.name}>"


def error_value(kind: str, message: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    said: dict[str, Any] = {"kind": kind, "message": message}
    return {"error": said if data is None else {**said, "data": data}}


def thrown(message: str, at: Place) -> Raised:
    return Raised(error_value("thrown", message), at)


def is_error(value: Value) -> bool:
    """An object whose `error` is an object (V53). Nothing else is one, whatever it says."""
    return isinstance(value, dict) and isinstance(value.get("error"), dict)


def sort_of(value: Value) -> str:
    """What kind of value it is, in the language's words."""
    for name, python in _SORTS:
        if isinstance(value, python):
            return name
    return "nothing"


_SORTS: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("a boolean", bool),  # before numbers: Python's own are a kind of them
    ("a number", (int, float)),
    ("a string", str),
    ("a list", list),
    ("an object", dict),
    ("a function", Function),
    ("()", tuple),
)


def same(one: Value, other: Value, at: Place) -> bool:
    """Equal in structure. Values of different sorts are never equal; functions cannot be compared."""
    if isinstance(one, Function) or isinstance(other, Function):
        raise thrown("functions cannot be compared", at)
    if sort_of(one) != sort_of(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(same(a, b, at) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key], at) for key in one)
    return bool(one == other)


def plain(value: Value) -> Any:
    """The value as JSON knows it: `()` is null, a function is its name, keys stand in lexicographic order (V56)."""
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Function):
        return repr(value)
    return None if isinstance(value, tuple) else value


def given(value: Value) -> Any:
    """The value as an agent takes it: an empty input stays one."""
    return UNIT if isinstance(value, tuple) else plain(value)


def text_of(value: Value) -> str:
    """A value as text: strings as they are, `()` as nothing, all else JSON-like."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return ""
    import json

    return json.dumps(plain(value), ensure_ascii=False)
