"""Small transcripts for these tests: who says what, one below the other."""

from __future__ import annotations

from datetime import UTC, datetime

from commonplace.ingest.rules.extractor import RuleExtractor
from commonplace.model.proposal import Proposal
from commonplace.model.transcript import Piece, Role, Transcript

AT = datetime(2026, 5, 3, 12, tzinfo=UTC)
P, A, D, TOOL, SYSTEM = Role.PERSON, Role.AGENT, Role.DOCUMENT, Role.TOOL, Role.SYSTEM


def transcript(*turns: tuple[Role, str | None, str]) -> Transcript:
    body, pieces = "", []
    for role, speaker, text in turns:
        body += f"{speaker or role}: "
        pieces.append(Piece(role=role, text=text, start=len(body), end=len(body) + len(text), speaker=speaker, at=AT))
        body += f"{text}\n\n"
    return Transcript(format="test", body=body, pieces=tuple(pieces), observed_at=AT)


def found(*turns: tuple[Role, str | None, str], most: int = 60) -> tuple[Proposal, ...]:
    return RuleExtractor(most).proposals(transcript(*turns))


def said(text: str, role: Role = P, speaker: str | None = None) -> tuple[Proposal, ...]:
    return found((role, speaker, text))


def only(text: str, role: Role = P, speaker: str | None = None) -> Proposal:
    (one,) = said(text, role, speaker)
    return one
