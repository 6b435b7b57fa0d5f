"""The models that the settings ask for, each chosen once, when it is first needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.seam.embedder import Embedder, Reranker
    from commonplace.seam.terms import Progress


class ConfiguredModels:
    """See `seam.embedder.Models`. What the caller names goes before what the settings say."""

    def __init__(
        self, config: Mapping[str, Any], embedder: str | Embedder | None = None, reranker: str | Reranker | None = None
    ) -> None:
        self._config, self._named_embedder, self._named_reranker = config, embedder, reranker

    def embedder(self) -> Embedder | None:
        return self._embedder

    def reranker(self) -> Reranker | None:
        return self._reranker

    def fetch(self, progress: Progress | None = None) -> bool:
        if self._embedder is not None or not self._may_fetch():
            return False
        from commonplace.providers.fetch import fetch_models

        fetch_models(progress=progress)
        for name in ("_embedder", "_reranker"):
            self.__dict__.pop(name, None)
        return True

    def _may_fetch(self) -> bool:
        """Only the default brings itself: who asks for `none`, or for another model, does not mean this one."""
        asked = self._named_embedder or os.environ.get("COMMONPLACE_EMBEDDER") or self._config.get("embedder") or "auto"
        if isinstance(asked, Mapping):
            asked = asked.get("use", "auto")
        return bool(asked == "auto") and os.environ.get("COMMONPLACE_FETCH", "auto") != "never"

    @cached_property
    def _embedder(self) -> Embedder | None:
        from commonplace.providers.choice import choose

        named = self._named_embedder
        if named is None or isinstance(named, str):
            return choose(self._config, named)
        from commonplace.providers.own import OwnEmbedder

        return OwnEmbedder(named)

    @cached_property
    def _reranker(self) -> Reranker | None:
        from commonplace.providers.choice import choose_reranker

        named = self._named_reranker
        if named is None or isinstance(named, str):
            return choose_reranker(self._config, named)
        from commonplace.providers.own import OwnReranker

        return OwnReranker(named)
