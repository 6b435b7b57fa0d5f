"""Canons around canons: each adds one concern and passes everything else on, so the contract holds for it as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, cast

from commonplace.errors import NotSearchedError, UnavailableError
from commonplace.model.finding import Finding
from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.seam.catalog import Draft, View
from commonplace.seam.terms import Capabilities, Edit, Progress, Signature


class Wrapped:
    """Passes every call on. Subclasses change the one thing they are about."""

    def __init__(self, canon: Canon) -> None:
        self.canon = canon
        self.capabilities = canon.capabilities

    @property
    def url(self) -> str:
        return self.canon.url

    @property
    def book_id(self) -> str:
        return self.canon.book_id

    @property
    def format_version(self) -> int:
        return self.canon.format_version

    def reading(self) -> AbstractContextManager[View]:
        return self.canon.reading()

    def writing(self, timeout: float, *, durable: bool = True) -> AbstractContextManager[Draft]:
        return self.canon.writing(timeout, durable=durable)

    def examine(self, *, full: bool, progress: Progress | None = None) -> Iterator[Finding]:
        return self.canon.examine(full=full, progress=progress)

    def lost(self) -> int:
        return self.canon.lost()

    def unsound(self) -> Iterator[Finding]:
        return self.canon.unsound()

    def settle(self, timeout: float) -> None:
        self.canon.settle(timeout)

    def rebuild_index(self) -> None:
        self.canon.rebuild_index()

    def scrub(self, timeout: float) -> list[str]:
        return self.canon.scrub(timeout)

    def backup(self, target: str, progress: Progress | None = None) -> Canon:
        return self.canon.backup(target, progress)

    def unmake(self, target: str) -> None:
        self.canon.unmake(target)

    def size(self) -> int:
        return self.canon.size()

    def close(self) -> None:
        self.canon.close()


class Traced(Wrapped):
    """Remembers what was asked of the canon, in order: for tests that care how often somebody looks or writes."""

    def __init__(self, canon: Canon) -> None:
        super().__init__(canon)
        self.calls: list[str] = []

    @contextmanager
    def reading(self) -> Iterator[View]:
        self.calls.append("reading")
        with self.canon.reading() as view:
            yield view

    @contextmanager
    def writing(self, timeout: float, *, durable: bool = True) -> Iterator[Draft]:
        self.calls.append("writing")
        with self.canon.writing(timeout, durable=durable) as draft:
            yield draft
        self.calls.append("written")


class ReadOnly(Wrapped):
    """A book that may be looked at and not touched."""

    def writing(self, timeout: float, *, durable: bool = True) -> AbstractContextManager[Draft]:
        raise _read_only(self.url)

    def settle(self, timeout: float) -> None:
        """What waits beside the index is found there too."""

    def rebuild_index(self) -> None:
        raise _read_only(self.url)

    def scrub(self, timeout: float) -> list[str]:
        raise _read_only(self.url)


def _read_only(url: str) -> UnavailableError:
    return UnavailableError("this book is open for reading only", where=url, hint="Open it to write.", code="read_only")


class Lesser(Wrapped):
    """A canon that declares it can do less, and says so when it is asked: how the contract's other answers are proved."""

    def __init__(self, canon: Canon, **cannot: Any) -> None:
        super().__init__(canon)
        self.capabilities = Capabilities(**cannot)

    @contextmanager
    def reading(self) -> Iterator[View]:
        with self.canon.reading() as view:
            yield cast(View, _LesserDraft(view, self.capabilities))

    @contextmanager
    def writing(self, timeout: float, *, durable: bool = True) -> Iterator[Draft]:
        with self.canon.writing(timeout, durable=durable) as draft:
            yield cast(Draft, _LesserDraft(draft, self.capabilities))


class _LesserDraft:
    """A draft that refuses what its canon cannot do, and passes the rest on."""

    def __init__(self, draft: Any, capabilities: Capabilities) -> None:
        self._draft, self._can = draft, capabilities

    def __getattr__(self, name: str) -> Any:
        return getattr(self._draft, name)

    def commit(self, signature: Signature, edits: Iterable[Edit]) -> None:
        asked = [*edits]
        if not self._can.keeps_links and any(entity is Entity.LINK for entity, _, _ in asked):
            raise unsupported("links")
        self._draft.commit(signature, asked)

    def words(self, *_: Any) -> list[Any]:
        if self._can.full_text:
            found: list[Any] = self._draft.words(*_)
            return found
        raise NotSearchedError("this book keeps no full text", hint="Use `list`.")

    def erase(self, *asked: Any) -> Any:
        if not self._can.purge:
            raise unsupported("purging")
        return self._draft.erase(*asked)


def unsupported(what: str) -> UnavailableError:
    """How a canon says that it cannot do something: never by doing half of it, never by pretending."""
    return UnavailableError(f"this book does not support {what}", hint="Use a sqlite: book.", code="unsupported")
