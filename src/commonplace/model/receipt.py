"""`Receipt`: the kept record of one search or injection: what was asked, chosen and left out, each score term, each token."""

from __future__ import annotations

from datetime import datetime

from commonplace.model.base import Closed, Noun


class Moment(Closed):
    """When memory is asked for: by somebody who looks, or for an agent that is about to begin something."""

    SEARCH = "search"
    SESSION_START = "session_start"
    GOAL = "goal"
    PROMPT = "prompt"
    PHASE = "phase"
    TASK = "task"
    AGENT_CALL = "agent_call"


class Outcome(Closed):
    """ "Nothing found" and "could not look" are different answers."""

    FOUND = "found"
    NOTHING_FOUND = "nothing_found"
    NOT_SEARCHED = "not_searched"


class StreamReport(Noun, frozen=True, kw_only=True):
    """One stream of a search: whether it was searched whole, and if not, why not."""

    name: str
    searched: bool
    found: int = 0
    why_not: str | None = None


class Candidate(Noun, frozen=True, kw_only=True):
    """One memory that was looked at: its score terms, and for one that was left out, the reason."""

    memory_id: str
    score: float
    scores: dict[str, float]
    ranks: dict[str, int] = {}
    reach: str = "near"
    reason: str | None = None
    tokens: int | None = None


class Receipt(Noun, frozen=True, kw_only=True):
    """Enough to say later why these memories were brought up and those were not."""

    id: str
    at: datetime
    moment: Moment
    actor: str
    surface: str
    query: str | None
    """What was asked; None when the setting keeps only its hash, or when it held a secret."""
    query_hash: str
    profile: str
    asked: dict[str, object]
    """Everything else that was asked: filters, limit, budget."""
    chosen: tuple[Candidate, ...]
    near_misses: tuple[Candidate, ...]
    thresholds: dict[str, float]
    outcome: Outcome
    confidence: float
    streams: tuple[StreamReport, ...]
    timings: dict[str, float]
    """Milliseconds of each step."""
    models: dict[str, str]
    """Which model made the vectors, and which one read again."""
    tokens: int | None = None
    session: str | None = None

    def names(self) -> list[str]:
        """The memories that were brought up, and those that nearly were."""
        return [one.memory_id for some in (self.chosen, self.near_misses) for one in some]
