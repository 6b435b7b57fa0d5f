"""`memory_store`: one fact of at most 500 characters, no secret; the oldest make room for it (G14-G19)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace.errors import NotFoundError, SecretError
from commonplace.guard.entry import admit
from commonplace.model.fingerprint import fingerprint
from commonplace.settings import MAX_TAG_CHARS
from commonplace.surfaces.tools.aegis_secrets import holds_secret
from commonplace.surfaces.tools.arguments import Refused, text_of
from commonplace.surfaces.tools.patience import patiently
from commonplace.surfaces.tools.schemas import MAX_TAGS, MAX_TEXT_CHARS, SCOPES

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.model.record import MemoryRecord
    from commonplace.surfaces.tools.entries import Entries

SECRET = "text appears to contain a secret — not stored"  # noqa: S105 (the words of the answer, G18)
_WORKSPACE = "workspace"


class Fact:
    """What is to be stored, checked."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.text = _text(arguments)
        self.tags = _tags(arguments)
        self.scope = text_of(arguments, "scope") or _WORKSPACE
        if self.scope not in SCOPES:
            raise Refused(f"scope must be one of: {', '.join(SCOPES)}")
        if holds_secret((self.text, *self.tags)):
            raise Refused(SECRET)
        admit({"content": self.text, "tags": self.tags})  # before anything makes room for it

    def save_in(self, place: Place) -> MemoryRecord:
        """Said again it is the same memory; said again under other tags, that one makes way for it (G12)."""
        try:
            record = self._saved(place.book(), self.tags)
            if {*self.tags} <= {*record.tags}:
                return record
            return self._instead_of(record, place)
        except SecretError:
            raise Refused(SECRET) from None

    def _saved(self, book: Book, tags: Sequence[str]) -> MemoryRecord:
        owner = _WORKSPACE if self.scope == _WORKSPACE else None
        return patiently(lambda: book.save(self.text, type="project", scope=self.scope, repo_id=owner, tags=tags))

    def _instead_of(self, before: MemoryRecord, place: Place) -> MemoryRecord:
        tags = [*dict.fromkeys((*self.tags, *before.tags))][:MAX_TAGS]
        place.put_away(before.id, "stored again under other tags")
        try:
            return self._saved(place.book(), tags)
        except BaseException:
            place.operator().restore(before.id)
            raise


def store(place: Place, arguments: Mapping[str, Any]) -> dict[str, Any]:
    fact = Fact(arguments)
    if not _is_there(fact, place.entries):
        place.make_room(for_one=True)
    record = fact.save_in(place)
    place.make_room()  # others may have stored at the same moment
    return {"ok": True, "id": place.entries.id_of(record, place.book())}


class Place(NamedTuple):
    """Where facts are stored."""

    entries: Entries
    book: Callable[[], Book]
    operator: Callable[[], Book]
    max_total: int | None
    """None where nothing is pruned: only the file of this surface is kept short (X-17)."""

    def make_room(self, *, for_one: bool = False) -> None:
        """Put the oldest away until there is room (G19). They leave the file; the book can bring them back."""
        if self.max_total is None:
            return
        standing = self.entries.all()
        for entry in standing[: max(len(standing) + for_one - self.max_total, 0)]:
            with suppress(NotFoundError):  # another process was quicker
                self.put_away(entry.id, "the file was full; the oldest made room")

    def put_away(self, id: str, reason: str) -> None:
        patiently(lambda: self.operator().archive(id, reason=reason))


def _is_there(fact: Fact, entries: Entries) -> bool:
    """Does a memory say the same already? Then nothing has to make room."""
    said = fingerprint(fact.text)
    return any(fingerprint(entry.text) == said for entry in entries.all())


def _text(arguments: Mapping[str, Any]) -> str:
    text = text_of(arguments, "text")
    if text is None or not text.strip():
        raise Refused("text is required")
    if len(text) > MAX_TEXT_CHARS:
        raise Refused(f"text is too long: {len(text)} characters, the limit is {MAX_TEXT_CHARS}")
    return text


def _tags(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    tags = arguments.get("tags", [])
    if not isinstance(tags, (list, tuple)) or not all(isinstance(tag, str) and tag.strip() for tag in tags):
        raise Refused("tags must be a list of strings")
    tags = tuple(dict.fromkeys(tags))
    if len(tags) > MAX_TAGS:
        raise Refused(f"too many tags: {len(tags)}, the limit is {MAX_TAGS}")
    if any(len(tag) > MAX_TAG_CHARS for tag in tags):
        raise Refused(f"a tag is too long: the limit is {MAX_TAG_CHARS} characters")
    return tags
