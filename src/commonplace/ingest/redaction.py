"""Secrets go on the way in: what is kept of a source never held them, and every span still stands where it says."""

from __future__ import annotations

from bisect import bisect_left

import msgspec

from commonplace.guard.secrets import Finding, redact, scan
from commonplace.model.transcript import Piece, Transcript


def without_secrets(found: Transcript) -> Transcript:
    """The transcript with each secret replaced by its kind, and every piece still where it says it is (rows 122, 123)."""
    secrets = scan(found.body)
    title = redact(found.title)[0] if found.title else None
    if not secrets:
        return found if title == found.title else msgspec.structs.replace(found, title=title)
    body, moved = _replaced(found.body, secrets), _Moved(secrets)
    pieces = tuple(piece for one in found.pieces if (piece := _moved(one, moved, body)))
    note = f"{len(secrets)} secrets were redacted" if len(secrets) > 1 else "1 secret was redacted"
    said = f"{found.note}; {note}" if found.note else note
    return msgspec.structs.replace(found, body=body, pieces=pieces, title=title, note=said)


def _moved(piece: Piece, moved: _Moved, body: str) -> Piece | None:
    start, end = moved.place(piece.start, is_end=False), moved.place(piece.end, is_end=True)
    if start >= end:
        return None
    speaker = redact(piece.speaker)[0] if piece.speaker else None
    return Piece(role=piece.role, text=body[start:end], start=start, end=end, speaker=speaker, at=piece.at)


def _replaced(body: str, secrets: list[Finding]) -> str:
    parts: list[str] = []
    done = 0
    for secret in secrets:
        parts += (body[done : secret.start], _stand_in(secret))
        done = secret.end
    return "".join((*parts, body[done:]))


def _stand_in(secret: Finding) -> str:
    return f"[REDACTED:{secret.kind}]"


class _Moved:
    """Where a place in the old text is in the new one. Secrets are in order and none overlaps another."""

    def __init__(self, secrets: list[Finding]) -> None:
        self._starts = [secret.start for secret in secrets]
        self._cuts: list[tuple[int, int, int, int]] = []
        shift = 0
        for secret in secrets:
            length = len(_stand_in(secret))
            self._cuts.append((secret.start, secret.end, length, shift))
            shift += length - (secret.end - secret.start)

    def place(self, at: int, *, is_end: bool) -> int:
        i = bisect_left(self._starts, at) - 1  # the last cut that begins before this place
        if i < 0:
            return at
        start, end, length, shift = self._cuts[i]
        if at >= end:
            return at + shift + length - (end - start)
        return start + shift + (0 if is_end else length)  # inside of it: the piece ends before it, or begins after it
