"""What a connection has at hand of the book as it is: read once, good until the book changes.

A search looks at hundreds of memories and shows ten; the next one looks at many of the same. What it reads of them, and what
a word adds to whose score, changes only with the journal and with the full text index. So each connection keeps what it has
read under the book's mark: the last entry's hash, and the two records by which FTS5 itself knows its index. Whoever writes, in
whatever process, makes another mark, and then nothing of it counts any more. In the middle of a change nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import apsw
import msgspec

from commonplace.seam.terms import Hits, Strand, made

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.addends import Addends
    from commonplace.catalog.sqlite.narrow import Named
    from commonplace.model.filter import Filter
    from commonplace.model.record import MemoryRecord

STAMP = 16
"""How much of a fingerprint is kept beside what was made of its words: 64 bits tell one text from its successor."""
# So many strands and names, and so many records are kept; then one begins anew. A record may be half a megabyte long, so the
# letters of those are counted too. And so many connections keep something: those of threads that ended are not told apart.
_STRANDS, _RECORDS = 24_576, 4_096
_LETTERS = 4_000_000
_CONNECTIONS = 32
# And of so many filters it is kept who passes, a byte for each memory, so many bytes together.
_FILTERS, VERDICTS = 6, 1_000_000
# A byte for each memory says no (0), yes (1), or that nobody asked yet.
NO, _UNKNOWN = 0, 2
_NOBODY_ASKED = bytes([_UNKNOWN])
# Of so many states of the vectors it is kept whose vectors are of their present words: of the one that is asked, and the last.
_STATES = 2
_MARK = (
    "SELECT (SELECT value FROM book WHERE key = 'indexed_upto'), (SELECT max(n) FROM memories),"
    " (SELECT hash FROM journal ORDER BY seq DESC LIMIT 1),"
    " (SELECT block FROM main.memories_fts_data WHERE id = 1), (SELECT block FROM main.memories_fts_data WHERE id = 10)"
)


# What a strand is made of, and the id that comes with it.
_STRAND = (
    "m.n, m.type, m.project_id, m.repo_id, m.agent_id, m.scope, m.status,"
    " coalesce(m.observed_at, m.created_at), length(m.content), substr(m.content, 1, 48), m.confidence, m.id"
)


class AtHand:
    """Of one state of the book, what one connection has read so far."""

    def __init__(self, mark: tuple[Any, ...]) -> None:
        self.mark = mark
        self.upto = int(mark[0])
        """The last memory the indexes know."""
        self.last = int(mark[1] or 0)
        """The last memory there is."""
        self.is_waiting = self.last > self.upto
        """Are there memories that the indexes do not know?"""
        self._words: dict[Any, Any] = {}
        self.strands: dict[int, Strand] = {}
        self.such: dict[tuple[Callable[[str], bool], int], bytearray] = {}
        """What was read off the beginnings of texts, by what reads it: a byte for each memory, by number."""
        self.names: dict[int, str] = {}
        self.verdicts: dict[Filter, bytearray] = {}
        """Of filters that were asked for, by number: who passes, who does not, and of whom nothing is known yet."""
        self._current: dict[int, bytearray] = {}
        """By the state of a model's vectors: whose are of its present words."""
        self.named: dict[Filter, Named | None] = {}
        """Of filters that were asked for: who may pass, or that they are too many."""
        self.records: dict[str, MemoryRecord] = {}
        self._letters = 0
        self.addends: dict[str, Addends] = {}
        self.kept = 0
        """How many bytes they take together."""
        self.first_asked: Sequence[str] | None = None
        """What was asked for by its words first."""
        self.texts: int | None = None
        """How many memories there are, and were not purged."""
        self.holding: dict[str, float] = {}
        """How many memories hold a word."""
        self.estimates: dict[str, float] = {}
        """How many hold a phrase, about."""

    def strands_of(self, db: apsw.Connection, numbers: Sequence[int]) -> dict[int, Strand]:
        try:
            return {n: self.strands[n] for n in numbers}
        except KeyError:
            return self._read_strands(db, numbers)

    def _read_strands(self, db: apsw.Connection, numbers: Sequence[int]) -> dict[int, Strand]:
        strands = self.strands
        if len(strands) > _STRANDS:
            strands.clear()
            self._words.clear()
        rows = _read(db, _STRAND, [n for n in numbers if n not in strands])
        share = self._words.setdefault  # what most of them say alike is there once
        for n, *words, at, length, opening, confidence, _ in rows:
            *owner, scope, status = [share(word, word) for word in words]
            whose = tuple(owner)
            strands[n] = made(Strand, (share(whose, whose), at, length, opening, scope, confidence, status))
        self._keep_names((row[0], row[-1]) for row in rows)
        return {n: strands[n] for n in numbers if n in strands}

    def names_of(self, db: apsw.Connection, numbers: Sequence[int]) -> dict[int, str]:
        """The ids of those of these memories that are there."""
        names = self.names
        try:
            return {n: names[n] for n in numbers}
        except KeyError:
            known = {n: names[n] for n in numbers if n in names}
        read = dict(_read(db, "m.n, m.id", [n for n in numbers if n not in known]))
        self._keep_names(read.items())
        known |= read
        return {n: known[n] for n in numbers if n in known}

    def _keep_names(self, names: Iterable[tuple[int, str]]) -> None:
        if len(self.names) > _STRANDS:
            self.names.clear()
        self.names.update(names)

    def such_of(
        self, db: apsw.Connection, numbers: Sequence[int], is_such: Callable[[str], bool], beginning: int
    ) -> set[int]:
        """Each is asked about once; only the answer is kept."""

        def find(missing: list[int]) -> Iterator[int]:
            texts = _read(db, f"m.n, substr(m.content, 1, {beginning})", missing)
            return (n for n, text in texts if is_such(text))

        known = self.such.setdefault((is_such, beginning), bytearray())
        return {*compress(numbers, told(known, numbers, find))}

    def current_in(self, state: int) -> bytearray:
        """A byte for each memory: are its vectors of its present words, in this state of the vectors?"""
        found = self._current.setdefault(state, bytearray())
        while len(self._current) > _STATES:
            self._current.pop(next(iter(self._current)))
        return found

    def verdicts_of(self, where: Filter) -> bytearray:
        """A byte for each memory, to be filled in by whoever finds out."""
        found = self.verdicts.get(where)
        if found is None:
            found = bytearray(_NOBODY_ASKED * (self.last + 1))
            while self.verdicts and len(self.verdicts) >= min(_FILTERS, VERDICTS // len(found)):
                self.verdicts.pop(next(iter(self.verdicts)))
            self.verdicts[where] = found
        return found

    def keep_named(self, where: Filter, those: Named | None) -> None:
        self.named[where] = those
        while len(self.named) > 1 and (len(self.named) > _FILTERS or self._named_bytes() > 2 * VERDICTS):
            self.named.pop(next(iter(self.named)))

    def _named_bytes(self) -> int:
        return sum(those.size for those in self.named.values() if those is not None)

    def keep_records(self, records: Mapping[str, MemoryRecord]) -> None:
        self.records.update(records)
        self._letters += sum(len(record.content) for record in records.values())
        if len(self.records) > _RECORDS or self._letters > _LETTERS:
            self.records.clear()
            self._letters = 0


def _read(db: apsw.Connection, columns: str, numbers: Sequence[int]) -> list[tuple[Any, ...]]:
    return rows_of(db, f"SELECT {columns} FROM json_each(?) AS j CROSS JOIN memories AS m ON m.n = j.value", numbers)


def rows_of(db: apsw.Connection, sql: str, given: Sequence[object]) -> list[tuple[Any, ...]]:
    """What is asked of these, handed over as one. A row that holds bytes that are no text is left out, and does not keep the
    others away."""
    try:
        rows: Any = db.execute(sql, (msgspec.json.encode(given).decode(),)).fetchall()
    except UnicodeDecodeError:
        return [row for one in given for row in rows_of(db, sql, [one])] if len(given) > 1 else []
    found: list[tuple[Any, ...]] = rows
    return found


def told(known: bytearray, numbers: Sequence[int], find: Callable[[list[int]], Iterable[int]]) -> Sequence[int]:
    """Of each of these: is it so? Who was never asked about is found out about, all at once."""
    try:
        said = [known[n] for n in numbers]
    except IndexError:
        known.extend(_NOBODY_ASKED * (max(numbers) + 1 - len(known)))
        said = [known[n] for n in numbers]
    if _UNKNOWN in said:
        missing = [n for n, one in zip(numbers, said, strict=True) if one == _UNKNOWN]
        such = {*find(missing)}
        for n in missing:
            known[n] = n in such
        said = [known[n] for n in numbers]
    return said


def hits_of(
    db: apsw.Connection,
    hand: AtHand,
    numbers: list[int],
    scores: list[float],
    limit: int,
    passages: list[int] | None = None,
) -> Hits:
    """The first `limit` of those that come best first. Those that tie come by their ids; nobody else's is looked up."""
    tied = {score for score, other in pairwise(scores) if score == other}
    if tied:
        known = hand.names_of(db, [n for n, score in zip(numbers, scores, strict=True) if score in tied])
        names = [known.get(n, "") for n in numbers]
        order = [at for _, _, at in sorted([(-score, names[at], at) for at, score in enumerate(scores)])][:limit]
        numbers, scores = [numbers[at] for at in order], [scores[at] for at in order]
        passages = passages and [passages[at] for at in order]
    return Hits(numbers[:limit], scores[:limit], partial(hand.names_of, db), passages and passages[:limit])


_known: WeakKeyDictionary[apsw.Connection, AtHand] = WeakKeyDictionary()


def of(db: apsw.Connection) -> AtHand:
    """What is at hand for the moment that this connection looks at."""
    mark = _mark(db)
    if mark is None or db.txn_state("main") == apsw.SQLITE_TXN_WRITE:
        return AtHand(mark or (0, 0))
    known = _known.get(db)
    if known is None or known.mark != mark:
        known = _known[db] = AtHand(mark)
        _make_room()
    return known


def _make_room() -> None:
    """Who kept something first forgets it, if there are too many; should it still be asked, it begins anew."""
    if len(_known) > _CONNECTIONS:
        with suppress(RuntimeError, KeyError, StopIteration):  # another thread came in between
            del _known[next(iter(_known))]


def _mark(db: apsw.Connection) -> tuple[Any, ...] | None:
    """None if the full text index is not there: what else can be asked does not need it."""
    try:
        return db.execute(_MARK).fetchone()
    except (apsw.SQLError, apsw.CorruptError):
        return None
