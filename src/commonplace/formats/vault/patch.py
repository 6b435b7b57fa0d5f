"""A memory becomes a note's text: a new note is written whole; a note that is there is changed only where it differs."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, NamedTuple

from commonplace.formats.vault.frontmatter import Block, put, take_apart
from commonplace.formats.vault.frontmatter import made as made_note
from commonplace.formats.vault.keys import HOLDS, KEYS, ORDER, lines_of, moment
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.note import Understood, tidy, understand
from commonplace.formats.vault.scalars import Value, written, written_list
from commonplace.model.incident import scrubbed
from commonplace.model.record import MemoryRecord
from commonplace.model.words import SCOPE_WORDS, Status

Refer = Callable[[str], str]
"""What to write for a memory's id: a link to where it stands."""


def held(record: MemoryRecord) -> dict[str, Any]:
    """The fields of a memory that a note holds."""
    return {field: getattr(record, field) for field in HOLDS}


def as_told(record: MemoryRecord) -> dict[str, Any]:
    """The same as reading a note of this memory gives them back."""
    said = held(scrubbed(record))
    word = said["scope_word"] if SCOPE_WORDS.get(said["scope_word"]) is record.scope else None
    return said | {"content": tidy(said["content"]), "scope_word": word}


def new_note(record: MemoryRecord, path: str, layout: Layout, refer: Refer) -> str:
    said = held(record)
    said["slug"] = said["slug"] or path.rsplit("/", 1)[-1][:-3]
    lines = lines_of(said, layout, layout.spot(path).tier) | _chain(record, refer)
    head = [(key, _line(value)) for key in ORDER if (value := lines.get(key)) is not None]
    return made_note(head, f"{tidy(record.content)}\n")


def _line(value: Value) -> str:
    return value if isinstance(value, str) else written_list(value)


def _chain(record: MemoryRecord, refer: Refer) -> dict[str, Value | None]:
    """Both ends of a supersession (A26, A69). What only waits replaces nothing yet."""
    lines: dict[str, Value | None] = {}
    if record.supersedes and record.status is not Status.INBOX:
        lines["supersedes"] = written(refer(record.supersedes))
    if record.status is Status.SUPERSEDED:
        lines["superseded_at"] = moment(record.updated_at)
        if record.superseded_by:
            lines["superseded_by"] = written(refer(record.superseded_by))
    return lines


def told_by(note: Understood, record: MemoryRecord) -> dict[str, Any]:
    """What a note says of a memory. Where it says nothing, or says it as coarsely as it can, it is taken to agree."""
    told, could = held(record), as_told(record)
    told |= {field: value for field, value in note.said.items() if field in HOLDS and value != could[field]}
    if not record.slug:
        told["slug"] = ""
    return told


def differing(note: Understood, record: MemoryRecord, among: Set[str]) -> set[str]:
    """The fields, among these, of which a note says something else than a memory."""
    told, wanted = told_by(note, record), held(record)
    return {field for field in among if told[field] != wanted[field]}


class Patch(NamedTuple):
    """A note that is there, where it lies and will lie, and the memory whose changed fields it should say."""

    note: Understood
    path: str
    record: MemoryRecord
    target: str
    changed: Set[str]

    def text(self, layout: Layout, refer: Refer) -> str:
        block = self._with_lines(layout)
        block = self._with_chain(block, refer)
        if self.path != self.target and "id" not in self.note.said:
            block = put(block, "id", written(self.record.id), ORDER)  # until now it was known by where it lay
        if "content" in differing(self.note, self.record, self.changed):
            block = _with_body(block, self.record.content)
        return self._made_sure(block, layout)

    def _with_lines(self, layout: Layout) -> Block:
        """Each line that should say something else than the note's words mean."""
        told, wanted = told_by(self.note, self.record), held(self.record)
        was = lines_of(told, layout, layout.spot(self.path).tier)
        shall = lines_of(told | {field: wanted[field] for field in self.changed}, layout, layout.spot(self.target).tier)
        block = self.note.block
        for key in ORDER:
            if key in shall and shall[key] != was[key]:
                block = put(block, key, shall[key], ORDER)
        return block

    def _with_chain(self, block: Block, refer: Refer) -> Block:
        """The lines of a supersession come with it, and go when it is undone."""
        chain, was = _chain(self.record, refer), self.note.said["status"]
        if "supersedes" in chain and "supersedes" not in self.note.fields:
            block = put(block, "supersedes", chain["supersedes"], ORDER)
        if was is self.record.status:
            return block
        for key in ("superseded_by", "superseded_at"):
            if key in chain or was is Status.SUPERSEDED:
                block = put(block, key, chain.get(key), ORDER)
        return block

    def _made_sure(self, block: Block, layout: Layout) -> str:
        """Read it back where it will lie. What its old folder or its name said must now be said by a line."""
        note = understand(self.target, block.text, layout)
        among = self.changed if self.path == self.target else HOLDS
        keys = {KEYS[field] for field in differing(note, self.record, among - {"content"})}
        if not keys:
            return block.text
        lines = lines_of(held(self.record), layout, layout.spot(self.target).tier)
        for key in ORDER:
            if key in keys:
                block = put(take_apart(block.text), key, lines[key], ORDER)
        return block.text


def _with_body(block: Block, content: str) -> Block:
    """Another body; the blank lines before it and the note's line ends stay."""
    blank = len(block.body) - len(block.body.lstrip("\r\n"))
    body = f"{tidy(content)}\n"
    body = body if block.newline == "\n" else body.replace("\n", block.newline)
    return block._replace(body=block.body[:blank] + body)
