"""Loading msgspec without what it does not need: the way in for every process that is started often and lives briefly."""

from __future__ import annotations

import os
import sys


def import_lightly() -> None:
    """msgspec without what it does not need. It asks `typing_extensions` first, which where it happens to be installed costs as
    much as Python's own start, though Python's `typing` has all it asks for; and it loads `uuid`, which loads `platform` only
    to hear the name of the system. For this one import the first is kept out of sight and the second answers shortly."""
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules or "platform" in sys.modules:
        return
    short = type(sys)("platform")
    short.system = lambda: os.uname().sysname if hasattr(os, "uname") else "Windows"  # type: ignore[attr-defined]
    sys.modules["typing_extensions"], sys.modules["platform"] = None, short  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"], sys.modules["platform"]
