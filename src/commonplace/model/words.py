"""The closed lists of the record: type, scope, status, source kind, trust, tier, and who may outrank whom."""

from __future__ import annotations

from commonplace.model.base import Closed


class Type(Closed):
    """What sort of statement it is; it decides how the memory may become durable (rfc 28)."""

    PROFILE = "profile"
    PROJECT = "project"
    DECISION = "decision"
    ARTIFACT = "artifact"
    EPISODE = "episode"
    TASK_HINT = "task_hint"


class Scope(Closed):
    """Whom it concerns (rfc 30)."""

    GLOBAL = "global"
    PROJECT = "project"
    REPO = "repo"
    AGENT = "agent"
    SESSION = "session"


# The words other surfaces use for the same thing; the surface's own word is kept beside the scope.
SCOPE_WORDS = {"user": Scope.GLOBAL, "workspace": Scope.REPO, "path": Scope.REPO}


class Status(Closed):
    """What became of it (rfc 31, X-13)."""

    INBOX = "inbox"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    CONTRADICTED = "contradicted"
    ARCHIVED = "archived"
    DELETED = "deleted"


class SourceKind(Closed):
    """How it came to be known (rfc 32)."""

    MANUAL = "manual"
    CONVERSATION = "conversation"
    RUN = "run"
    DOCUMENT = "document"
    IMPORT = "import"


class Tier(Closed):
    """Who keeps it: the person alone, the person with the agent, the agent alone (A12-A14)."""

    T1 = "T1"
    T2 = "T2"
    T3 = "T3"


class Trust(Closed):
    """Through which channel it came; never taken from what the text says of itself (R10)."""

    OPERATOR = "operator"
    CURATED = "curated"
    AGENT = "agent"
    EXTRACTED = "extracted"
    EXTERNAL = "external"

    @property
    def rank(self) -> int:
        """Higher is more trusted."""
        return _RANKS[self]

    def outranks(self, other: Trust) -> bool:
        return self.rank > other.rank


_RANKS = {trust: rank for rank, trust in enumerate(reversed(Trust))}


class Relation(Closed):
    """How one memory stands to another (rfc 36)."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    APPLIES_TO = "applies_to"
    DERIVED_FROM = "derived_from"
    RELATED_TO = "related_to"


class Verb(Closed):
    """What an operation did. Every change to a book is exactly one of these."""

    SAVE = "save"
    REINFORCE = "reinforce"
    EVOLVE = "evolve"
    CONTRADICT = "contradict"
    LINK = "link"
    UNLINK = "unlink"
    ARCHIVE = "archive"
    RESTORE = "restore"
    FORGET = "forget"
    PROMOTE = "promote"
    REJECT = "reject"
    EDIT = "edit"
    IMPORT = "import"
    REVERT = "revert"
    PURGE = "purge"
    CAPTURE = "capture"
    EXTRACT = "extract"


class Entity(Closed):
    """What sort of thing a change is about."""

    MEMORY = "memory"
    LINK = "link"
    SOURCE = "source"
    EVENT = "event"
    CONFLICT = "conflict"
    PROJECT = "project"
    REPO = "repo"
    VIEW = "view"
