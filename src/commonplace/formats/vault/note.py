"""What a note says: bytes become the fields of a memory. Any bytes are legal, and reading changes none of them.

The frontmatter speaks first, then the folder, then the text itself. What a person left out or wrote in another way than we
would is no mistake: a note of three words without any frontmatter is a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from posixpath import basename
from typing import Any, NamedTuple, TypeVar

from commonplace import settings
from commonplace.formats.vault.frontmatter import Block, Field, fields_of, take_apart
from commonplace.formats.vault.keys import OWNERS, TEXTS, TIMES, scope_of, type_of
from commonplace.formats.vault.layout import Layout, Spot
from commonplace.formats.vault.names import unarchived_stem
from commonplace.formats.vault.wikilinks import inline_tags, links_of
from commonplace.model.base import Closed
from commonplace.model.hashing import sha256
from commonplace.model.words import SCOPE_WORDS, Scope, Status, Tier, Type
from commonplace.seam.format import Aside, Contents, Found
from commonplace.storage.conflict_files import merge_conflict

LARGEST = settings.MAX_CONTENT_BYTES + 262_144  # the longest content, and room for its frontmatter
_LINE_END = re.compile(r"\r+\n")
_HEADING = re.compile(r"#{1,6}[ \t]+([^\r\n]*)")
_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TRUE = ("true", "yes", "on")


class Understood(NamedTuple):
    """A note whose text could be taken apart."""

    block: Block
    fields: dict[str, Field]
    """By key; of a field that is there twice, the last one."""
    said: dict[str, Any]
    """What it says, by the names of `MemoryRecord`'s fields; '' for a content that is not there."""


def read(path: str, raw: bytes, layout: Layout) -> Contents:
    reason = unreadable(raw)
    if reason:
        return Contents((), (Aside(0, reason),))
    merge = merge_conflict(raw) if b"<<<<<<<" in raw else None
    if merge:
        return Contents((), (Aside(merge, "an unresolved merge: both versions stand in it"),))
    note = understand(path, raw.decode(errors="replace"), layout)
    if not note.said["content"]:
        return Contents(())
    if len(raw) > settings.MAX_CONTENT_BYTES < len(note.said["content"].encode()):
        return Contents((), (Aside(0, f"its text has more than {settings.MAX_CONTENT_BYTES} bytes"),))
    links = links_of(note.block.body, [*note.fields.values()], note.block.lines, path)
    return Contents((Found("", sha256(raw), note.said, links),))


def unreadable(raw: bytes) -> str | None:
    """Why these bytes are not a note, if they are not."""
    if not raw:
        return "the file is empty: not downloaded yet, or emptied"
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "written in UTF-16: save it as UTF-8"
    if b"\0" in raw:
        return "holds NUL bytes: not a text, or not in UTF-8"
    return None if len(raw) <= LARGEST else f"larger than {LARGEST} bytes"


def understand(path: str, text: str, layout: Layout) -> Understood:
    block = take_apart(text)
    fields = {field.key: field for field in fields_of(block)} if block.lines else {}
    facts = {key: field.value for key, field in fields.items() if field.value is not None}
    spot = layout.spot(path)
    return Understood(block, fields, _fields(path, block, facts, spot))


def tidy(content: str) -> str:
    """A content as a note holds it: one kind of line end, no blank lines around it (A68)."""
    return (_LINE_END.sub("\n", content) if "\r" in content else content).strip("\r\n")


def content_of(block: Block) -> str:
    body = block.body.replace("\r", "\n") if block.newline == "\r" else block.body
    content = tidy(body)
    return content if content.strip() else ""


Facts = Mapping[str, str | list[str]]
W = TypeVar("W", bound=Closed)


def _fields(path: str, block: Block, facts: Facts, spot: Spot) -> dict[str, Any]:
    stem = unarchived_stem(basename(path)[:-3])
    kind = _name(facts.get("kind")) or spot.kind or "note"
    ours = _is_id(facts.get("id"), locked="slug" in facts and "status" in facts)
    said: dict[str, Any] = {
        "content": content_of(block),
        "kind": kind,
        "type": _word(Type, facts.get("type")) or type_of(kind),
        "status": _status(facts, spot),
        "status_reason": _text(facts, "superseded_reason" if "superseded_reason" in facts else "status_reason"),
        "deleted_at": _moment(facts.get("deleted_at")),
        "tags": tuple(_listed(facts.get("tags"), ", ")) if ours else _tags(facts, block.body),
        "slug": _name(facts.get("slug")) or stem,
        "always_load": _always_load(facts, spot),
        "aliases": tuple(_listed(facts.get("aliases"), ","))[: settings.MAX_ALIASES],
        "tier": (None if spot.tier is Tier.T1 else _word(Tier, facts.get("tier"))) or spot.tier,
        **_owned(facts, spot),
        **{field: _text(facts, key) for field, key in TEXTS},
    }
    for field, key in TIMES:
        at = _moment(facts.get(key))
        if at or field.startswith("valid"):
            said[field] = at
    if ours:
        said["id"] = facts["id"]
    else:
        said["title"] = said["title"] or _title(block.body, stem, named="slug" in facts)
    if said["valid_from"] and said["valid_to"] and said["valid_to"] < said["valid_from"]:
        said["valid_from"] = said["valid_to"] = None
    return said


