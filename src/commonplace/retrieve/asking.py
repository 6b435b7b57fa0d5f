"""What sort of answer does a question want: help, an account of how something went, or a statement?

"What did you recommend for the resume?" is answered by the advice that was given, and that is long. "Have I ever been to Oslo?"
is answered by one's own few words, and hardly by the essay that somebody wrote about the town. So the question says how much it
counts for a memory that it is brief.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_READ = 800


class Wanted(NamedTuple):
    """The sort of answer that a question wants."""

    brevity: float
    """How much it counts that an answer is brief."""
    heeds_instructions: bool
    """Is what was said to be meant for every task meant for this one too? Whoever asks what was, gives no task."""


AN_ACCOUNT = Wanted(brevity=0.0, heeds_instructions=False)
ANYTHING = Wanted(brevity=1.0, heeds_instructions=True)
A_STATEMENT = Wanted(brevity=2.0, heeds_instructions=False)
"""With a brevity of 1.5 or 2.5 BEAM's answers are nearly the same."""

_REQUEST = re.compile(
    r"""(?xi)^\s*(?:can|could|would|will)\ you\b
    | ^\s*how\ (?:do|can|should|would|to)\b
    | \b(?:suggest|recommend|advise|help\ me|give\ me|show\ me|write|explain|tips|ideas|advice|walk\ me\ through)\b
    | \bwhat\ (?:should|would|can|could|kind\ of|are\ some|is\ the\ best|steps|options)\b
    | ^\s*(?:i'm|i\ am|i\ want|i\ need|i'd\ like|what's\ the\ best)"""
)
_LOOKS_BACK = re.compile(
    r"""(?xi)\b(?:did|have|had|was|were)\ (?:i|we)\b
    | \b(?:i|we)\ (?:said|told|mentioned|had|did|was|were|have|brought)\b
    | \b(?:order|summary|summarize|previous|earlier|last\ time|remind\ me)\b"""
)
_ASKS_WHAT_YOU_SAID = re.compile(
    r"""(?xi)\b(?:did|had|have|were|was)\ you\b
    | \byou(?:'ve|\ have|\ had)?\ (?:said|told|recommended|suggested|mentioned|gave|given|advised|explained|proposed
      |provided|showed|shown|wrote|written|offered|listed|shared|described)\b
    | \byour\ (?:advice|suggestions?|recommendations?|answers?|explanations?|previous|earlier)\b"""
)
_ASKS_HOW_IT_WENT = re.compile(
    r"""(?xi)\bhow\ (?:did|have|had)\ (?:i|we)\b
    | \b(?:what|which)\ (?:steps|approach|strategy|strategies|plan|method|process|advice)\b[^?]{0,300}
      \b(?:did|have|had)\ (?:i|we)\b"""
)
_ASKS_WHETHER = re.compile(r"(?i)^\s*(?:have|did|had|has|was|were|am|are|do) (?:i|we|my|our)\b")


def asks_for_help(question: str) -> bool:
    """Is something to be made or advised, rather than remembered?"""
    asked = question[:_READ]
    looks_back = _LOOKS_BACK.search(asked) or _ASKS_WHAT_YOU_SAID.search(asked)
    return bool(_REQUEST.search(asked)) and not looks_back


def wanted_by(question: str) -> Wanted:
    """An account of what somebody said or how it went, a statement that says whether, or whatever there is."""
    asked = question[:_READ]
    if _ASKS_WHAT_YOU_SAID.search(asked) or _ASKS_HOW_IT_WENT.search(asked):
        return AN_ACCOUNT
    return A_STATEMENT if _ASKS_WHETHER.match(asked) else ANYTHING
