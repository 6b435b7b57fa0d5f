"""`index_pending`: turn what waits into vectors. It never holds up a write: it comes after, and can be stopped at any time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import CommonplaceError
from commonplace.model.finding import IndexReport
from commonplace.model.record import MemoryRecord
from commonplace.retrieve.passages import CUT, embedded_texts, has_several
from commonplace.seam.terms import Progress

if TYPE_CHECKING:
    from commonplace.seam.embedder import Embedder, Vectors

# So many memories are read, embedded and written at a time: few enough that little is lost when it is stopped and that
# other writers get their turn, many enough that a model is used well.
_BATCH = 64
# While somebody waits for an answer, fewer at a time, and no new ones after so long.
_BATCH_IN_HASTE = 8
_SECONDS_IN_HASTE = 2.5


class IndexPending(Request, frozen=True, kw_only=True):
    """How much."""

    limit: Annotated[int | None, Meta(description="at most this many memories now")] = None


def index_pending(scribe: Scribe, asked: IndexPending, progress: Progress | None = None) -> IndexReport:
    """Embed what waits, oldest first. What cannot be embedded now waits on, and the report says why."""
    try:
        scribe.models.fetch(progress)
        embedder = scribe.models.embedder()
    except CommonplaceError as cause:
        return IndexReport(model=None, embedded=0, waiting=0, note=_said(cause))
    if embedder is None:
        return IndexReport(model=None, embedded=0, waiting=0, note="there is no embedder: everything works on words")
    return _Run(scribe, embedder, asked.limit, progress).report()


def catch_up(scribe: Scribe, asked: IndexPending) -> None:
    """Embed a few that wait, if there is a model here that answers. For a surface whose process is too short for a background.

    Somebody waits: a server that hangs costs the time of one question, and then the question itself does not ask it again.
    """
    try:
        embedder = scribe.models.embedder()
        if embedder is None:
            return
        run = _Run(scribe, _in_haste(embedder), asked.limit, None, _BATCH_IN_HASTE, _SECONDS_IN_HASTE)
        if run.has_work() and scribe.meaning.answers():
            run.report()
    except CommonplaceError:
        return  # what waits is found by its words


def _in_haste(embedder: Embedder) -> Embedder:
    """A server may know how to be quick about it."""
    hurried: Callable[[], Embedder] | None = getattr(embedder, "in_haste", None)
    return embedder if hurried is None else hurried()


class _Run:
    """One walk through what waits."""

    def __init__(
        self,
        scribe: Scribe,
        embedder: Embedder,
        limit: int | None,
        progress: Progress | None,
        batch: int = _BATCH,
        seconds: float = inf,
    ) -> None:
        self._scribe, self._embedder, self._limit, self._progress = scribe, embedder, limit, progress
        self._batch, self._until = batch, monotonic() + seconds
        self._odd: set[str] = set()
        self._embedded = 0
        self._note: str | None = None

    def has_work(self) -> bool:
        self._recut()
        return bool(self._next())

    def report(self) -> IndexReport:
        self._recut()
        total = self._waiting()
        while self._note is None and monotonic() < self._until and (batch := self._next()):
            self._embed(batch)
            if self._progress:
                self._progress(self._embedded, total)
        waiting = self._waiting()
        if self._odd and self._note is None:
            self._note = f"the embedder refused {len(self._odd)} of them; they are found by their words"
        return IndexReport(model=self._embedder.model, embedded=self._embedded, waiting=waiting, note=self._note)

    def _recut(self) -> None:
        """What was made of passages that were cut in another way waits again: a search would quote the wrong ones."""
        try:
            with self._scribe.reading() as view:
                same = view.cut() == CUT
            if not same:
                with self._scribe.canon.writing(self._scribe.timeout) as draft:
                    draft.recut(CUT, has_several)
        except CommonplaceError as cause:
            self._note = _said(cause)

    def _waiting(self) -> int:
        with self._scribe.reading() as view:
            return view.count_unembedded(self._embedder.model)

    def _next(self) -> list[MemoryRecord]:
        room = self._batch if self._limit is None else min(self._batch, self._limit - self._embedded)
        if room <= 0:
            return []
        with self._scribe.reading() as view:
            waiting = view.unembedded(self._embedder.model, room + len(self._odd))
        return [record for record in waiting if record.id not in self._odd][:room]

    def _embed(self, batch: Sequence[MemoryRecord]) -> None:
        try:
            made = self._vectors(batch)
        except CommonplaceError as cause:
            if not _is_about_the_text(cause):
                self._note = _said(cause)
            elif len(batch) == 1:
                self._odd.add(batch[0].id)
            else:
                self._embed_each(batch, cause)
            return
        self._keep([(record.id, record.fingerprint, vectors) for record, vectors in zip(batch, made, strict=True)])

    def _embed_each(self, batch: Sequence[MemoryRecord], cause: CommonplaceError) -> None:
        """One odd text must not keep the others waiting. Whoever refuses each of them means something else."""
        for record in batch:
            if self._note is None:
                self._embed([record])
        if self._odd.issuperset(record.id for record in batch):
            self._note = _said(cause)

    def _keep(self, made: list[tuple[str, str, Vectors]]) -> None:
        try:
            with self._scribe.canon.writing(self._scribe.timeout) as draft:
                draft.keep_vectors(self._embedder.model, made)
        except CommonplaceError as cause:  # another number of dimensions under the same name, or a book that is busy
            self._note = _said(cause)
            return
        self._embedded += len(made)

    def _vectors(self, batch: Sequence[MemoryRecord]) -> list[Vectors]:
        texts = [embedded_texts(record) for record in batch]
        vectors = self._embedder.documents([text for several in texts for text in several])
        made, at = [], 0
        for several in texts:
            made.append(vectors[at : at + len(several)])
            at += len(several)
        return made


def _is_about_the_text(cause: CommonplaceError) -> bool:
    return cause.kind == "invalid" or cause.code == "refused"


def _said(cause: CommonplaceError) -> str:
    return f"{cause.message}. {cause.hint}" if cause.hint else cause.message
