"""What a call answers when it has no text: an error that is a value. It changes nobody's control flow by itself (V53)."""

from __future__ import annotations

import json
from typing import Any

import msgspec

KINDS = (
    "spawn_failed",
    "timeout",
    "rejected",
    "constraint_violation",
    "cancelled",
    "locked",
    "thrown",
    "binding_failed",
    "missing_input",
    "unknown_input",
    "module_failed",
    "unknown_output",
)


class ErrorValue(msgspec.Struct, frozen=True):
    """`error(kind="locked")`, as plain data: it is true like any object, and two that say the same are equal."""

    kind: str
    message: str
    data: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """`{"error": {"kind": …, "message": …}}`, with `data` where there is some."""
        said: dict[str, Any] = {"kind": self.kind, "message": self.message}
        return {"error": said if self.data is None else {**said, "data": self.data}}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, sort_keys=True)


class Nothing:
    """The one value `NOTHING`: no input was given. `None` is an input like any other."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = Nothing()
