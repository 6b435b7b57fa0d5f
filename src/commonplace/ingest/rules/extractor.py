"""`RuleExtractor`: sentences, families, proposals. Deterministic, in linear time, no model, no network.

A sentence gives at most one proposal: the first family that knows it, in the order from the most explicit to the
vaguest. What is said by an agent, in a document or by a tool counts less, and is tagged with who said it; trust is
decided elsewhere, by the channel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from commonplace.guard.secrets import has_secret
from commonplace.ingest.rules import (
    conventions,
    decisions,
    events,
    explicit,
    facts,
    open_loops,
    preferences,
    procedures,
    retain_lines,
    suggestions,
)
from commonplace.ingest.rules.found import Found, Words, words_of
from commonplace.ingest.rules.hidden import Range, hidden_ranges
from commonplace.ingest.rules.sentences import Sentence, sentences_of
from commonplace.ingest.rules.speakers import self_contained, who
from commonplace.ingest.rules.statements import is_code, is_statement, leans
from commonplace.ingest.rules.suggestions import agrees, answers, suggestion
from commonplace.ingest.rules.weighing import LEAST, weighed
from commonplace.model.fingerprint import fingerprint
from commonplace.model.proposal import Proposal
from commonplace.model.transcript import Piece, Role, Transcript
from commonplace.model.words import Scope, Type

VERSION = "rules/1"
MOST = 60
"""Proposals from one source: what a person may be asked to look over after a long session. The strongest are kept."""

_SUBJECT_CHARS, _PAIR_CHARS = 200, 1_000
_FIXED_WHAT = re.compile(
    r"(?i)(?:(?:i|we) )?(?:fixed|solved|resolved) (?:it |this |that )?(?:by|with|via)\b|(?:the )?(?:fix|solution)\b"
)
_FIXES = ("procedure:fixed-by", "procedure:cause")


class _Context(NamedTuple):
    """What one sentence may need to know of the others around it."""

    before: Sentence | None
    after: Sentence | None
    answer: Piece | None


class RuleExtractor:
    """See `seam.extractor.Extractor`."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most

    @property
    def name(self) -> str:
        return VERSION

    def proposals(self, transcript: Transcript) -> tuple[Proposal, ...]:
        """What the transcript states, the surest first; what stands in it twice is proposed once."""
        best: dict[str, Proposal] = {}
        for made in _all(transcript):
            key = fingerprint(made.content)
            if key not in best or best[key].confidence < made.confidence:
                best[key] = made
        return tuple(sorted(best.values(), key=lambda one: (-one.confidence, one.start))[: self._most])


def _all(transcript: Transcript) -> Iterator[Proposal]:
    body = transcript.body
    pieces = tuple(piece for piece in transcript.pieces if body[piece.start : piece.end] == piece.text)
    hidden, following = hidden_ranges(body, pieces), answers(pieces)
    heard: set[str] = set()
    for at, piece in enumerate(pieces):
        if piece.role is not Role.SYSTEM:
            yield from _of_piece(piece, transcript, hidden, following.get(at), heard)


def _of_piece(
    piece: Piece, transcript: Transcript, hidden: list[Range], answer: Piece | None, heard: set[str]
) -> Iterator[Proposal]:
    """The proposals of one piece. A sentence that gave one is not read again: agents repeat whole passages."""
    before: Sentence | None = None
    sentences = [*sentences_of(piece, transcript.body, hidden)]
    for at, sentence in enumerate(sentences):
        after = sentences[at + 1] if at + 1 < len(sentences) else None
        key = f"{piece.role} {piece.speaker} {sentence.text}"
        made = None if key in heard else _proposal(sentence, _Context(before, after, answer), transcript)
        if made is not None:
            heard.add(key)
            yield made
        before = sentence


def _proposal(sentence: Sentence, context: _Context, transcript: Transcript) -> Proposal | None:
    found = _found(sentence, context)
    if found is None:
        return None
    confidence = weighed(found, sentence)
    if confidence < LEAST and not found.rule.startswith("retain:"):  # somebody wrote that line to be kept
        return None
    start, content, rationale = sentence.start, _content(found, sentence), found.rationale
    end = sentence.end
    if found.rule in _FIXES and context.before and _is_pair(context.before, sentence):
        start, content = context.before.start, _pair(context.before, sentence)
    elif found.rule == "procedure:fixed-by" and _FIXED_WHAT.match(sentence.text):
        return None  # what was fixed is not said
    elif leans(found.text or sentence.text) and found.rule != "explicit":
        return None
    if found.type is Type.DECISION and rationale is None and context.after and decisions.explains(context.after.text):
        rationale, end = context.after.text, context.after.end
    if has_secret(content) or (rationale and has_secret(rationale)):
        return None
    return Proposal(
        content=content,
        type=found.type,
        kind=found.kind,
        start=start,
        end=end,
        confidence=round(confidence, 2),
        rule=found.rule,
        scope=Scope.GLOBAL if found.type is Type.PROFILE else None,
        rationale=rationale,
        tags=(*found.tags, *_said_by(sentence.piece.role)),
        subject=_short(found.subject.replace("{who}", who(sentence.piece)) if found.subject else None),
        value=_short(found.value),
        observed_at=sentence.piece.at or transcript.observed_at,
    )


