"""JSON in small amounts, for a process that lives for milliseconds: read whatever it is, or say that it is none; write plain
values.

It is what Python's own `json` stands on, without `json`: that compiles patterns when it is loaded, which costs a hook more than
all the JSON it will see. Where the foundation is missing, or a text is in an encoding of its own, `json` itself is asked.
"""

from __future__ import annotations

try:
    import _json
except ImportError:  # another Python than the usual one
    _json = None  # type: ignore[assignment]

_SPACE = " \t\n\r"
_MARK = b"\xef\xbb\xbf"
_INFINITE = float("inf")


class _Manner:
    """How `json.loads` reads if nothing else is said."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": _INFINITE - _INFINITE, "Infinity": _INFINITE, "-Infinity": -_INFINITE}.__getitem__


def read(raw: bytes) -> object:
    """What these bytes say. `ValueError` if they are no JSON, whatever is wrong with them."""
    try:
        return _read(raw)
    except RecursionError:
        raise ValueError("too deep") from None


def _read(raw: bytes) -> object:
    if _json is None or b"\0" in raw[:4]:  # two or four bytes a letter
        import json

        return json.loads(raw)
    text = raw.removeprefix(_MARK).decode(errors="surrogatepass")
    try:
        found, end = _json.make_scanner(_Manner)(text, len(text) - len(text.lstrip(_SPACE)))  # type: ignore[arg-type]
    except StopIteration:
        raise ValueError("no JSON") from None
    if text[end:].strip(_SPACE):
        raise ValueError("there is more behind the end")
    said: object = found
    return said


def read_object(raw: bytes) -> dict[str, object]:
    """The object that they say; an empty one if they say anything else."""
    if not raw:
        return {}
    try:
        found = read(raw)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def write(value: object) -> str:
    """Texts, whole numbers, yes and no, nothing, lists and objects of them, as `json.dumps` writes them."""
    if isinstance(value, str):
        return _json.encode_basestring_ascii(value) if _json is not None else _by_json(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{write(str(name))}: {write(inside)}" for name, inside in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(write(inside) for inside in value) + "]"
    return _by_json(value)


def _by_json(value: object) -> str:
    import json

    return json.dumps(value)
