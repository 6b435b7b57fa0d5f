"""Importing 10,000 memories beside a plain `executemany` of the same texts into one table with an FTS5 index.

CPU seconds of the process. Plain, twice: a table with an external-content FTS5 index kept by a trigger (one table with full
text, as one would write it), and, for comparison, a bare FTS5 table without ids, columns or uniqueness. Ours: `Book.import_`
of lines of JSON, each decoded, validated, scanned for secrets, journalled, indexed by every filter and by its words.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import apsw

import commonplace
from bench.measure import records, verdict, write_records

COUNT = 10_000
_WAL = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
_TABLE = (
    "CREATE TABLE t (n INTEGER PRIMARY KEY, id TEXT UNIQUE, content TEXT);"
    "CREATE VIRTUAL TABLE f USING fts5 (content, content = 't', content_rowid = 'n', tokenize = 'porter unicode61');"
    "CREATE TRIGGER t_ai AFTER INSERT ON t BEGIN INSERT INTO f (rowid, content) VALUES (new.n, new.content); END;"
)
_BARE = "CREATE VIRTUAL TABLE t USING fts5 (id UNINDEXED, content, tokenize = 'porter unicode61');"


def run(folder: Path) -> list[str]:
    rows = [(record.id, record.content) for record in records(COUNT)]
    write_records(folder / "bulk.jsonl", COUNT)
    best: dict[str, float] = {}
    for turn in range(3):
        taken = {
            "table": _plain(folder / f"table-{turn}.sqlite", _TABLE, rows),
            "bare": _plain(folder / f"bare-{turn}.sqlite", _BARE, rows),
            "import": _import(folder, turn),
            "adopt": _adopt(folder, turn),
        }
        best = {name: min(seconds, best.get(name, seconds)) for name, seconds in taken.items()}
    rates = ", ".join(f"{name} {COUNT / seconds:,.0f}/s" for name, seconds in best.items())
    return [
        f"  records per CPU second, best of three: {rates}",
        verdict("import rate / plain table with FTS5", best["table"] / best["import"], 0.25, at_least=True),
        f"        the same / bare FTS5 table: {best['bare'] / best['import']:.2f}",
        verdict("a whole export with its journal / plain table", best["table"] / best["adopt"], 0.25, at_least=True),
    ]


def _plain(path: Path, schema: str, rows: list[tuple[str, str]]) -> float:
    db = apsw.Connection(str(path))
    db.execute(_WAL + schema).fetchall()

    def load() -> None:
        with db:
            db.executemany("INSERT INTO t (id, content) VALUES (?, ?)", rows)

    return _cpu(load)


def _import(folder: Path, turn: int) -> float:
    with commonplace.open(f"sqlite:{folder / f'import-{turn}.sqlite'}", actor="bench") as book:
        taken = _cpu(lambda: book.import_(str(folder / "bulk.jsonl")))
        if turn == 0:
            book.export(str(folder / "whole.jsonl"))
    return taken


def _adopt(folder: Path, turn: int) -> float:
    with commonplace.open(f"sqlite:{folder / f'adopt-{turn}.sqlite'}", actor="bench") as book:
        return _cpu(lambda: book.import_(str(folder / "whole.jsonl")))


def _cpu(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started
