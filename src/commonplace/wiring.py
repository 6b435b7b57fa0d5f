"""The one place where the parts meet: a URL becomes a book."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from commonplace import settings
from commonplace.engine.book import Book
from commonplace.engine.scribe import Scribe
from commonplace.errors import InvalidError
from commonplace.guard.trust import check_actor
from commonplace.model.words import Trust
from commonplace.places import cache_folder, config_path, configured, configured_url

if TYPE_CHECKING:
    from commonplace.seam.canon import Canon
    from commonplace.seam.clock import Clock
    from commonplace.seam.embedder import Embedder, Models, Reranker
    from commonplace.seam.extractor import Extractor
    from commonplace.seam.files import Files
    from commonplace.seam.format import Format

__all__ = ["CANONS", "configured", "configured_url", "file_canon", "open_book", "open_canon"]

CANONS = {
    "sqlite": "commonplace.catalog.sqlite.canon:SqliteCanon",
    "vault": "commonplace.formats.vault.format:VaultFormat",
    "ledger": "commonplace.formats.ledger.format:LedgerFormat",
    "jsonl": "commonplace.formats.jsonl.format:JsonlFormat",
}
"""Which canon, or which format of files, answers to which scheme. It is imported when a URL asks for it."""


def open_book(
    url: str | None = None,
    *,
    actor: str = "operator",
    trust: str | None = None,
    surface: str = "library",
    timeout: float = settings.BUSY_TIMEOUT_SECONDS,
    create: bool = True,
    clock: Clock | None = None,
    embedder: str | Embedder | None = None,
    reranker: str | Reranker | None = None,
    extractor: str | Extractor | None = None,
    briefly: bool = False,
) -> Book:
    """Open the book at `url`, or the one that is configured. A wrong URL fails; nothing else is opened in its place.

    `embedder` and `reranker` name other models than the settings do: `none`, `auto`, a model's name, an address, or
    one of your own that keeps the promise of `seam.embedder`. So may the `extractor`, by that of `seam.extractor`.
    `briefly` is for a process that lives for one question: a book in files is looked at once at most (`formats.brief`).
    """
    check_actor(actor)
    channel = None if trust is None else Trust.of(trust, "trust")  # before the book: a wrong word must not create one
    canon = open_canon(url or configured_url(), create=create, timeout=timeout, briefly=briefly)
    scribe = Scribe(
        canon,
        actor=actor,
        trust=channel,
        surface=surface,
        timeout=timeout,
        clock=clock,
        files=_local_files,
        models=partial(_configured_models, embedder, reranker),
        extractor=partial(_configured_extractor, extractor),
        opener=partial(open_canon, timeout=timeout),
        storage_trouble=_storage_trouble,
    )
    return Book(scribe)


def _storage_trouble() -> str | None:
    from commonplace.storage.selector import storage_preview

    return storage_preview(config_path()).error


def _local_files() -> Files:
    from commonplace.storage.atomic_write import LocalFiles

    return LocalFiles()


def _configured_models(embedder: str | Embedder | None, reranker: str | Reranker | None) -> Models:
    from commonplace.providers.configured import ConfiguredModels

    return ConfiguredModels(configured(), embedder, reranker)


def _configured_extractor(own: str | Extractor | None) -> Extractor:
    if own is not None and not isinstance(own, str):
        return own
    from commonplace.ingest.choice import NoExtractor, choose_extractor

    return choose_extractor(configured(), own) or NoExtractor()


def open_canon(
    url: str, *, create: bool = True, timeout: float = settings.BUSY_TIMEOUT_SECONDS, briefly: bool = False
) -> Canon:
    scheme, colon, rest = url.partition(":")
    if not colon or scheme not in CANONS or not rest or not url.isprintable():
        known = ", ".join(f"{name}:PATH" for name in CANONS)
        is_word = colon and scheme.isalpha() and len(scheme) <= 12
        what = "has no path" if scheme in CANONS and not rest else "is not a canon"
        named = f" ({scheme}: {what})" if is_word else ""
        raise InvalidError(f"this is not a book's URL{named}", hint=f"Write it as {known}.", where="book")
    from importlib import import_module

    module, _, name = CANONS[scheme].partition(":")
    made, path = getattr(import_module(module), name), os.path.expanduser(rest)
    if scheme == "sqlite":
        canon: Canon = made(path, create=create, timeout=timeout)
        return canon
    return file_canon(path, made(), create=create, timeout=timeout, briefly=briefly)


def file_canon(folder: str, format: Format, *, create: bool = True, timeout: float, briefly: bool = False) -> Canon:
    """A book in files of this format, with its catalog in the user's cache folder."""
    from commonplace.catalog.sqlite.derived import CatalogHome

    home = CatalogHome(os.path.join(cache_folder(), "books"), folder, timeout)
    if briefly:
        from commonplace.formats.brief import BriefCanon

        return BriefCanon(folder, format, home, create=create)
    from commonplace.formats.canon import FileCanon

    return FileCanon(folder, format, home, create=create)
