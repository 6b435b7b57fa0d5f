"""`Filter`: which memories are meant. The catalog turns it into indexed SQL; `matches` says the same in Python."""

from __future__ import annotations

from datetime import datetime

from commonplace.errors import TooLargeError
from commonplace.model.base import Closed, Noun, not_among, set_once, utc
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope, Status, Trust, Type


class Circle(Noun, frozen=True, kw_only=True):
    """Whose memories are near (rfc 40): the global ones, and those of the project, repository and agent that are named.

    With no project and no repository named, those of every project are near. What an agent keeps to itself is near to
    that agent alone, and to whoever looks at the whole book.
    """

    project_id: str | None = None
    repo_id: str | None = None
    agent_id: str | None = None

    @property
    def is_everything(self) -> bool:
        return self.project_id is None and self.repo_id is None and self.agent_id is None

    def holds(self, record: MemoryRecord) -> bool:
        return self.is_around(record.scope, record.project_id, record.repo_id, record.agent_id)

    def is_around(self, scope: str, project_id: str | None, repo_id: str | None, agent_id: str | None) -> bool:
        """Would it hold a memory of this scope, and of these?"""
        if self.is_everything or scope == Scope.GLOBAL:
            return True
        same_project = self.project_id is None or project_id in (None, self.project_id)
        if scope in PRIVATE:
            return self.agent_id is not None and agent_id == self.agent_id and same_project
        return same_project and self._same_repo(repo_id)

    def _same_repo(self, repo_id: str | None) -> bool:
        if self.repo_id is None:
            return True
        # Without a project to go by, a memory of no repository belongs to some other place.
        return repo_id == self.repo_id or (repo_id is None and self.project_id is not None)


PRIVATE = (Scope.AGENT, Scope.SESSION)


class Filter(Noun, frozen=True, kw_only=True):
    """None means "any"; several values of one field mean "one of these"; several fields must all hold.

    Superseded, contradicted, archived, inbox and deleted memories stay out unless their status is asked for.
    """

    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    types: tuple[Type, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    kinds: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    """All of these tags."""
    trusts: tuple[Trust, ...] | None = None
    project_id: str | None = None
    repo_id: str | None = None
    agent_id: str | None = None
    source_ref: str | None = None
    tenant: str | None = None
    always_load: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    within: Circle | None = None
    """Only what is near."""
    beyond: Circle | None = None
    """Only what is not near and may cross over: what an agent keeps to itself never does."""

    def __post_init__(self) -> None:
        for field, words in _LISTS:
            asked = getattr(self, field)
            if asked is not None:
                set_once(self, field, tuple(words.of(word, field) for word in _several(asked)))
        for field in ("kinds", "tags"):
            asked = getattr(self, field)
            if asked is not None:
                set_once(self, field, _few(field, _several(asked)))
        for field in ("since", "until"):
            if getattr(self, field) is not None:
                set_once(self, field, utc(getattr(self, field), field))

    def matches(self, record: MemoryRecord) -> bool:
        return (
            all(asked is None or value in asked for asked, value in self._choices(record))
            and all(asked is None or value == asked for asked, value in self._equals(record))
            and (self.tags is None or set(self.tags) <= set(record.tags))
            and (self.since is None or record.created_at >= self.since)
            and (self.until is None or record.created_at < self.until)
            and (self.within is None or self.within.holds(record))
            and (self.beyond is None or not (record.scope in PRIVATE or self.beyond.holds(record)))
        )

    def _choices(self, record: MemoryRecord) -> tuple[tuple[tuple[str, ...] | None, str], ...]:
        return (
            (self.statuses, record.status),
            (self.types, record.type),
            (self.scopes, record.scope),
            (self.kinds, record.kind),
            (self.trusts, record.trust),
        )

    def _equals(self, record: MemoryRecord) -> tuple[tuple[object, object], ...]:
        return (
            (self.project_id, record.project_id),
            (self.repo_id, record.repo_id),
            (self.agent_id, record.agent_id),
            (self.source_ref, record.source_ref),
            (self.tenant, record.tenant),
            (self.always_load, record.always_load),
        )


def _several(asked: object) -> tuple[object, ...]:
    """One word may stand for a list of one; a plain string must never be taken apart into letters."""
    return (asked,) if isinstance(asked, str) else tuple(asked)  # type: ignore[arg-type]


# Each value is a walk or a condition of its own. Nobody names so many, and a database would give up at some number.
MOST_VALUES = 100


def _few(field: str, asked: tuple[object, ...]) -> tuple[object, ...]:
    """Each value once, and not too many of them."""
    values = tuple(dict.fromkeys(asked))
    if len(values) > MOST_VALUES:
        raise TooLargeError(
            f"{field}: {len(values)} of them; the limit is {MOST_VALUES}",
            hint="Ask for fewer at a time, or leave the filter out.",
            where=field,
        )
    return values


_LISTS: tuple[tuple[str, type[Closed]], ...] = (
    ("statuses", Status),
    ("types", Type),
    ("scopes", Scope),
    ("trusts", Trust),
)
EVERY_STATUS = tuple(Status)


def statuses_of(asked: object) -> tuple[Status, ...]:
    """The statuses a caller names; `all` means every one."""
    words = _several(asked)
    if "all" in words:
        return EVERY_STATUS
    for word in words:
        if word not in EVERY_STATUS:
            raise not_among([*EVERY_STATUS, "all"], word, "statuses")
    return tuple(map(Status, words))  # type: ignore[arg-type]