def _word(words: type[W], value: object) -> W | None:
    """A word of a closed list of ours; any other is somebody else's, and says nothing to us."""
    if not isinstance(value, str):
        return None
    known = _words(words)
    return known.get(value) or known.get(value.lower())


@cache
def _words(words: type[W]) -> dict[str, W]:
    return {str(word): word for word in words}


def _is_id(value: object, *, locked: bool) -> bool:
    """Is this the id of a memory? People number their notes too (`id: 202605031200`), so it must look like one of ours,
    or stand in a note with the locked frontmatter. A note without one is known by where it lies."""
    return isinstance(value, str) and 0 < len(value) <= 200 and (locked or bool(_ID.fullmatch(value)))


def _owned(facts: Facts, spot: Spot) -> dict[str, Any]:
    """Scope and owners. A scope that lacks its owner, or that we do not know, does not count."""
    said: dict[str, Any] = {field: _owner(facts.get(key)) for field, key in OWNERS}
    said["project_id"] = said["project_id"] or spot.project
    word = facts.get("scope")
    scope = SCOPE_WORDS.get(word) if isinstance(word, str) else None
    said["scope_word"] = word if scope else None
    scope = scope or _word(Scope, word)
    needed = {Scope.PROJECT: "project_id", Scope.REPO: "repo_id", Scope.AGENT: "agent_id"}.get(scope or Scope.GLOBAL)
    if scope is None or (needed and not said[needed]):
        scope, said["scope_word"] = scope_of(said["project_id"]), None
    return {**said, "scope": scope}


def _owner(value: object) -> str | None:
    """`atlas`, or `[[Atlas]]` as people write it to have a link."""
    name = _name(value)
    return name[2:-2].split("|")[0].split("/")[-1] or None if name and name[:2] == "[[" and name[-2:] == "]]" else name


def _status(facts: Facts, spot: Spot) -> Status:
    """The folder puts away, and so does the line: whichever puts it further away counts."""
    status = _word(Status, facts.get("status")) or spot.status
    if spot.status is Status.ARCHIVED and status in (Status.ACTIVE, Status.INBOX):
        return Status.ARCHIVED
    return Status.INBOX if spot.status is Status.INBOX and status is Status.ACTIVE else status


def _always_load(facts: Facts, spot: Spot) -> bool:
    """The folder decides (A-a). Of a note that waits or is put away it says nothing, and the line tells."""
    if spot.status is Status.ACTIVE:
        return spot.always_load
    return is_true(facts.get("always_load"))


def is_true(value: object) -> bool:
    return isinstance(value, str) and value.lower() in _TRUE


def _tags(facts: Facts, body: str) -> tuple[str, ...]:
    """Of a note that we did not write: those of the frontmatter, and those in the text."""
    told = [tag.removeprefix("#") for tag in _listed(facts.get("tags"), ", ")]
    inline = inline_tags(body) if "#" in body else []
    tags = dict.fromkeys(tag for tag in (*told, *inline) if 0 < len(tag) <= settings.MAX_TAG_CHARS)
    return tuple(tags)[: settings.MAX_TAGS]


def _listed(value: object, separators: str) -> list[str]:
    """A list, or as people also write it, words between commas."""
    if isinstance(value, list):
        return [item for item in value if item]
    return [item for item in re.split(f"[{separators}]+", value) if item] if isinstance(value, str) else []


def _title(body: str, stem: str, *, named: bool) -> str | None:
    """The first heading, if the note begins with one; else the file's name, unless that is only its slug."""
    heading = _HEADING.match(body.lstrip())
    title = heading[1].rstrip(" \t#") if heading else ""
    return (title or ("" if named else stem))[: settings.MAX_TITLE_CHARS] or None


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= settings.MAX_NAME_CHARS else None


def _text(facts: Facts, key: str) -> str | None:
    value = facts.get(key)
    limit = settings.MAX_TITLE_CHARS if key == "title" else settings.MAX_SUMMARY_CHARS
    return value[:limit] if isinstance(value, str) else None


def _moment(value: object) -> datetime | None:
    """A date or a moment; without an offset it is UTC (A-l). Anything else says nothing."""
    return _read_moment(value) if isinstance(value, str) else None


@lru_cache(maxsize=1024)  # a note's times are often one, and a day's notes have one day
def _read_moment(value: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
