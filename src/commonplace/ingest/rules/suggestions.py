"""What an agent proposes is nobody's decision until a person agrees in the very next turn."""

from __future__ import annotations

import re

from commonplace.ingest.rules.decisions import rationale_of
from commonplace.ingest.rules.found import Found, Words, first, known
from commonplace.model.transcript import Piece, Role
from commonplace.model.words import Type

_SUGGESTS = re.compile(
    r"""(?xi)\b(?:i(?:'d|’d|\ would)?\ (?:suggest|recommend|propose|advise)|my\ (?:suggestion|recommendation
      |proposal)\ (?:is|would\ be)|we\ (?:should|could)|let's|let’s|how\ about|shall\ we|you\ should)[ ]
      (?:that\ we\ |we\ |to\ |just\ )?(?P<value>(?:us(?:e|ing)|go(?:ing)?\ with|switch(?:ing)?\ to|keep(?:ing)?
      |mov(?:e|ing)\ to|adopt(?:ing)?|stick(?:ing)?\ with|drop(?:ping)?|add(?:ing)?|stor(?:e|ing)|replac(?:e|ing)
      |pin(?:ning)?|avoid(?:ing)?)\ [^!?]{2,300})"""
)
_AGREES = re.compile(
    r"(?i)^\W{0,4}(?:(?:yes|yeah|yep|yup|ok|okay|sure|agreed|agree|i agree|perfect|great|good idea|good plan"
    r"|sounds (?:good|great|right)|works for me|do (?:it|that|so)|go ahead|go for it|let's do (?:it|that|this)"
    r"|let's go with (?:it|that)|fine|exactly|right|approved|ship it|lgtm|\+1|👍)\b|👍)"
)
_BUT = re.compile(r"(?i)\b(?:but|however|actually|instead|wait|not (?:quite|sure|yet|now)|rather|except|no)\b")


NEEDS: Words = known(
    "suggest recommend propose advise suggestion recommendation proposal should could let's about shall"
)


def suggestion(text: str) -> Found | None:
    """What an agent wants to do, if the sentence says so."""
    match = first(_SUGGESTS, text)
    if match is None:
        return None
    value, rationale = match["value"].strip(" ."), rationale_of(text)
    return Found(
        "decision:agreed",
        Type.DECISION,
        "decision",
        0.65,
        text=f"Agreed: {value}.",
        value=value,
        rationale=rationale,
        of_project=True,
    )


def agrees(piece: Piece | None) -> bool:
    """Does a person say yes here, and nothing against it?"""
    if piece is None or piece.role is not Role.PERSON:
        return False
    opening = piece.text[:200]
    return bool(_AGREES.match(opening)) and not _BUT.search(opening[:120])


def answers(pieces: tuple[Piece, ...]) -> dict[int, Piece]:
    """For each place in a transcript, who speaks next; tools and the host do not count as speaking."""
    following: dict[int, Piece] = {}
    speaking: Piece | None = None
    for at in range(len(pieces) - 1, -1, -1):
        if speaking is not None:
            following[at] = speaking
        if pieces[at].role in (Role.PERSON, Role.AGENT):
            speaking = pieces[at]
    return following
