"""Documents on this device alone, in the user's data folder. Made when the first one is written."""

from __future__ import annotations

import os
import sys
from typing import ClassVar

from commonplace import settings
from commonplace.seam.storage import StorageCapabilities
from commonplace.storage.folder_backend import FolderBackend


class DeviceLocal(FolderBackend):
    """The medium that is always there."""

    capabilities: ClassVar[StorageCapabilities] = StorageCapabilities(concurrent_writers=True)

    def __init__(self, root: str | None = None, *, timeout: float = settings.BUSY_TIMEOUT_SECONDS) -> None:
        super().__init__(root or default_root(), timeout=timeout)


def default_root() -> str:
    """`$XDG_DATA_HOME/commonplace/memory`, or where the platform keeps such things."""
    otherwise = {"darwin": "~/Library/Application Support", "win32": "~/AppData/Local"}
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser(otherwise.get(sys.platform, "~/.local/share"))
    return os.path.join(base, "commonplace", "memory")
