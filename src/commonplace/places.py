"""Where things of the user's own lie on this machine. Cheap to load: a hook asks it before anything else."""

from __future__ import annotations

import os
import sys


def config_path() -> str:
    return os.environ.get("COMMONPLACE_CONFIG") or os.path.join(
        _base("XDG_CONFIG_HOME", "~/.config"), "commonplace", "config.toml"
    )


def data_folder() -> str:
    return os.path.join(_base("XDG_DATA_HOME", "~/.local/share"), "commonplace")


def _base(variable: str, otherwise: str) -> str:
    if sys.platform == "darwin":
        otherwise = "~/Library/Application Support"
    elif sys.platform == "win32":
        otherwise = "~/AppData/Local"
    return os.environ.get(variable) or os.path.expanduser(otherwise)
