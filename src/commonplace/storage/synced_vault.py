"""Documents in a folder that a sync client and people's editors write to as well.

Two versions of a document are two whole files: nobody merges them, and a conflict copy is shown, never deleted
(`conflict_files.py`). A vault that is not there is on a disk that is not mounted; it is never begun anew.
"""

from __future__ import annotations

import os
from typing import ClassVar

from commonplace import settings
from commonplace.errors import UnavailableError
from commonplace.seam.storage import StorageCapabilities
from commonplace.storage.folder_backend import FolderBackend


class SyncedVault(FolderBackend):
    """A vault, by its folder."""

    capabilities: ClassVar[StorageCapabilities] = StorageCapabilities(
        concurrent_writers=True, conflict_files=True, sync=True
    )
    conflict_strategy: ClassVar[str] = "whole-file"

    def __init__(self, root: str, *, timeout: float = settings.BUSY_TIMEOUT_SECONDS) -> None:
        super().__init__(root, timeout=timeout)
        self._place()

    def _place(self) -> str:
        place = super()._place()
        if not os.path.isdir(place):
            raise UnavailableError(
                "the vault is not there", where=place, hint="Check the path; is its disk mounted?", code="missing"
            )
        return place
