"""Asking an extractor within a time limit. It may raise, hang or answer nonsense: none of that is more than a failed try."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from commonplace.errors import CommonplaceError
from commonplace.model.proposal import Proposal

if TYPE_CHECKING:
    from commonplace.model.transcript import Transcript
    from commonplace.seam.extractor import Extractor

# More than this from one source is no reading of it but a copy.
_MOST = 2_000
# So many characters in a row that stand in the source too are taken for a quote of it.
_QUOTE = 14


class ExtractionError(Exception):
    """The extractor could not be used. `message` says why, without the content it was about."""

    def __init__(self, message: str, *, is_passing: bool = False) -> None:
        self.message, self.is_passing = message, is_passing
        super().__init__(message)


def proposals_of(extractor: Extractor, transcript: Transcript, seconds: float) -> list[Proposal]:
    """What it proposes, at most `seconds` later. Raises `ExtractionError` for everything else it may do."""
    answer: list[Any] = []
    trouble: list[BaseException] = []

    def ask() -> None:
        try:
            answer.append(_checked(extractor.proposals(transcript)))
        except BaseException as cause:  # noqa: BLE001 - told to whoever waits
            trouble.append(cause)

    # A thread that nobody waits for: one that hangs is left behind, and ends with the process.
    thread = threading.Thread(target=ask, name="commonplace-extract", daemon=True)
    thread.start()
    thread.join(seconds)
    if trouble:
        raise failure_of(trouble[0], transcript.body) from trouble[0]
    if not answer:
        raise ExtractionError(f"the extractor did not answer within {seconds:g} seconds")
    found: list[Proposal] = answer[0]
    return found


def _checked(answer: object) -> list[Proposal]:
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise ExtractionError("the extractor did not answer with proposals")
    found: list[Proposal] = []
    for one in answer:
        if not isinstance(one, Proposal):
            raise ExtractionError("the extractor answered with something that is no proposal")
        found.append(one)
        if len(found) > _MOST:
            raise ExtractionError(f"the extractor proposed more than {_MOST} statements")
    return found


def failure_of(cause: BaseException, body: str | None = None) -> ExtractionError:
    """What went wrong, as it may be kept. Of an error that is not ours only its name, unless it is seen to quote nothing."""
    if isinstance(cause, ExtractionError):
        return cause
    if isinstance(cause, CommonplaceError):
        return ExtractionError(f"{cause.kind}: {cause.message}"[:300], is_passing=cause.kind in _PASSING)
    said = "" if body is None else _harmless(str(cause), body)
    return ExtractionError(f"{type(cause).__name__}: {said}".removesuffix(": "))


# Somebody is away or at it: no fault of the event, and no try of its five.
_PASSING = ("unavailable", "not_searched", "locked")


def _harmless(said: str, body: str) -> str:
    """What a stranger's error says, if it says it shortly and quotes neither a secret nor the source."""
    from commonplace.guard.secrets import has_secret

    line = " ".join(said.split())[:200]
    said_there = " ".join(body.split())
    if has_secret(line) or any(line[at : at + _QUOTE] in said_there for at in range(max(len(line) - _QUOTE + 1, 0))):
        return ""
    return "".join(char if char.isprintable() else "?" for char in line)
