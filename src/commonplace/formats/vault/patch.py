"""A memory becomes a note's text: a new note is written whole; a note that is there is changed only where it differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from commonplace.formats.vault.frontmatter import Block, put, take_apart
from commonplace.formats.vault.frontmatter import made as made_note
from commonplace.formats.vault.keys import HOLDS, KEYS, ORDER, lines_of, moment
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.note import Understood, tidy, understand
from commonplace.formats.vault.scalars import Value, written, written_list
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status

Refer = Callable[[str], str]
"""What to write for a memory's id: a link to where it stands."""


def held(record: MemoryRecord) -> dict[str, Any]:
    """The fields of a memory that a note holds."""
    return {field: getattr(record, field) for field in HOLDS}


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
    """What a note says of a memory; where it says nothing, it is taken to agree."""
    told = held(record)
    told |= {field: value for field, value in note.said.items() if field in HOLDS}
    if not record.slug:
        told["slug"] = ""
    if tidy(record.content) == told["content"]:
        told["content"] = record.content
    return told


def patched(note: Understood, path: str, record: MemoryRecord, target: str, layout: Layout, refer: Refer) -> str:
    """The text of the note at `path` once it says what the record says and lies at `target`."""
    before, after = told_by(note, record), held(record)
    block = _with_lines(note.block, before, after, path, target, layout)
    block = _with_chain(block, note, record, before["status"], refer)
    if path != target and "id" not in note.said:
        block = put(block, "id", written(record.id), ORDER)  # until now it was known by where it lay
    if before["content"] != after["content"]:
        block = _with_body(block, record.content)
    return _made_sure(block, record, target, layout)


def _with_lines(
    block: Block, before: Mapping[str, Any], after: Mapping[str, Any], path: str, target: str, layout: Layout
) -> Block:
    was = lines_of(before, layout, layout.spot(path).tier)
    shall = lines_of(after, layout, layout.spot(target).tier)
    for key in ORDER:
        if key in shall and shall[key] != was[key]:
            block = put(block, key, shall[key], ORDER)
    return block


def _with_chain(block: Block, note: Understood, record: MemoryRecord, was: Status, refer: Refer) -> Block:
    """The lines of a supersession come with it, and go when it is undone."""
    chain = _chain(record, refer)
    if "supersedes" in chain and "supersedes" not in note.fields:
        block = put(block, "supersedes", chain["supersedes"], ORDER)
    if was is record.status:
        return block
    for key in ("superseded_by", "superseded_at"):
        if key in chain or was is Status.SUPERSEDED:
            block = put(block, key, chain.get(key), ORDER)
    return block


def _with_body(block: Block, content: str) -> Block:
    """Another body; the blank lines before it and the note's line ends stay."""
    blank = len(block.body) - len(block.body.lstrip("\r\n"))
    body = f"{tidy(content)}\n"
    body = body if block.newline == "\n" else body.replace("\n", block.newline)
    return block._replace(body=block.body[:blank] + body)


def _made_sure(block: Block, record: MemoryRecord, target: str, layout: Layout) -> str:
    """Read it back where it will lie. What its old folder or its name said must now be said by a line."""
    note = understand(target, block.text, layout)
    told, wanted = told_by(note, record), held(record)
    differing = {KEYS[field] for field in KEYS if told[field] != wanted[field]}
    if not differing:
        return block.text
    lines = lines_of(wanted, layout, layout.spot(target).tier)
    if "status_reason" in differing and record.status is Status.SUPERSEDED:
        differing.add("superseded_reason")
    for key in ORDER:
        if key in differing:
            block = put(take_apart(block.text), key, lines[key], ORDER)
    return block.text
