"""Stores that are broken on purpose, each in one way that real memory stores were. The harnesses must find them out."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import apsw

from .children import Said, Say
from .interrupt import STEPS, BookUnderFire
from .workload import Writer


def plain_database(where: Path, synchronous: str) -> apsw.Connection:
    db = apsw.Connection(str(where / "plain.sqlite"))
    db.set_busy_timeout(5000)
    db.execute(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous}").fetchall()
    db.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT)").fetchall()
    db.execute("CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY)").fetchall()
    return db


class PlainRows:
    """One insert, one transaction. With synchronous FULL it is sound; with NORMAL it loses what it acknowledged."""

    def __init__(self, where: Path, synchronous: str) -> None:
        self._where, self._synchronous = where, synchronous
        self.acknowledged = 0

    def work(self, seed: int, say: Say) -> None:
        db = plain_database(self._where, self._synchronous)
        for n in range(5_000):  # until it is killed
            db.execute("INSERT INTO rows (text) VALUES (?)", (f"{seed}-{n}" * 20,))
            say({"ack": time.monotonic_ns(), "row": db.last_insert_rowid()})

    def check(self, said: list[Said], before: int | None) -> list[str]:
        db = plain_database(self._where, self._synchronous)
        try:
            there = {row[0] for row in db.execute("SELECT id FROM rows")}
        finally:
            db.close()
        certain = [line["row"] for line in said if "ack" in line and (before is None or line["ack"] < before)]
        self.acknowledged += len(certain)
        return [f"LOST: row {row}" for row in certain if row not in there]


class TwoTransactions:
    """The record in one transaction, its journal entry in the next: a kill between them tears the write."""

    def __init__(self, where: Path) -> None:
        self._where = where
        self.acknowledged = 0

    def work(self, seed: int, say: Say) -> None:
        db = plain_database(self._where, "FULL")
        for n in range(5_000):  # until it is killed
            write_torn(db, f"{seed}-{n}")
            say({"ack": time.monotonic_ns()})

    def check(self, said: list[Said], before: int | None) -> list[str]:
        self.acknowledged += sum("ack" in line for line in said)
        return find_torn(self._where)


def write_torn(db: apsw.Connection, text: str) -> None:
    db.execute("INSERT INTO rows (text) VALUES (?)", (text,))
    db.execute("INSERT INTO log (id) VALUES (?)", (db.last_insert_rowid(),))


def find_torn(where: Path) -> list[str]:
    """Names the torn rows and mends them, so that the next round counts its own."""
    db = plain_database(where, "FULL")
    try:
        torn = [row[0] for row in db.execute("SELECT id FROM rows EXCEPT SELECT id FROM log")]
        db.execute("DELETE FROM rows WHERE id NOT IN (SELECT id FROM log)")
    finally:
        db.close()
    return [f"TORN: row {row} has no journal entry" for row in torn]


class EagerBook(BookUnderFire):
    """A real book with a surface that answers "saved" before it saves: what every write-behind cache does."""

    def work(self, seed: int, say: Say) -> None:
        _EagerWriter(self.folder, seed, say).run(STEPS)


class _EagerWriter(Writer):
    def _step(self, n: int) -> None:
        last = self._book.journal(limit=1)
        self._begin(["save"])
        self._say({"ack": time.monotonic_ns(), "seq": last[0].seq + 1 if last else 1, "operation": "", "left": {}})
        self._book.save(f"Step {self._name}-{n}", type="project", project_id="atlas")


class RenamedFile:
    """Written beside, flushed, renamed; the folder is flushed too, or not. Without it the old file comes back."""

    def __init__(self, where: Path, *, flush_folder: bool) -> None:
        self._file, self._flush_folder = where / "notes.json", flush_folder
        self.acknowledged = 0

    def work(self, seed: int, say: Say) -> None:
        for n in range(5_000):  # until it is killed
            self._replace(json.dumps([seed, n]).encode())
            say({"ack": time.monotonic_ns(), "text": [seed, n]})
            time.sleep(0.015)  # the next flush would carry this rename with it: the cut has to come first

    def check(self, said: list[Said], before: int | None) -> list[str]:
        certain = [line["text"] for line in said if "ack" in line and (before is None or line["ack"] < before)]
        self.acknowledged += len(certain)
        if not certain:
            return []
        found = json.loads(self._file.read_bytes()) if self._file.exists() else [None, -1]
        older = found[0] != certain[-1][0] or found[1] < certain[-1][1]
        return [f"LOST: {certain[-1]} was acknowledged, {found} is there"] if older else []

    def _replace(self, text: bytes) -> None:
        partial = self._file.with_suffix(".partial")
        with partial.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self._file)
        if self._flush_folder:
            folder = os.open(self._file.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)


def append_without_a_lock(file: Path, line: str) -> None:
    """Read all, add one, write all back through an atomic rename: whole at every moment, and still loses updates."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    partial = file.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps([*kept, line]), encoding="utf-8")
    partial.replace(file)
