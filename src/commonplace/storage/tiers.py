"""Three roots for three kinds of documents, which never lie in one another's way.

The truth syncs. What is derived may sync or may not; the index never does: two devices that write one index destroy it.
"""

from __future__ import annotations

import os

from commonplace.errors import InvalidError
from commonplace.model.base import Noun
from commonplace.seam.storage import StorageTier
from commonplace.storage.local_folders import folder_for

SYNCS = {StorageTier.SOURCE: True, StorageTier.SHARED_ABSTRACTS: True, StorageTier.LOCAL_INDEX: False}
DERIVED = {StorageTier.SOURCE: False, StorageTier.SHARED_ABSTRACTS: True, StorageTier.LOCAL_INDEX: True}


class TierRoots(Noun, frozen=True, kw_only=True):
    """Where each tier lies. Three different places, and the index outside of what syncs."""

    source: str
    shared_abstracts: str
    local_index: str

    def __post_init__(self) -> None:
        source, shared, local = (
            os.path.realpath(root) for root in (self.source, self.shared_abstracts, self.local_index)
        )
        if len({source, shared, local}) < 3:
            raise _refused("the three tiers of a store need three different folders")
        if any(_is_inside(local, root) or _is_inside(root, local) for root in (source, shared)):
            raise _refused("the index would lie in a folder that syncs, or around one")

    def root(self, tier: StorageTier) -> str:
        root: str = getattr(self, tier.value)
        return root


def tiers_of(store: str) -> TierRoots:
    """The usual places: derived texts in the store's `_meta`, the index in this machine's cache."""
    return TierRoots(
        source=store, shared_abstracts=os.path.join(store, "_meta"), local_index=folder_for(store, "index")
    )


def _is_inside(inner: str, outer: str) -> bool:
    return inner.startswith(outer.rstrip(os.sep) + os.sep)


def _refused(message: str) -> InvalidError:
    return InvalidError(message, where="storage", hint="Name other folders for them.")
