"""How much may be handed over at each moment, and how it is shared out. Every number with its reason, in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from commonplace.errors import InvalidError
from commonplace.model.receipt import Moment

# What a recall may cost at most when nobody says less (A73). Not an aim: few and strong beats many and weak.
RECALL_CEILING = 20_000
# The prompt's own room is the agent's. Thirty lines at the start, a dozen for a task, a handful with a later prompt.
DEFAULT_BUDGETS: Mapping[Moment, int] = {
    Moment.SESSION_START: 2_000,
    Moment.GOAL: 1_500,
    Moment.PROMPT: 600,
    Moment.TASK: 2_000,
    Moment.AGENT_CALL: 2_000,
}
MAX_BUDGET = 1_000_000  # beyond any model's window: a mistake

# How many memories at most, however much room there is. Later prompts get the top few (A73: K = 5).
MOST_ENTRIES: Mapping[Moment, int] = {
    Moment.SESSION_START: 60,
    Moment.GOAL: 10,
    Moment.PROMPT: 5,
    Moment.TASK: 12,
    Moment.AGENT_CALL: 12,
    Moment.PHASE: 5,
}

# So many of the places are kept for the person's profile and what always holds, if there is any: a project that holds a dozen
# answers must not push out who the work is for (rfc 35).
UNASKED_PLACES = 4

# No sort of memory may take more than its share while another wants the room (A44). Together they are more than the
# whole on purpose: what one does not use is there for the others.
SHARES: Mapping[str, float] = {"profile": 0.35, "fact": 0.5, "decision": 0.5, "episode": 0.25}

# What came through a channel nobody vouches for, and what came from one such source (row 113, G18), of what is handed over.
UNTRUSTED_SHARE = 0.30
ONE_SOURCE_SHARE = 0.20


class Phase(NamedTuple):
    """What one phase of a harness is handed: how many tokens, and which types and kinds of the project's memories (A78)."""

    budget: int
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    project_first: bool = False


_INDEX = ("index", "project", "overview")
_QUESTIONS, _ISSUES = ("open-question", "open-questions"), ("known-issue", "known-issues", "failure-incident")
PHASES: Mapping[str, Phase] = {
    "setup": Phase(4_000, ("project",), _INDEX),
    "plan": Phase(6_000, ("project", "decision"), (*_INDEX, *_QUESTIONS)),
    "work": Phase(6_000, ("decision",), _ISSUES),
    "review": Phase(4_000),
    "release": Phase(6_000, ("decision",)),
    "bugfix": Phase(6_000, (), _ISSUES),
    "documenter": Phase(10_000, ("project", "decision"), (*_INDEX, "wiki-style"), project_first=True),
}
# Of the five places of a phase, this many are the project's own: a full always-load set must not fill them all.
PHASE_PROJECT_PLACES = 3


def phase_of(name: str | None) -> Phase:
    if name is None or name not in PHASES:
        words = ", ".join(PHASES)
        raise InvalidError(f"phase: must be one of: {words}", hint=f"Use one of: {words}.", where="phase")
    return PHASES[name]


def budget_for(moment: Moment, asked: int | None = None, phase: str | None = None) -> int:
    """What was asked for, else what the environment says, else the default of the moment."""
    if asked is not None:
        return _checked(asked)
    if moment is Moment.PHASE:
        default = phase_of(phase).budget
        return _from_environment(f"HARNESS_RECALL_BUDGET_{str(phase).upper()}", default)
    return _from_environment("RECALL_TOKEN_BUDGET", DEFAULT_BUDGETS[moment])


def _checked(asked: int) -> int:
    if not 0 <= asked <= MAX_BUDGET:
        raise InvalidError(f"budget: must be between 0 and {MAX_BUDGET} tokens", where="budget")
    return asked


def _from_environment(variable: str, default: int) -> int:
    """The variable's number. Nothing or less means no limit of its own there (A73), which is the ceiling."""
    said = os.environ.get(variable, "").strip()
    if not said:
        return default
    try:
        number = int(said)
    except ValueError:
        raise InvalidError(f"${variable} must be a whole number of tokens", where=variable) from None
    return _checked(number) if number > 0 else RECALL_CEILING


class Floor(NamedTuple):
    """How strong is strong enough: by its own relevance, or by standing close beside a best one that is relevant."""

    relevance: float
    beside: float = 0.0
    """Points of score behind the best."""


# Chosen on twenty prompts over thirty facts of one project, ten that the book answers and ten of small talk and other work,
# with the default model: an answer's relevance is 0.15 to 0.63, the best of small talk's 0 to 0.23. A task was asked for, so a
# weak answer is better than none; a later prompt did not ask, so nothing is better than a weak one.
FLOORS: Mapping[Moment, Floor] = {
    Moment.GOAL: Floor(0.15, beside=1.0),
    Moment.TASK: Floor(0.1, beside=1.5),
    Moment.AGENT_CALL: Floor(0.1, beside=1.5),
    Moment.PHASE: Floor(0.1, beside=1.5),
    Moment.PROMPT: Floor(0.3),
}
# An episode is useful when it is a strong match, or so recent that the work is likely still going on (rfc 35).
EPISODE_RELEVANCE = 0.3
EPISODE_DAYS = 7

# One memory is one line of a prompt. What is longer is shown by its summary, or by the part that answers.
MAX_SAID_CHARS = 600
MAX_SOURCE_CHARS = 80
# Below this an entry is labelled as unsure (A-n).
UNSURE_BELOW = 0.5
# A dispute is shown with so many sides; a flood of contradictions cannot push the rest out.
MOST_SIDES = 4
# Of a project's standing memories the newest so many are looked at, and the strongest so many of each sort are offered.
STANDING_LOOKED_AT = 200
STANDING_OFFERED = 8
# How many of those that had no room are named.
MOST_NAMED = 10
