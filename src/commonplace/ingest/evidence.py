"""Does a proposal really stand where it says? An extractor may be wrong, and a model may make things up."""

from __future__ import annotations

import re
from bisect import bisect_right

from commonplace.model.proposal import Proposal
from commonplace.model.transcript import Piece, Transcript

_WORD = re.compile(r"\w{3,}")
_ENOUGH = 1 / 3
"""So many of its words must stand in the span. A statement in the third person shares fewer words with what was said in the
first than one would think; one that was made up shares hardly any."""
_MOST = 4_000
"""A span is a passage and a statement a sentence or two, neither is a document."""


def stands(transcript: Transcript, proposal: Proposal) -> bool:
    """Its span is in the source, is no more than a passage, and says about what the proposal says."""
    if proposal.end > len(transcript.body) or max(proposal.end - proposal.start, len(proposal.content)) > _MOST:
        return False
    there = _stems(transcript.body[proposal.start : proposal.end])
    said = _stems(proposal.content)
    return bool(said) and len(said & there) >= max(len(said) * _ENOUGH, 1)


def _stems(text: str) -> set[str]:
    """Beginnings of words, so that `prefers` and `prefer` are the same."""
    return {word[:5].casefold() for word in _WORD.findall(text)}


def piece_at(transcript: Transcript, place: int) -> Piece | None:
    """The piece that a place of the body belongs to."""
    number = bisect_right(transcript.pieces, place, key=lambda piece: piece.start) - 1
    return transcript.pieces[number] if number >= 0 and place < transcript.pieces[number].end else None
