"""`LlmExtractor`: a chat model reads the source. Its answer is untrusted data; what it cannot quote from the source is dropped.

A source is read in parts that fit a request. What was answered for a part is kept for a while, so that a try which
ran out of time goes on where it stopped. Nothing hidden is sent: no injected memory, no tool output, no code, and
secrets only as the word that one was there.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import msgspec

from commonplace.errors import UnavailableError
from commonplace.guard.secrets import redact
from commonplace.ingest.llm_answers import SCHEMA, Item, items_of, proposal_of
from commonplace.ingest.rules.extractor import MOST
from commonplace.ingest.rules.hidden import hidden_ranges, visible_parts
from commonplace.model.fingerprint import fingerprint
from commonplace.model.proposal import Proposal
from commonplace.model.transcript import Piece, Role, Transcript

PROMPT = "extract-1"
_READ = (Role.PERSON, Role.AGENT, Role.DOCUMENT)
_PARTS_KEPT = 256


class Chat(Protocol):
    """What is asked of a model: one answer to one material. Raises `UnavailableError`."""

    @property
    def name(self) -> str: ...

    def ask(self, instructions: str, material: str, schema: Mapping[str, Any], seconds: float) -> str: ...

    def failed(self, why: str) -> UnavailableError: ...


class Passage(NamedTuple):
    """A stretch of a piece that may be read."""

    piece: Piece
    start: int
    end: int


class LlmExtractor:
    """See `seam.extractor.Extractor`."""

    def __init__(self, chat: Chat, *, max_chars: int = 40_000, most: int = MOST, timeout: float = 100.0) -> None:
        self._chat, self._max_chars, self._most, self._timeout = chat, max_chars, most, timeout
        self._answered: OrderedDict[str, list[Item]] = OrderedDict()

    @property
    def name(self) -> str:
        """The model, the prompt and its hash: another prompt is another extractor."""
        return f"llm/{self._chat.name}/{PROMPT}/{sha256(self._prompt.encode()).hexdigest()[:8]}"

    @cached_property
    def _prompt(self) -> str:
        from importlib.resources import files

        return files("commonplace.ingest").joinpath("prompts", f"{PROMPT}.txt").read_text(encoding="utf-8")

    def proposals(self, transcript: Transcript) -> tuple[Proposal, ...]:
        """What the model finds and the source holds, the surest first."""
        until = time.monotonic() + self._timeout
        best: dict[str, Proposal] = {}
        for part in _parts(_passages(transcript), self._max_chars):
            for item in self._items(part, transcript.body, until):
                made = proposal_of(item, part, transcript, f"llm:{PROMPT}")
                key = fingerprint(made.content) if made else ""
                if made and (key not in best or best[key].confidence < made.confidence):
                    best[key] = made
        return tuple(sorted(best.values(), key=lambda one: (-one.confidence, one.start, one.content))[: self._most])

    def _items(self, part: list[Passage], body: str, until: float) -> list[Item]:
        material = _material(part, body)
        key = sha256(material.encode("utf-8", "replace")).hexdigest()
        if key not in self._answered:
            left = until - time.monotonic()
            if left <= 0:
                raise self._chat.failed("the time for this source is up; the next try goes on from here")
            said = self._chat.ask(self._prompt, material, SCHEMA, left)
            self._answered[key] = items_of(said, self._chat.failed)
        self._answered.move_to_end(key)
        while len(self._answered) > _PARTS_KEPT:
            self._answered.popitem(last=False)
        return self._answered[key]


def _passages(transcript: Transcript) -> Iterator[Passage]:
    pieces = [piece for piece in transcript.pieces if transcript.body[piece.start : piece.end] == piece.text]
    hidden = hidden_ranges(transcript.body, pieces)
    for piece in pieces:
        if piece.role in _READ:
            for start, end in visible_parts(piece.start, piece.end, hidden):
                if transcript.body[start:end].strip():
                    yield Passage(piece, start, end)


def _parts(passages: Iterator[Passage], max_chars: int) -> Iterator[list[Passage]]:
    """As many passages together as fit a request; one that is too long alone is cut."""
    part: list[Passage] = []
    size = 0
    for passage in passages:
        for start in range(passage.start, passage.end, max_chars):
            cut = passage._replace(start=start, end=min(start + max_chars, passage.end))
            if part and size + cut.end - cut.start > max_chars:
                yield part
                part, size = [], 0
            part.append(cut)
            size += cut.end - cut.start
    if part:
        yield part


def _material(part: list[Passage], body: str) -> str:
    """The passages as JSON: where one ends and the next begins, and who speaks, cannot be forged by what they say."""
    told = [
        {
            "piece": number,
            "role": str(passage.piece.role),
            "speaker": passage.piece.speaker,
            "at": passage.piece.at.isoformat() if passage.piece.at else None,
            "text": redact(body[passage.start : passage.end].encode("utf-8", "replace").decode())[0],
        }
        for number, passage in enumerate(part)
    ]
    return msgspec.json.encode({"pieces": told}).decode()
