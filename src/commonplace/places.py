"""Where things of the user's own lie on this machine, and which book is theirs. Cheap to load: a hook asks it before anything
else, so not even `typing` is imported here.
"""

from __future__ import annotations

import os
import sys


def config_path() -> str:
    return os.environ.get("COMMONPLACE_CONFIG") or os.path.join(
        _base("XDG_CONFIG_HOME", "~/.config"), "commonplace", "config.toml"
    )


def data_folder() -> str:
    return os.path.join(_base("XDG_DATA_HOME", "~/.local/share"), "commonplace")


def cache_folder() -> str:
    """What may be deleted: it is made again."""
    otherwise = {"darwin": "~/Library/Caches", "win32": "~/AppData/Local"}.get(sys.platform, "~/.cache")
    return os.path.join(_absolute("XDG_CACHE_HOME", otherwise), "commonplace")


def _base(variable: str, otherwise: str) -> str:
    if sys.platform == "darwin":
        otherwise = "~/Library/Application Support"
    elif sys.platform == "win32":
        otherwise = "~/AppData/Local"
    return _absolute(variable, otherwise)


def _absolute(variable: str, otherwise: str) -> str:
    """A relative path would mean another folder in every folder one is in: it is passed over, as XDG asks for. Only where
    nobody knows a home folder, the answer is relative; whoever would write there has to look."""
    said = os.environ.get(variable, "")
    return said if os.path.isabs(said) else os.path.expanduser(otherwise)


def configured_url() -> str:
    """`$COMMONPLACE_BOOK`, else the config file's `book`, else a book in the user's data folder."""
    asked = os.environ.get("COMMONPLACE_BOOK")
    if asked:
        return asked
    book = configured().get("book")
    if book is not None:
        return str(book)
    folder = data_folder()
    if not os.path.isabs(folder):
        from commonplace.errors import InvalidError

        hint = "Set HOME or XDG_DATA_HOME to an absolute path, or name the book: --book sqlite:PATH."
        raise InvalidError("no home folder is known, so there is no book of the user's own", where="book", hint=hint)
    return f"sqlite:{os.path.join(folder, 'book.sqlite')}"


def configured() -> dict[str, object]:
    """The config file, parsed; empty if there is none."""
    path = config_path()
    return _read_config(path) if os.path.exists(path) else {}


def _read_config(path: str) -> dict[str, object]:
    import tomllib

    try:
        with open(path, "rb") as file:
            return _well_spelled(tomllib.load(file), path)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as cause:
        from commonplace.errors import InvalidError

        raise InvalidError(
            "the config file cannot be read",
            where=path,
            hint='It should be TOML, for example: book = "sqlite:~/memory.sqlite"',
        ) from cause


_KEYS = frozenset(("book", "embedder", "reranker", "extractor", "hooks", "storage", "serve"))


def _well_spelled(config: dict[str, object], path: str) -> dict[str, object]:
    """What is quite unknown may be a later version's. What is nearly one of ours is a slip, and skipping it would be silence."""
    for key in config.keys() - _KEYS:
        from difflib import get_close_matches

        if near := get_close_matches(key.lower(), _KEYS, n=1, cutoff=0.8):
            from commonplace.errors import InvalidError

            raise InvalidError(
                "the config file has a key that is not known", where=path, hint=f"Did you mean `{near[0]}`?"
            )
    return config
