"""What an entry of the journal can be found by, taken in together like the other indexes.

Names lie in one tree (`journal_names`): the ids of the things an entry changed, its own id, the memories that a link or a
conflict it changed is about, its actor (`@alice`) and its verb (`!purge`). To note them with every entry would touch one page
more with every save, so they are noted for sixty-four entries at once. The few newest entries are looked through as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

import apsw
import msgspec

from commonplace.model.operation import Change, Payload, decode_payload

EVERY = 64
THING, OWN, MENTIONED, KEY = range(4)
"""How an entry stands to a name. Stored in every row: a number is never given another meaning."""

Name = tuple[str, int, int]
_NAME = "INSERT OR IGNORE INTO journal_names VALUES (?, ?, ?)"
_KEYS = (
    f"INSERT OR IGNORE INTO journal_names SELECT '@' || actor, seq, {KEY} FROM journal WHERE seq > ?",
    f"INSERT OR IGNORE INTO journal_names SELECT '!' || verb, seq, {KEY} FROM journal WHERE seq > ?",
)


def upto(db: apsw.Connection) -> int:
    """The last entry that can be found by its names."""
    return int(db.execute("SELECT value FROM book WHERE key = 'keys_upto'").get)


def added(db: apsw.Connection, first: int, last: int, names: Sequence[Name] = ()) -> None:
    """After entries `first` to `last` were added: take in whenever sixty-four more are there.

    `names` are theirs, where somebody has gathered them already.
    """
    if first // EVERY != last // EVERY or not first % EVERY:
        _take_in(db, last, first - 1 if names else last, names)


def take_in(db: apsw.Connection) -> None:
    """Every entry there is can be found by its names from now on."""
    last: int = db.execute("SELECT coalesce(max(seq), 0) FROM journal").get
    if last > upto(db):
        _take_in(db, last, last, ())


def _take_in(db: apsw.Connection, last: int, read: int, names: Iterable[Name]) -> None:
    behind = upto(db)
    db.executemany(_NAME, [*_stored(db, behind, read), *names])
    for statement in _KEYS:
        db.execute(statement, (behind,))
    db.execute("UPDATE book SET value = ? WHERE key = 'keys_upto'", (str(last),))


def names_of(seq: int, id: str, changes: Iterable[Change], about: Iterable[str] = ()) -> list[Name]:
    """What an entry can be found by, but for its actor and verb."""
    roles = {id: OWN}
    for change in changes:
        roles.setdefault(change.id, THING)
    for memory in (*(one for change in changes for one in change.mentions()), *about):
        roles.setdefault(memory, MENTIONED)
    return [(name, seq, role) for name, role in roles.items()]


def _stored(db: apsw.Connection, behind: int, last: int) -> Iterator[Name]:
    """The names of the entries after `behind`, up to `last`, as their payloads tell them."""
    rows = db.execute(
        "SELECT seq, CAST(id AS BLOB), CAST(coalesce(payload, kept, 'null') AS BLOB) FROM journal"
        " WHERE seq > ? AND seq <= ? ORDER BY seq",
        (behind, last),
    )
    for seq, id, payload in rows:
        told = _told(payload)
        yield from names_of(seq, id.decode("utf-8", "replace"), told.changes, told.about)


def _told(payload: bytes) -> Payload:
    """A damaged entry is named by `verify`; it must not keep anybody from going on."""
    try:
        return decode_payload(payload) or Payload()
    except ValueError:
        return Payload()


class Newest:
    """The names of the entries that were not taken in yet; each entry is read once."""

    def __init__(self, behind: int) -> None:
        self.behind = self.last = behind
        self.hash: bytes | None = None
        """Of the last entry that was read: if another one has its number, all of it is read again."""
        self.by_name: dict[str, dict[int, int]] = {}

    def read_on(self, db: apsw.Connection, last: int) -> None:
        for name, seq, role in _stored(db, self.last, last):
            self.by_name.setdefault(name, {})[seq] = role
        self.last, self.hash = last, db.execute("SELECT hash FROM journal WHERE seq = ?", (last,)).get


_NONE = Newest(-1)
_held: WeakKeyDictionary[apsw.Connection, Newest] = WeakKeyDictionary()
_NOW = (
    "SELECT (SELECT CAST(value AS INTEGER) FROM book WHERE key = 'keys_upto'),"
    " (SELECT coalesce(max(seq), 0) FROM journal), (SELECT hash FROM journal WHERE seq = ?)"
)


def newest(db: apsw.Connection) -> Newest:
    held = _held.get(db, _NONE)
    behind, last, hash = db.execute(_NOW, (held.last,)).get
    if (behind, hash) != (held.behind, held.hash):
        held = _held[db] = Newest(behind)
    if held.last < last:
        held.read_on(db, last)
    return held


def about(db: apsw.Connection, name: str) -> tuple[int, list[int]]:
    """How far the index goes, and the entries behind it that speak of this, in order."""
    found = newest(db)
    return found.behind, [seq for seq, role in found.by_name.get(name, {}).items() if role != OWN]


def signed(db: apsw.Connection, id: str) -> int | None:
    """The number of the entry with this id."""
    for seq, role in newest(db).by_name.get(id, {}).items():
        if role == OWN:
            return seq
    found: int | None = db.execute(f"SELECT seq FROM journal_names WHERE name = ? AND role = {OWN}", (id,)).get
    return found


def known(db: apsw.Connection, ids: Sequence[str]) -> set[str]:
    """Which of these are ids of entries."""
    rows = db.execute(
        f"SELECT name FROM journal_names WHERE role = {OWN} AND name IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(ids).decode(),),
    )
    by_name = newest(db).by_name
    return {row[0] for row in rows} | {id for id in ids if OWN in by_name.get(id, {}).values()}


def is_named(db: apsw.Connection, seq: int, names: Iterable[str]) -> bool:
    """Can the entry be found by all of these?"""
    found = newest(db)
    if seq > found.behind:
        return all(seq in found.by_name.get(name, ()) for name in names)
    return all(db.execute("SELECT 1 FROM journal_names WHERE name = ? AND seq = ?", (name, seq)).get for name in names)


def subjects(db: apsw.Connection) -> Iterator[str]:
    """The ids of all things that entries changed, sorted, each once."""
    from heapq import merge

    waiting = sorted(name for name, roles in newest(db).by_name.items() if THING in roles.values())
    rows = db.execute(f"SELECT DISTINCT name FROM journal_names WHERE role = {THING} ORDER BY name")
    last = None
    for name in merge((row[0] for row in rows), waiting):
        if name != last:
            yield name
        last = name


def is_subject(db: apsw.Connection, id: str) -> bool:
    if THING in newest(db).by_name.get(id, {}).values():
        return True
    found = db.execute(f"SELECT 1 FROM journal_names WHERE name = ? AND role = {THING} LIMIT 1", (id,)).get
    return found is not None


def key_of(actor: str | None, verb: str | None) -> str | None:
    """What to look under: an actor is the narrower of the two."""
    if actor is not None:
        return f"@{actor}"
    return None if verb is None else f"!{verb}"
