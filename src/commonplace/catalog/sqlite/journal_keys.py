"""Entries of the journal by who did it and what it was, taken in together like the other indexes.

An entry's actor (`@alice`) and verb (`!purge`) are names it can be found by (`journal_names`, role 3). They are noted for
every sixty-four entries at once; the few newest entries are looked through as they are.
"""

from __future__ import annotations

import apsw

EVERY = 64
_ROLE = 3
_TAKE_IN = (
    f"INSERT OR IGNORE INTO journal_names SELECT '@' || actor, seq, {_ROLE} FROM journal WHERE seq > ?",
    f"INSERT OR IGNORE INTO journal_names SELECT '!' || verb, seq, {_ROLE} FROM journal WHERE seq > ?",
)


def upto(db: apsw.Connection) -> int:
    """The last entry that can be found by its actor and verb."""
    return int(db.execute("SELECT value FROM book WHERE key = 'keys_upto'").get)


def added(db: apsw.Connection, first: int, last: int) -> None:
    """After entries `first` to `last` were added: take in whenever sixty-four more are there."""
    if first // EVERY == last // EVERY and first % EVERY:
        return
    known = upto(db)
    for statement in _TAKE_IN:
        db.execute(statement, (known,))
    db.execute("UPDATE book SET value = ? WHERE key = 'keys_upto'", (str(last),))


def name_of(actor: str | None, verb: str | None) -> str | None:
    """What to look under: an actor is the narrower of the two."""
    if actor is not None:
        return f"@{actor}"
    return None if verb is None else f"!{verb}"
