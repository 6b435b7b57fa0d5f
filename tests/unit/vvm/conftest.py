"""Memories of these tests are derived into a cache of their own, and a home is a folder that goes away."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield
