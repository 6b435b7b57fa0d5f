"""What a person does to a book's files with an editor and a file manager, in each format: change, add, move, take out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from commonplace.formats.ledger.entries import words_key
from commonplace.seam.format import Place

Lines = list[dict[str, Any]]


class Vault:
    """One file for each memory."""

    def is_named(self, place: Place) -> bool:
        """Is it known by more than its words? Else, with other words, it is another one."""
        return bool(place.path)

    def change(self, folder: Path, place: Place, old: str, new: str) -> None:
        """The whole text below the front matter, if there is any."""
        note = folder / place.path
        head, line, body = note.read_text(encoding="utf-8").rpartition("---\n")
        assert old.split() == body.split()
        save(note, f"{head}{line}{new}\n")

    def add(self, folder: Path, name: str, text: str) -> None:
        """In the agents' part of it: what lies elsewhere is the person's own, and every verb is refused it (A12)."""
        place = folder / "Agent" / "Memory"
        place.mkdir(parents=True, exist_ok=True)
        save(place / f"{name}.md", f"{text}\n")

    def move(self, folder: Path, place: Place, name: str) -> None:
        note = folder / place.path
        note.rename(note.with_name(f"{name}.md"))

    def take_out(self, folder: Path, place: Place) -> None:
        (folder / place.path).unlink()


class InLines:
    """One file with a line for each memory, or for each change."""

    file = ""

    def is_named(self, place: Place) -> bool:
        return not place.key.startswith("words-")

    def change(self, folder: Path, place: Place, old: str, new: str) -> None:
        def changed(lines: Lines) -> Lines:
            return [self.said(line, place.key, new) for line in lines]

        self.rewrite(folder, changed)

    def add(self, folder: Path, name: str, text: str) -> None:
        self.rewrite(folder, lambda lines: [*lines, self.line(name, text)])

    def move(self, folder: Path, place: Place, name: str) -> None:
        """To the end of the file."""
        self.rewrite(folder, lambda lines: sorted(lines, key=lambda line: self.speaks_of(line, place.key)))

    def take_out(self, folder: Path, place: Place) -> None:
        """A file of nothing would be taken for a loss, so whoever takes out the last one leaves a blank line."""
        self.rewrite(folder, lambda lines: [line for line in lines if not self.speaks_of(line, place.key)])
        if not (folder / self.file).read_bytes():
            save(folder / self.file, "\n")

    def rewrite(self, folder: Path, change: Callable[[Lines], Lines]) -> None:
        path = folder / self.file
        raw = path.read_bytes().splitlines() if path.exists() else []
        after = change([json.loads(line) for line in raw if line])
        save(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in after))

    def said(self, line: dict[str, Any], key: str, text: str) -> dict[str, Any]:
        raise NotImplementedError

    def line(self, name: str, text: str) -> dict[str, Any]:
        raise NotImplementedError

    def speaks_of(self, line: dict[str, Any], key: str) -> bool:
        raise NotImplementedError


class Jsonl(InLines):
    file = "memories.jsonl"

    def said(self, line: dict[str, Any], key: str, text: str) -> dict[str, Any]:
        return line | {"text": text} if line["id"] == key else line

    def line(self, name: str, text: str) -> dict[str, Any]:
        number = int(name.rpartition("-")[2])
        return {"id": f"m-{number * 10_000}", "scope": "user", "text": text, "tags": [], "ts": "2026-11-15T12:00:00Z"}

    def speaks_of(self, line: dict[str, Any], key: str) -> bool:
        return bool(line["id"] == key)


class Ledger(InLines):
    """A line speaks of all that one change retained."""

    file = "ledger.jsonl"

    def said(self, line: dict[str, Any], key: str, text: str) -> dict[str, Any]:
        pairs = [(id, text if (id or words_key(said)) == key else said) for id, said in _retained(line)]
        return line | _listed(pairs) if pairs else line

    def line(self, name: str, text: str) -> dict[str, Any]:
        return {"ts": "2026-11-15T12:00:00Z", "retain": [text]}

    def speaks_of(self, line: dict[str, Any], key: str) -> bool:
        named = any((id or words_key(said)) == key for id, said in _retained(line))
        return named or any(one["id"] == key for one in line.get("kept", ()))

    def move(self, folder: Path, place: Place, name: str) -> None:
        """Only lines that speak of nothing else: of each memory the last line counts, so that to move others says something."""
        self.rewrite(folder, lambda lines: sorted(lines, key=lambda line: self.speaks_only_of(line, place.key)))

    def speaks_only_of(self, line: dict[str, Any], key: str) -> bool:
        others = [one for one in _retained(line) if (one[0] or words_key(one[1])) != key]
        return self.speaks_of(line, key) and not others and not line.get("kept")

    def take_out(self, folder: Path, place: Place) -> None:
        self.rewrite(folder, lambda lines: [without(line, place.key) for line in lines])


def _retained(line: dict[str, Any]) -> list[tuple[str | None, str]]:
    return [*zip_longest(line.get("ids", ()), line.get("retain", ()))]


def _listed(pairs: list[tuple[str | None, str]]) -> dict[str, Any]:
    return {"ids": [id for id, _ in pairs], "retain": [text for _, text in pairs]}


def without(line: dict[str, Any], key: str) -> dict[str, Any]:
    """An added line names no ids: what it says is known by its words."""
    kept = [one for one in line.get("kept", ()) if one["id"] != key]
    pairs = [(id, said) for id, said in _retained(line) if (id or words_key(said)) != key]
    return line | _listed(pairs) | ({"kept": kept} if "kept" in line else {})


HANDS: dict[str, Any] = {"vault": Vault(), "jsonl": Jsonl(), "ledger": Ledger()}


def save(path: Path, text: str) -> None:
    """As most editors do: a file beside it, and the name given over."""
    partial = path.with_name(f".{path.name}.swp")
    partial.write_text(text, encoding="utf-8", newline="")
    os.replace(partial, path)
