"""What a model answered, taken apart and checked: the shape, the quotation, the words, the numbers. What fails is dropped.

A model may invent, misquote, or obey what it reads. So a statement must quote a passage that is there, share its
words, and hold no number that the passage does not hold; what was not said by a person counts less and is tagged with
who said it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from commonplace.errors import UnavailableError
from commonplace.guard.secrets import has_secret
from commonplace.ingest.evidence import stands
from commonplace.model.base import taken_apart
from commonplace.model.proposal import Proposal
from commonplace.model.transcript import Role, Transcript
from commonplace.model.words import Scope, Type

if TYPE_CHECKING:
    from commonplace.ingest.llm import Passage

_LONGEST, _LONGEST_QUOTE, _SHORTEST_QUOTE = 500, 1_000, 12
_MOST_ITEMS = 500
_TRUST = {Role.PERSON: 0.9, Role.AGENT: 0.6, Role.DOCUMENT: 0.6}
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FENCED = re.compile(r"^\s*```(?:json)?\s*\n(.*)\n\s*```\s*$", re.DOTALL)
_KINDS = ("profile", "project", "decision", "artifact", "task_hint")

_TEXT: dict[str, Any] = {"type": "string"}
_PERHAPS: dict[str, Any] = {"type": ["string", "null"]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "statement": _TEXT,
                    "type": {"type": "string", "enum": [*_KINDS]},
                    "kind": _TEXT,
                    "piece": {"type": "integer"},
                    "quote": _TEXT,
                    "confidence": {"type": "number"},
                    "subject": _PERHAPS,
                    "value": _PERHAPS,
                    "rationale": _PERHAPS,
                },
                "required": [
                    "statement", "type", "kind", "piece", "quote", "confidence", "subject", "value", "rationale",
                ],
                "additionalProperties": False,
            },
        }
    },
    "required": ["memories"],
    "additionalProperties": False,
}  # fmt: skip


class Item(msgspec.Struct):
    """One statement of an answer, as it came."""

    statement: str
    type: Literal["profile", "project", "decision", "artifact", "task_hint"]
    quote: str
    kind: str = ""
    piece: int = 0
    confidence: float = 0.5
    subject: str | None = None
    value: str | None = None
    rationale: str | None = None


class _Said(msgspec.Struct):
    memories: list[msgspec.Raw]


def items_of(said: str, failed: Callable[[str], UnavailableError]) -> list[Item]:
    """The statements of an answer that have the shape that was asked for; raises when none of it has."""
    fenced = _FENCED.match(said)
    try:
        told = msgspec.json.decode(fenced[1] if fenced else said, type=taken_apart(_Said)).memories[:_MOST_ITEMS]
    except (msgspec.MsgspecError, RecursionError):
        raise failed("its answer is not the JSON that was asked for") from None
    items = [item for raw in told if (item := _item(raw))]
    if told and not items:
        raise failed("none of its statements has the shape that was asked for")
    return items


def _item(raw: msgspec.Raw) -> Item | None:
    try:
        return msgspec.json.decode(raw, type=taken_apart(Item))
    except (msgspec.MsgspecError, RecursionError):
        return None


def proposal_of(item: Item, part: Sequence[Passage], transcript: Transcript, rule: str) -> Proposal | None:
    """The proposal that an item makes; None if the source does not bear it out."""
    content = " ".join(item.statement.split())
    cited = _cited(item, part, transcript.body)
    if cited is None or not _is_fit(content, [item.rationale, item.subject, item.value, item.kind]):
        return None
    passage, start, end = cited
    role = passage.piece.role
    if not _numbers(content) <= _numbers(transcript.body[passage.start : passage.end]):
        return None
    sure = min(max(item.confidence, 0.0), 1.0) if item.confidence == item.confidence else 0.0
    made = Proposal(
        content=content,
        type=Type(item.type),
        kind=_short(item.kind, 40) or "note",
        start=start,
        end=end,
        confidence=round(sure * _TRUST[role], 2),
        rule=rule,
        scope=Scope.GLOBAL if item.type == "profile" else None,
        rationale=_short(item.rationale, 1_000),
        tags=() if role is Role.PERSON else (f"said-by-{role}",),
        subject=_short(item.subject, 200),
        value=_short(item.value, 200),
        observed_at=passage.piece.at or transcript.observed_at,
    )
    return made if stands(transcript, made) else None


def _cited(item: Item, part: Sequence[Passage], body: str) -> tuple[Passage, int, int] | None:
    """Where the quotation stands: in the passage it names, else in any other that was sent. Spaces may differ."""
    words = item.quote.split()
    if not _SHORTEST_QUOTE <= len(item.quote) <= _LONGEST_QUOTE or len(words) < 3:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    named = [part[item.piece]] if 0 <= item.piece < len(part) else []
    for passage in (*named, *part):
        if found := pattern.search(body, passage.start, passage.end):
            return passage, found.start(), found.end()
    return None


def _is_fit(content: str, others: Sequence[str | None]) -> bool:
    if not 8 <= len(content) <= _LONGEST or content.endswith("?"):
        return False
    return not any(text and has_secret(text) for text in (content, *others))


def _numbers(text: str) -> set[str]:
    return {*_NUMBER.findall(text)}


def _short(text: str | None, most: int) -> str | None:
    return " ".join(text.split())[:most] or None if text else None
