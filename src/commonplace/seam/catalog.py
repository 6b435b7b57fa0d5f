"""The catalog: the queryable form of a book. In a database book it is the canon too; in a file book it is derived."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from commonplace.model.base import Noun
from commonplace.seam.terms import Edit, Hits, Order, Page, Signature, Strand

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from commonplace.model.filter import Filter
    from commonplace.model.job import Job
    from commonplace.model.link import Conflict, Link
    from commonplace.model.operation import Entry, Operation
    from commonplace.model.receipt import Receipt
    from commonplace.model.record import MemoryRecord
    from commonplace.model.source import IngestionEvent, Source
    from commonplace.model.words import Entity
    from commonplace.seam.inventory import Inventory


class View(Protocol):
    """One consistent look at a book. Everything read through one view belongs to the same moment."""

    def memory(self, id: str) -> MemoryRecord | None:
        """The memory with this id or, failing that, this alias. None if there is none."""
        ...

    def memories(self, where: Filter, page: Page | None = None) -> Iterator[MemoryRecord]:
        """Those that match, newest first: by `created_at`, then by the order in which the book learnt them.

        Lazy: what is not asked for is not read. The cost grows with the page, not with the book.
        """
        ...

    def in_order(self, where: Filter, page: Page | None = None) -> Iterator[tuple[Order, MemoryRecord]]:
        """As `memories`, each with its place."""
        ...

    def order_of(self, id: str) -> Order:
        """The place of one memory. Raises `NotFoundError` if it is not there."""
        ...

    def twin(self, record: MemoryRecord, now: datetime) -> MemoryRecord | None:
        """A live memory that says the same to the same readers: equal fingerprint, type, scope and owner (A70)."""
        ...

    def same_words(self, fingerprint: str) -> list[str]:
        """The ids of all memories with this fingerprint, whatever their status or scope."""
        ...

    def links(self, memory_id: str) -> list[Link]:
        """All links from or to this memory, in a fixed order."""
        ...

    def conflicts_of(self, memory_id: str) -> list[Conflict]:
        """The conflicts this memory is a side of."""
        ...

    def noun(self, entity: Entity, id: str) -> Noun | None:
        """The present state of anything the journal keeps."""
        ...

    def ids(self, entity: Entity) -> Iterator[str]:
        """The ids of everything of one sort, sorted, also of what cannot be read."""
        ...

    def present(self, entity: Entity, ids: Sequence[str]) -> set[str]:
        """Which of these are there."""
        ...

    def same(self, entity: Entity, nouns: Sequence[Noun]) -> set[str]:
        """The ids of those that are here exactly as given."""
        ...

    def nouns(self, entity: Entity) -> Iterator[Noun]:
        """Everything of one sort, in the order of its ids."""
        ...

    def operation(self, id: str) -> Operation | None:
        """One entry of the journal by its id."""
        ...

    def known_operations(self, ids: Sequence[str]) -> set[str]:
        """Which of these are ids of entries of our own journal."""
        ...

    def operations(
        self,
        *,
        subject: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        after_seq: int = 0,
        actor: str | None = None,
        verb: str | None = None,
        run: str | None = None,
        newest_first: bool = False,
    ) -> Iterator[Operation]:
        """Entries of the journal in the order of their sequence. Lazy."""
        ...

    def is_named(self, seq: int, names: Iterable[str]) -> bool:
        """Can this entry of the journal be found by all of these ids?"""
        ...

    def chain(self, after_seq: int = 0) -> Iterator[Entry]:
        """Every entry of the journal behind this one, exactly as it is stored, in order. Lazy."""
        ...

    def highest_seq(self) -> int:
        """The highest sequence ever given out; more than the last entry's number if entries were cut off the end."""
        ...

    def subjects(self) -> Iterator[str]:
        """The ids of everything the journal speaks of, sorted. Lazy."""
        ...

    def is_subject(self, id: str) -> bool:
        """Does the journal speak of this?"""
        ...

    def tombstones(self) -> Iterator[tuple[str, int]]:
        """What was purged: its id, and the sequence of the purge."""
        ...

    def marks(self) -> Iterator[tuple[str, bytes | None, int]]:
        """As `tombstones`, each with the keyed mark of the content that was destroyed, where there is one."""
        ...

    def foreign_history(self, subject: str) -> list[Operation]:
        """What other books' journals told about this memory before it was imported here."""
        ...

    def seq_at(self, moment: datetime) -> int:
        """The last entry that the book had at that moment; 0 if it had none."""
        ...

    def remembered(self, key: str) -> tuple[str, str] | None:
        """For an idempotency key that was used: what was asked (as a hash), and the memory that answered it."""
        ...

    def words(self, match: tuple[str, ...], where: Filter, limit: int) -> list[tuple[MemoryRecord, float]]:
        """Full text: memories that hold at least one of these words, best first, with a score that is higher when better."""
        ...

    def lexical(self, terms: Sequence[tuple[str, ...]], where: Filter, limit: int) -> Hits:
        """Memories that hold at least one term, best first, ties by id; bm25 over title, summary, content and extra words.

        A term is one word or several that must stand together. Any text is legal. What was saved is found at once.
        """
        ...

    def held_by(self, words: Sequence[str]) -> tuple[dict[str, float], int]:
        """About how many memories hold each of these words, and out of how many."""
        ...

    def spellings(self, word: str, limit: int) -> list[str]:
        """Words of this book that differ from this one by a slip or two, the most frequent first."""
        ...

    def nearest(self, model: str, vector: NDArray[np.float32], where: Filter, limit: int) -> Hits:
        """The memories whose best passage is nearest to this vector, best first, ties by id.

        Only vectors that this model made of a memory's present words count. Raises `NotSearchedError` when it cannot look.
        """
        ...

    def has_vectors(self, model: str) -> bool:
        """Has this model made any vector of this book?"""
        ...

    def similar(self, model: str, vector: NDArray[np.float32], places: Sequence[int]) -> Hits:
        """As `nearest`, of the memories at these places alone; those without vectors are left out."""
        ...

    def vectors_of(self, model: str, places: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """The vectors of all passages of these memories, a row for each, as far as there are any of their present words."""
        ...

    def background(self, model: str, vector: NDArray[np.float32]) -> tuple[float, float] | None:
        """Mean and spread of how near any memory is to this vector, from a sample; None if there are too few."""
        ...

    def names(self, places: Sequence[int]) -> dict[int, str]:
        """The ids of the memories at these places, as far as there are any."""
        ...

    def strands(self, places: Sequence[int]) -> dict[int, Strand]:
        """What is known of these memories without reading them, and whether they belong together. Without a checksum."""
        ...

    def such(self, places: Sequence[int], is_such: Callable[[str], bool], beginning: int) -> set[int]:
        """Those of these memories whose content is such; of a long one, only the `beginning` is told.

        `is_such` depends on the text alone: what it said once may be remembered as long as the book stays as it is.
        """
        ...

    def passing(self, places: Sequence[int], where: Filter) -> set[int]:
        """Those of these memories that the filter lets through, without reading them. Without a checksum."""
        ...

    def unembedded(self, model: str, limit: int) -> list[MemoryRecord]:
        """Memories without vectors of this model or with those of other words than they have now; not the deleted ones."""
        ...

    def count_unembedded(self, model: str) -> int:
        """How many `unembedded` would give without a limit. Costs next to nothing when none waits."""
        ...

    def cut(self) -> str | None:
        """In which way the passages were cut that vectors were made of, as `Draft.recut` was told; None if it never was."""
        ...

    def by_id(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """The memories with these ids, as far as they are there and can be read; one question for all of them."""
        ...

    def at_places(self, places: Sequence[int]) -> dict[int, MemoryRecord]:
        """The memories that the book learnt at these places in its order."""
        ...

    def links_of(self, ids: Sequence[str]) -> list[Link]:
        """All links from or to any of these memories, in a fixed order; one question for all of them."""
        ...

    def links_behind(self, after: str | None, limit: int) -> list[Link]:
        """All links by their ids, the greatest first, from the one behind `after` on."""
        ...

    def receipt(self, id: str) -> Receipt | None:
        """One receipt by its id."""
        ...

    def receipts(
        self,
        *,
        memory_id: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        limit: int = 20,
    ) -> list[Receipt]:
        """The newest receipts: all, or those that looked at this memory, or those of this session. Newest first."""
        ...

    def was_handed_over(self, memory_id: str) -> bool:
        """Does any receipt say that this memory was handed to somebody, and not only looked at?"""
        ...

    def job(self, id: str) -> Job | None:
        """One piece of work by its id."""
        ...

    def jobs(
        self,
        states: Iterable[str],
        *,
        due_by: datetime | None = None,
        due_after: datetime | None = None,
        limit: int = 100,
    ) -> list[Job]:
        """Work in these states that is due by one moment and not before another; what is due longest first, ties by id."""
        ...

    def unqueued(self, limit: int) -> list[IngestionEvent]:
        """Events that are still to be worked and of which no job is about; the oldest first."""
        ...

    def events(
        self, states: Sequence[str] = (), *, source_ref: str | None = None, limit: int = 20
    ) -> list[IngestionEvent]:
        """Captures in these states (any if none is named), of one source or of any; the newest first."""
        ...

    def count_events(self) -> dict[str, int]:
        """How many captures are in which state."""
        ...

    def source_like(self, fingerprint: str) -> Source | None:
        """The source whose body has this fingerprint, if there is one."""
        ...

    def any_purged(self) -> bool:
        """Was anything ever purged?"""
        ...

    def is_purged(self, id: str, fingerprint: str | None = None) -> bool:
        """Was this id, or this very content, destroyed by a purge?"""
        ...

    def counts(self) -> dict[str, dict[str, int]]:
        """How much there is: `status`, `type`, and `total` of each table."""
        ...

    def inventory(self) -> Inventory:
        """What is known of the files this catalog is derived from. Only in a file book's catalog is there any."""
        ...


class Draft(View, Protocol):
    """A view that may write. Either all of it happens, durably, or none of it."""

    def commit(self, signature: Signature, edits: Iterable[Edit]) -> None:
        """Apply the edits and append one entry to the journal. Visible to this draft at once, to others when it ends."""
        ...

    def commit_all(self, several: Sequence[tuple[Signature, Entity, Noun]]) -> None:
        """Make these new things, one operation each, as `commit` would one after the other, at the price of a bulk load."""
        ...

    def remember(self, key: str, asked: str, memory_id: str) -> None:
        """Bind an idempotency key to what was asked and what answered it."""
        ...

    def adopt_all(self, entries: Sequence[tuple[Entry, Operation]]) -> None:
        """Append entries of another book's journal as this book's own, verbatim, and apply them (a move, not a merge).

        Each comes with what it says, because whoever checked it has read it already.
        """
        ...

    def bury(self, id: str, mark: bytes | None, seq: int) -> None:
        """Note that this was purged in the book it comes from, so that it does not come back here."""
        ...

    def keep_foreign(self, origin: str, entries: Sequence[tuple[Entry, Operation]]) -> None:
        """Keep entries of another book's journal beside our own. Keeping one twice is keeping it once."""
        ...

    def keep_aside(self, origin: str, line_number: int, reason: str, raw: bytes | None, now: datetime) -> None:
        """Quarantine what could not be understood. Keeping the same bytes twice is keeping them once."""
        ...

    def keep_vectors(self, model: str, entries: Sequence[tuple[str, str, NDArray[np.float32]]]) -> None:
        """Keep what a model made: memory id, the fingerprint its words had, passages x dimensions. Not an operation.

        Keeping the same twice is keeping it once. Memories that changed or vanished meanwhile are left out.
        """
        ...

    def drop_vectors(self, model: str | None) -> None:
        """Forget all vectors of one model, or of every model."""
        ...

    def recut(self, cut: str, has_several: Callable[[str], bool]) -> None:
        """From now on passages are cut in this way. If it is another than before, every model's vectors of memories that had
        several, or whose content has now, are forgotten, and those memories wait for new ones. Not an operation."""
        ...

    def keep_receipts(self, receipts: Sequence[Receipt], most: int) -> None:
        """Keep these receipts; of more than `most`, the oldest are let go. Not an operation: looking changes nothing."""
        ...

    def keep_job(self, job: Job) -> None:
        """Put a piece of work into the queue, or replace what was known of it. Not an operation: the events tell what waits."""
        ...

    def erase(self, signature: Signature, memory_ids: list[str], source_ids: list[str]) -> int:
        """Destroy these memories and source bodies in every table and journal payload; leave tombstones.

        Signs it as one operation. Returns the number of journal payloads destroyed.
        """
        ...
