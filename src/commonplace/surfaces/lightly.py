"""Loading msgspec without what it does not need: the way in for every process that is started often and lives briefly."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from types import ModuleType


def import_lightly() -> None:
    """msgspec loads at once what few programs use and ours never does while it starts; together it costs as much as Python's own
    start. For this one import those modules are kept out of sight, answer shortly, or are loaded when they are first asked."""
    if "msgspec" in sys.modules:
        return
    instead = {name: module for name, module in _stand_ins().items() if name not in sys.modules}
    sys.modules.update(instead)  # type: ignore[arg-type]
    try:
        import msgspec  # noqa: F401
    finally:
        for name, module in instead.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _stand_ins() -> dict[str, ModuleType | None]:
    return {
        "typing_extensions": None,  # asked first, though Python's `typing` has all of it
        "platform": _short(
            "platform", system=lambda: os.uname().sysname if hasattr(os, "uname") else "Windows"
        ),  # uuid asks
        "textwrap": _later("textwrap"),
        "msgspec.inspect": _later("msgspec.inspect"),
    }


def _short(name: str, **members: object) -> ModuleType:
    module = type(sys)(name)  # a module, without loading `types` for it
    vars(module).update(members)
    return module


def _later(name: str) -> ModuleType:
    """A module that is loaded when something of it is first asked for."""

    def asked(member: str) -> object:
        from importlib import import_module

        return getattr(import_module(name), member)

    return _short(name, __getattr__=asked)
