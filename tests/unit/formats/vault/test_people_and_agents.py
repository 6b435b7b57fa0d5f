"""People, editors and agents at the same vault, in any order: whatever they do, notes and memories say the same.

A random walk with a printed seed. Every so often the files are read behind the book's back and compared with it; at the end the
catalog is thrown away and must come back the same.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import commonplace
from commonplace import Book
from commonplace.errors import CommonplaceError
from commonplace.formats.vault.format import VaultFormat
from commonplace.model.words import Status

EVERY = tuple(Status)
_NAMES = ["port", "plan", "day", "x-2", "Port", "ünï"]
_FOLDERS = [
    "",
    "Daily/",
    *(
        f"Agent/{name}/"
        for name in ("Memory/fix", "Memory/_inbox", "Memory/_always-load", "_archive", "projects/atlas")
    ),
]
_TEXTS = ["alpha", "beta [[{}]]", "gamma\n\nsee [[{}|x]]", "# T\n\ndelta #tag", "eps `[[no]]` [m](../fix/{}.md)"]
_HEADS = [
    "", "---\ntags: [a]\n---\n", "---\nstatus: active\nkind: fix\naliases: [same, other]\n---\n",
    "---\nstatus: draft\nx: {a: b}\n---\n",
    "---\nkind: idea\nalways_load: true\nsupersedes: '[[port]]'\n---\n", "\ufeff---\r\nstatus: archived\r\n---\r\n",
]  # fmt: skip


class _Walk:
    def __init__(self, folder: Path, cache: Path, seed: int) -> None:
        print(f"seed {seed}")
        self.folder, self.cache, self.chance = folder, cache, random.Random(seed)
        self.book = self._open()

    def _open(self) -> Book:
        return commonplace.open(f"vault:{self.folder}", actor="alice")

    def steps(self, number: int) -> None:
        deeds: list[Callable[[], object]] = [
            self.save, self.save, self.save, self.evolve, self.put_away, self.revert, self.write, self.write, self.edit,
            self.move, self.copy, self.unlink, self.reopen,
        ]  # fmt: skip
        for step in range(1, number + 1):
            with suppress(CommonplaceError):  # a refusal is an answer; anything else is not
                self.chance.choice(deeds)()
            if step % 20 == 0:
                self.compare()

    def _text(self) -> str:
        return f"{self.chance.choice(_TEXTS).format(self.chance.choice(_NAMES))} {self.chance.randrange(10**6)}"

    def _ids(self, statuses: tuple[Status, ...] = EVERY) -> list[str]:
        return [record.id for record in self.book.list(limit=1000, statuses=statuses)] or ["none"]

    def _note(self) -> Path:
        return self.chance.choice([*self.folder.rglob("*.md")] or [self.folder / "none.md"])

    def save(self) -> None:
        owner = self.chance.choice([{}, {}, {"project_id": "atlas"}, {"project_id": "p/q"}])
        self.book.save(
            self._text(), type=self.chance.choice(["project", "profile", "episode"]), always_load=self.chance.random() < 0.2,
            kind=self.chance.choice(["fix", "idea", "preference"]), title=self.chance.choice([*_NAMES, None]), **owner,
        )  # fmt: skip

    def evolve(self) -> None:
        id = self.chance.choice(self._ids((Status.ACTIVE,)))
        self.book.evolve(id, self._text(), reason="r", title=self.chance.choice([*_NAMES, None]))

    def put_away(self) -> None:
        self.chance.choice([self.book.forget, self.book.archive, self.book.restore])(self.chance.choice(self._ids()))

    def revert(self) -> None:
        self.book.revert(self.chance.choice(["none", *(entry.id for entry in self.book.journal()[-8:])]))

    def write(self) -> None:
        path = (
            self.folder
            / f"{self.chance.choice(_FOLDERS)}{self.chance.choice(_NAMES)}{self.chance.choice(['', ' (1)', '.v2'])}.md"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{self.chance.choice(_HEADS)}{self._text()}\n")

    def edit(self) -> None:
        note = self._note()
        if note.exists() and note.name != "_index.md":
            raw = note.read_bytes()
            styled = raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n").replace(b"tags: []", b"tags: [edited]")
            note.write_bytes(self.chance.choice([styled, raw + b"more\n"]))

    def move(self) -> None:
        note, to = self._note(), self.folder / f"{self.chance.choice(_FOLDERS)}{self.chance.choice(_NAMES)}.md"
        if note.exists() and not to.exists() and note.name != "_index.md":
            to.parent.mkdir(parents=True, exist_ok=True)
            os.rename(note, to)

    def copy(self) -> None:
        note = self._note()
        if note.exists() and note.name != "_index.md" and self.chance.random() < 0.5:
            shutil.copy(note, note.with_name(f"{note.stem}x.md"))

    def unlink(self) -> None:
        if self.chance.random() < 0.3:
            self._note().unlink(missing_ok=True)

    def reopen(self) -> None:
        self.book.close()
        self.book = self._open()

    def compare(self) -> None:
        """Every note is a memory that says what the note says."""
        records = {record.id: record for record in self.book.list(limit=1000, statuses=EVERY)}
        with self.book._scribe.canon._catalog.reading() as view:  # type: ignore[attr-defined]
            standing = {known.place.path: known.memory_id for known in view.inventory().places()}
        vault = VaultFormat()
        for path in vault.scan(str(self.folder)):
            for found in vault.read(path, (self.folder / path).read_bytes()).entries:
                told = vault.told(records[standing[path]])
                loose = {"id", "slug", "created_at", "updated_at"}
                assert {key: told[key] for key in found.fields if key not in loose} == {
                    key: value for key, value in found.fields.items() if key not in loose
                }, path

    def everything(self) -> list[object]:
        return sorted(record.to_json() for record in self.book.list(limit=1000, statuses=EVERY))

    def end(self) -> None:
        assert self.book.verify().ok
        before = self.everything()
        self.book.close()
        shutil.rmtree(self.cache)
        self.book = self._open()
        assert self.everything() == before
        self.book.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_notes_and_memories_say_the_same_whoever_changed_them(tmp_path: Path, seed: int) -> None:
    """A27, A33, A37, X-1, X-2; rows 47, 52, 54, 56."""
    (tmp_path / "vault").mkdir()
    walk = _Walk(tmp_path / "vault", tmp_path / "cache", seed)
    walk.steps(60)
    walk.end()


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 112))
def test_notes_and_memories_say_the_same_after_long_walks(tmp_path: Path, seed: int) -> None:
    (tmp_path / "vault").mkdir()
    walk = _Walk(tmp_path / "vault", tmp_path / "cache", seed)
    walk.steps(500)
    walk.end()
