"""JSON of others, in small amounts: read whatever it is, or say that it is none. Python's own: nothing larger is loaded."""

from __future__ import annotations

import json


def read(raw: bytes) -> object:
    """What these bytes say. `ValueError` if they are no JSON, whatever is wrong with them."""
    try:
        found: object = json.loads(raw)
    except RecursionError:
        raise ValueError("too deep") from None
    return found


def read_object(raw: bytes) -> dict[str, object]:
    """The object that they say; an empty one if they say anything else."""
    try:
        found = read(raw)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def write(value: object) -> str:
    return json.dumps(value)