def _found(sentence: Sentence, context: _Context) -> Found | None:
    """What the first family that knows this sentence says of it."""
    text, role = " ".join(sentence.text.split()), sentence.piece.role
    words = words_of(text)
    if role is not Role.TOOL and (found := retain_lines.find(sentence, text)):
        return found
    if words & explicit.NEEDS and (found := explicit.find(text, role)) and not is_code(text):
        return _refined(found, role)
    if role is Role.TOOL or sentence.box in ("x", "X") or text.endswith("?"):
        return None
    if (sentence.box or words & open_loops.NEEDS) and (found := open_loops.find(sentence, text)):
        return found if len(text) >= 12 and not is_code(text) else None
    found = _conditional(text, role) or (
        _agent(text, words, context) if role is Role.AGENT else _stated(text, role, words)
    )
    return found if found and (found.rule in _CONDITIONAL or is_statement(sentence)) else None


_CONDITIONAL = ("procedure:when-it-fails", "procedure:to-do")


def _conditional(text: str, role: Role) -> Found | None:
    """`If the build fails, run …` begins like a musing and is none. An agent explains much: it must name the command."""
    if role is Role.AGENT and "`" not in text:
        return None
    found = procedures.find(text) if text[:3].lower() in ("if ", "whe", "to ", "in ") else None
    return found if found and found.rule in _CONDITIONAL else None


def _stated(text: str, role: Role, words: Words) -> Found | None:
    """What a person or a document says; a document has no `I`, and nothing happens to it."""
    found = decisions.find(text) if words & decisions.NEEDS else None
    found = found or (conventions.find(text, role) if words & conventions.NEEDS else None)
    found = found or (preferences.find(text, role) if words & preferences.NEEDS else None)
    found = found or (procedures.find(text) if words & procedures.NEEDS else None)
    found = found or facts.find(text, role, words)
    return found or (events.find(text) if role is Role.PERSON and words & events.NEEDS else None)


def _agent(text: str, words: Words, context: _Context) -> Found | None:
    """An agent's word: of the work, of the user; what it merely suggests only if a person agrees."""
    found = suggestion(text) if words & suggestions.NEEDS else None
    if found := found or (decisions.find(text) if words & decisions.NEEDS else None):
        return found._replace(rule="decision:agreed") if agrees(context.answer) else None
    found = preferences.find(text, Role.AGENT) if words & preferences.NEEDS else None
    found = found or (procedures.find(text) if words & procedures.NEEDS else None)
    return found or facts.find(text, Role.AGENT, words)


def _refined(found: Found, role: Role) -> Found:
    """What is to be remembered is a statement too; if a family knows it, its type and kind are better than `note`."""
    inner = _stated(found.text, role, words_of(found.text)) if found.text else None
    if inner is None:
        return found
    sure = max(found.confidence, inner.confidence)
    return inner._replace(rule=f"explicit:{inner.rule}", confidence=sure, text=found.text)


def _content(found: Found, sentence: Sentence) -> str:
    role = sentence.piece.role
    if role is not Role.PERSON and (found.rule == "explicit" or (found.rule in _HEARSAY and role is not Role.AGENT)):
        return f"{_ORIGINS[role]} says: {' '.join(sentence.text.split())}"
    if role is not Role.PERSON or found.rule.startswith("retain:"):
        return _whole(found.text or sentence.text)
    if found.rule == "event:elliptic":
        return _whole(f"{who(sentence.piece)} said: {sentence.text}")
    return self_contained(found.text or sentence.text, who(sentence.piece), of_project=found.of_project)


_HEARSAY = ("preference:of-user",)
_ORIGINS = {Role.AGENT: "An agent", Role.DOCUMENT: "A document", Role.TOOL: "A tool's output", Role.SYSTEM: "A host"}


def _whole(text: str) -> str:
    said = " ".join(text.replace("**", "").split())
    return said[:1].upper() + said[1:]


def _pair(before: Sentence, fix: Sentence) -> str:
    """What went wrong and what helped, as one sentence."""
    said = fix.text[:1].lower() + fix.text[1:] if fix.text[1:2].islower() else fix.text
    return _whole(f"{before.text.rstrip('.!: ')}; {said}")


def _is_pair(before: Sentence, fix: Sentence) -> bool:
    return procedures.is_failure(before.text) and fix.end - before.start <= _PAIR_CHARS


def _said_by(role: Role) -> tuple[str, ...]:
    return () if role is Role.PERSON else (f"said-by-{role}",)


def _short(text: str | None) -> str | None:
    return text[:_SUBJECT_CHARS].strip() or None if text else None
