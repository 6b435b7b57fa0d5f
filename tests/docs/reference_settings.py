"""The page of settings: each limit and default with the reason that stands beside it in `settings.py`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from commonplace import settings

from .generate import code, table

_SETTING = re.compile(r"^([A-Z_]+) = (.+?)(?:  # (.+))?$")
_VARIABLE = re.compile(r"\b(COMMONPLACE_[A-Z_]+)\b")
VARIABLES = {
    "COMMONPLACE_BOOK": "the URL of the book that is used when none is named",
    "COMMONPLACE_CONFIG": "the config file, instead of `commonplace/config.toml` in the user's config folder",
    "COMMONPLACE_ACTOR": "on the command line: who is speaking, when `--actor` does not say so",
    "COMMONPLACE_DEBUG": "on the command line: set to anything, an error shows its trace as well",
    "XDG_CONFIG_HOME": "where the user's config folder lies, when not in the usual place",
    "XDG_DATA_HOME": "where the user's data folder lies, when not in the usual place",
    "NO_COLOR": "set to anything, the command line uses no colour unless `--color always` says so",
}


def lines() -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield "Limits and defaults live in one file, `commonplace/settings.py`, each with its reason. They are constants: what a"
    yield "caller may choose is a parameter of `commonplace.open` or a field of a [verb](verbs.md). The one thing a config"
    yield "file says is [which book is meant](../format/config.md)."
    yield ""
    yield from table(
        ("setting", "value", "reason"), ((code(name), code(value), why) for name, value, why in constants())
    )
    yield "## Environment"
    yield ""
    yield from table(("variable", "meaning"), ((code(name), said) for name, said in VARIABLES.items()))


def constants() -> Iterator[tuple[str, str, str]]:
    """Name, value and reason; a comment block above counts for the settings right below it."""
    above: list[str] = []
    ended = False
    for line in inspect.getsource(settings).splitlines():
        found = _SETTING.match(line)
        if line.startswith("# "):
            above = [line[2:]] if ended else [*above, line[2:]]
            ended = False
        elif found:
            yield found[1], found[2], found[3] or " ".join(above)
            ended = True
        else:
            above, ended = [], False


def variables_in_the_code() -> set[str]:
    """Every environment variable of ours that the package reads."""
    folder = Path(settings.__file__).parent
    return {name for path in folder.rglob("*.py") for name in _VARIABLE.findall(path.read_text())}
