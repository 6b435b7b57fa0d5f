"""The scribe: who writes into which book through which surface, and the pen that turns a verb's edits into one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from commonplace import settings
from commonplace.errors import NotFoundError, StaleError, UnavailableError
from commonplace.guard.trust import channel_of, check_actor, lesser
from commonplace.model.base import Noun, taken_apart, understand
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Trust, Verb
from commonplace.seam.clock import SystemClock
from commonplace.seam.terms import Signature

if TYPE_CHECKING:
    from commonplace.model.receipt import Receipt
    from commonplace.retrieve.meaning import Meaning
    from commonplace.seam.canon import Canon
    from commonplace.seam.catalog import Draft, View
    from commonplace.seam.clock import Clock
    from commonplace.seam.embedder import Models
    from commonplace.seam.extractor import Extractor
    from commonplace.seam.files import Files
    from commonplace.seam.terms import Edit, Progress

N = TypeVar("N", bound=Noun)


class Request(Noun, frozen=True, kw_only=True):
    """What a verb is asked. Plain data: every surface fills one in, and the engine answers it."""


R = TypeVar("R", bound=Request)


def ask(cls: type[R], /, **fields: Any) -> R:
    """A checked request from plain values: words for closed lists, texts for moments, one word for a list of one."""
    for name in _lists_of(cls):
        if name in fields and fields[name].__class__ is not tuple:
            fields[name] = _listed(fields[name])
    for name, value in fields.items():
        if value:
            _check_texts(name, value)
    request: R = understand(lambda: msgspec.convert(fields, taken_apart(cls)), cls)
    return request


def _check_texts(name: str, value: Any) -> None:
    if name in ("query", "task"):
        return  # any text is a legal question
    for text in (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ():
        if isinstance(text, str) and not (text.isascii() and "\0" not in text):
            from commonplace.guard.text import check_text

            check_text(name, text)


@cache
def _lists_of(cls: type[Request]) -> tuple[str, ...]:
    hints: dict[str, str] = cls.__annotations__
    return tuple(name for name, hint in hints.items() if hint.startswith("Annotated[tuple["))


def _listed(given: Any) -> Any:
    """A plain string must never be taken apart into letters; anything else that can be walked is a list."""
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)) else given


class Pen:
    """One change in the making: the draft, the moment, and the edits so far. `sign` makes them one operation."""

    def __init__(self, scribe: Scribe, draft: Draft, now: datetime) -> None:
        self.view, self.now = draft, now
        self._scribe, self._draft = scribe, draft
        self._edits: list[Edit] = []

    def write(self, entity: Entity, before: N | None, after: N | None) -> N | None:
        """Note one edit; returns what it leads to."""
        self._edits.append((entity, before, after))
        return after

    def record(self, before: MemoryRecord | None, after: MemoryRecord) -> MemoryRecord:
        self._edits.append((Entity.MEMORY, before, after))
        return after

    def change(self, record: MemoryRecord, **fields: object) -> MemoryRecord:
        """The record with these fields changed, now."""
        return self.record(record, record.with_(updated_at=self.now, **fields))

    def sign(self, verb: Verb, reason: str | None = None, run: str | None = None, reverts: tuple[str, ...] = ()) -> str:
        """Make the edits so far one operation of the journal; returns its id."""
        edits, self._edits = self._edits, []
        signature = self.signature(verb, reason, run, reverts)
        self._draft.commit(signature, edits)
        return signature.id

    def signature(
        self, verb: Verb, reason: str | None = None, run: str | None = None, reverts: tuple[str, ...] = ()
    ) -> Signature:
        scribe = self._scribe
        return Signature(
            id=new_id(),
            verb=verb,
            actor=scribe.actor,
            trust=scribe.trust,
            surface=scribe.surface,
            at=self.now,
            reason=reason,
            run=run,
            reverts=reverts,
        )

    @property
    def draft(self) -> Draft:
        return self._draft


class Scribe:
    """Everything a verb needs to know about who is asking."""

    def __init__(
        self,
        canon: Canon,
        *,
        actor: str = "operator",
        surface: str = "library",
        trust: Trust | None = None,
        clock: Clock | None = None,
        timeout: float = settings.BUSY_TIMEOUT_SECONDS,
        files: Callable[[], Files] | None = None,
        models: Callable[[], Models] | None = None,
        extractor: Callable[[], Extractor] | None = None,
        opener: Callable[[str], Canon] | None = None,
        storage_trouble: Callable[[], str | None] | None = None,
    ) -> None:
        self.canon, self.surface, self.timeout = canon, surface, timeout
        self._files, self._models, self._extractor, self._opener = files, models, extractor, opener
        self._storage_trouble = storage_trouble
        self._known_extractor: Extractor | None = None
        self._known_models: Models | None = None
        self._meaning: Meaning | None = None
        self.known_sources: set[str] = set()
        self.unkept: list[Receipt] = []
        """Receipts that wait for a moment when nobody else is writing."""
        self.actor = check_actor(actor)
        # A caller may ask to be trusted less than its name says, never more.
        self.trust = channel_of(actor) if trust is None else lesser(trust, channel_of(actor))
        self.clock: Clock = clock or SystemClock()

    @property
    def files(self) -> Files:
        if self._files is None:
            raise UnavailableError("this book was opened without access to files")
        return self._files()

    def storage_trouble(self) -> str | None:
        """What is wrong with the storage that is configured for documents; never raises (A59)."""
        return self._storage_trouble() if self._storage_trouble else None

    def opened(self, url: str) -> Canon:
        """Another book, made if there is none."""
        if self._opener is None:
            raise UnavailableError("this book was opened without access to others")
        return self._opener(url)

    @property
    def models(self) -> Models:
        """The embedder and the reranker, looked for when they are first needed."""
        if self._known_models is None:
            self._known_models = self._models() if self._models else NoModels()
        return self._known_models

    @property
    def extractor(self) -> Extractor:
        """What finds statements in a source, looked for when it is first needed."""
        if self._known_extractor is None:
            if self._extractor is None:
                raise UnavailableError("this book was opened without an extractor")
            self._known_extractor = self._extractor()
        return self._known_extractor

    @property
    def meaning(self) -> Meaning:
        """The models as a search uses them."""
        if self._meaning is None:
            from commonplace.retrieve.meaning import Meaning

            self._meaning = Meaning(self.models)
        return self._meaning

    def reading(self) -> AbstractContextManager[View]:
        return self.canon.reading()

    def writing(self) -> _Writing:
        """A pen for one change; what it signed is durable when the block ends."""
        return _Writing(self)


class NoModels:
    """A book that was opened without models works on words."""

    def embedder(self) -> None:
        return None

    def reranker(self) -> None:
        return None

    def fetch(self, progress: Progress | None = None) -> bool:  # noqa: ARG002 (part of the promise)
        return False


class _Writing:
    """`with scribe.writing() as pen`. A plain class: every save passes here, and a generator would cost twice as much."""

    def __init__(self, scribe: Scribe) -> None:
        self._scribe = scribe
        self._writing = scribe.canon.writing(scribe.timeout)

    def __enter__(self) -> Pen:
        draft = self._writing.__enter__()
        try:
            return Pen(self._scribe, draft, self._scribe.clock.now())
        except BaseException as cause:  # an interrupt right here: the block will not begin, so nobody else would end it
            self._writing.__exit__(type(cause), cause, cause.__traceback__)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, cause: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._writing.__exit__(kind, cause, trace)


def must_find(view: View, id: str, expect: str | None = None) -> MemoryRecord:
    """The memory. With `expect`, compare and swap: refused if its content is not what the change was based on."""
    record = view.memory(id)
    if record is None:
        raise NotFoundError("there is no such memory", where=harmless(id))
    if expect is not None and expect != record.fingerprint:
        raise StaleError("the memory changed since you read it", where=record.id)
    return record


def harmless(given: str) -> str | None:
    """What was given for an id, to be repeated in an error; a secret that was pasted in the wrong place is not."""
    from commonplace.guard.secrets import has_secret

    return None if len(given) > 200 or has_secret(given) else given
