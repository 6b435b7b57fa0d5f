"""What a connection has at hand of the book as it is: read once, good until the book changes.

A search looks at hundreds of memories and shows ten; the next one looks at many of the same. What it reads of them, and what
a word adds to whose score, changes only with the journal and with the full text index. So each connection keeps what it has
read under the book's mark: the last entry's hash, and the two records by which FTS5 itself knows its index. Whoever writes, in
whatever process, makes another mark, and then nothing of it counts any more. In the middle of a change nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import apsw
import msgspec

from commonplace.seam.terms import Hit, Strand, made

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.addends import Addends
    from commonplace.catalog.sqlite.narrow import Named
    from commonplace.model.filter import Filter
    from commonplace.model.record import MemoryRecord

STAMP = 16
"""How much of a fingerprint is kept beside what was made of its words: 64 bits tell one text from its successor."""
# So many lines, half a kilobyte each, and records are kept; then one begins anew. A record may be half a megabyte long, so the
# letters of those are counted too. And so many connections keep something: those of threads that ended are not told apart.
_LINES, _RECORDS = 24_576, 4_096
_LETTERS = 4_000_000
_CONNECTIONS = 32
# And of so many filters it is kept who passes, a byte for each memory, so many bytes together.
_FILTERS, VERDICTS = 6, 1_000_000
_IS_NOT, _IS = 1, 2
_MARK = (
    "SELECT (SELECT value FROM book WHERE key = 'indexed_upto'), (SELECT max(n) FROM memories),"
    " (SELECT hash FROM journal ORDER BY seq DESC LIMIT 1),"
    " (SELECT block FROM main.memories_fts_data WHERE id = 1), (SELECT block FROM main.memories_fts_data WHERE id = 10)"
)


Line = tuple[Any, ...]
"""What a search needs to know of a memory before it reads it: its number first, then as `_COLUMNS` says."""
_COLUMNS = (
    f"m.n, m.id, substr(m.fingerprint, -{STAMP}), m.status, m.type, m.project_id, m.repo_id, m.agent_id,"
    " coalesce(m.observed_at, m.created_at), length(m.content), substr(m.content, 1, 48), m.scope, m.confidence"
)
ID, STAMPED, STATUS, TYPE, _OWNER, OWNER, _TALK, SCOPE = 1, 2, 3, 4, slice(4, 8), slice(5, 8), slice(8, 13), 11


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
        self.lines: dict[int, Line] = {}
        self._words: dict[str | None, str | None] = {}
        self.strands: dict[int, Strand] = {}
        self.such: dict[tuple[Callable[[str], bool], int], bytearray] = {}
        """What was read off the beginnings of texts, by what reads it: a byte for each memory, by number."""
        self.verdicts: dict[Filter, bytearray] = {}
        """Of filters that were asked for, by number: who passes, who does not, and of whom nothing is known yet."""
        self.named: dict[Filter, Named | None] = {}
        """Of filters that were asked for: who may pass, or that they are too many."""
        self.records: dict[str, MemoryRecord] = {}
        self._letters = 0
        self.addends: dict[str, Addends] = {}
        self.kept = 0
        """How many numbers they hold together."""
        self.first_asked: Sequence[str] | None = None
        """What was asked for by its words first."""
        self.texts: int | None = None
        """How many memories there are, and were not purged."""
        self.holding: dict[str, float] = {}
        """How many memories hold a word."""
        self.estimates: dict[str, float] = {}
        """How many hold a phrase, about."""

    def lines_of(self, db: apsw.Connection, numbers: Sequence[int]) -> list[Line | None]:
        """Of each of these memories, in the order given; None of one that is not there."""
        lines = self.lines
        found = [*map(lines.get, numbers)]
        if None in found:
            if len(lines) > _LINES:
                lines.clear()
                self._words.clear()
                self.strands.clear()
            missing = [n for n in numbers if n not in lines]
            lines.update({line[0]: self._shared(line) for line in _read(db, _COLUMNS, missing)})
            found = [*map(lines.get, numbers)]
        return found

    def _shared(self, line: Line) -> Line:
        """The same, with the words that most lines have kept once for all of them."""
        share = self._words.setdefault
        status, *owner = [share(word, word) for word in line[STATUS : _OWNER.stop]]
        scope = share(line[SCOPE], line[SCOPE])
        return (*line[:STATUS], status, *owner, *line[_OWNER.stop : SCOPE], scope, *line[SCOPE + 1 :])

    def strands_of(self, db: apsw.Connection, numbers: Sequence[int]) -> dict[int, Strand]:
        strands = self.strands
        missing = [n for n in numbers if n not in strands]
        for line in self.lines_of(db, missing) if missing else ():
            if line is not None:
                strands[line[0]] = made(Strand, (line[_OWNER], *line[_TALK], line[STATUS]))
        return {n: strands[n] for n in numbers if n in strands}

    def such_of(
        self, db: apsw.Connection, numbers: Sequence[int], is_such: Callable[[str], bool], beginning: int
    ) -> set[int]:
        """Each is asked about once; only the answer is kept."""
        known = self.such.setdefault((is_such, beginning), bytearray())
        known.extend(bytes(max(max(numbers, default=0) + 1 - len(known), 0)))
        missing = [n for n in numbers if not known[n]]
        for n in missing:
            known[n] = _IS_NOT
        for n, text in _read(db, f"m.n, substr(m.content, 1, {beginning})", missing) if missing else ():
            known[n] = _IS if is_such(text) else _IS_NOT
        return {n for n in numbers if known[n] == _IS}

    def verdicts_of(self, where: Filter) -> bytearray:
        """A byte for each memory, to be filled in by whoever finds out."""
        found = self.verdicts.get(where)
        if found is None:
            found = bytearray(self.last + 1)
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


def _read(db: apsw.Connection, columns: str, numbers: Sequence[int]) -> list[Line]:
    """A row that holds bytes that are no text is left out, and does not keep the others away."""
    sql = f"SELECT {columns} FROM json_each(?) AS j CROSS JOIN memories AS m ON m.n = j.value"
    try:
        rows: Any = db.execute(sql, (msgspec.json.encode(numbers).decode(),)).fetchall()
    except UnicodeDecodeError:
        if len(numbers) == 1:
            return []
        return [line for n in numbers for line in _read(db, columns, [n])]
    found: list[Line] = rows
    return found


def in_order(hits: list[Hit]) -> list[Hit]:
    """Hits that come best first, with those that tie by their ids. Few do, and then there is nothing to sort."""
    if len({hit.score for hit in hits}) < len(hits):
        hits.sort(key=lambda hit: (-hit.score, hit.id))
    return hits


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
