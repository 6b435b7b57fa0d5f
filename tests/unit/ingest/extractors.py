"""Extractors that do what a test wants: find, raise, hang, answer nonsense."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from commonplace.errors import UnavailableError
from commonplace.model.proposal import Proposal
from commonplace.model.transcript import Transcript
from commonplace.model.words import Type

NAME = "tests/1"


class Finding:
    """Every line of a piece that says that something `is` something becomes a proposal."""

    name = NAME

    def __init__(self, type: Type = Type.PROJECT, tags: tuple[str, ...] = ()) -> None:
        self.type, self.tags, self.asked = type, tags, 0

    def proposals(self, transcript: Transcript) -> Sequence[Proposal]:
        self.asked += 1
        return [
            Proposal(content=text, type=self.type, kind="fact", start=start, end=start + len(text), confidence=0.7,
                     rule="is", tags=self.tags)
            for piece in transcript.pieces
            for text, start in _lines(piece.text, piece.start)
            if " is " in text or " wants " in text
        ]  # fmt: skip


def _lines(text: str, start: int) -> list[tuple[str, int]]:
    found = []
    for line in text.split("\n"):
        found.append((line, start))
        start += len(line) + 1
    return found


class Raising:
    """Fails so many times, then finds."""

    name = NAME

    def __init__(self, cause: Exception | None = None, times: int = 1_000) -> None:
        self.cause, self.times, self.asked = cause or RuntimeError("boom"), times, 0

    def proposals(self, transcript: Transcript) -> Sequence[Proposal]:
        self.asked += 1
        if self.asked <= self.times:
            raise self.cause
        return Finding().proposals(transcript)


class Hanging:
    """Does not answer until it is let go."""

    name = NAME

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def proposals(self, transcript: Transcript) -> Sequence[Proposal]:
        self.let_go.wait(30)
        return []


class Answering:
    """Answers with whatever it was given."""

    name = NAME

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def proposals(self, transcript: Transcript) -> Sequence[Proposal]:
        return self.answer  # type: ignore[return-value]


def away() -> Raising:
    return Raising(UnavailableError("the model's server does not answer"))
