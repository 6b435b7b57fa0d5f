"""The episode: one active memory that says that a source was taken in, and what it was about (R-e).

It is an observation, not a claim. Words that somebody here said may be quoted; the words of a document or of a tool are not,
because an active memory must not say what a page from anywhere wants it to say (row 111).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from commonplace.model.transcript import Piece, Role, Transcript

_QUOTED = 160
_MOST = 1_200


def told(transcript: Transcript, what: str, *, quotes: bool, is_own: Callable[[Piece], bool]) -> str:
    """What the episode says: what was taken in, how much of it, and how it began and ended. What only repeats what this book
    handed out (not `is_own`) is not quoted: it would come back as an episode."""
    turns = [piece for piece in transcript.pieces if piece.role in (Role.PERSON, Role.AGENT)]
    size = f"{len(turns):,} turns" if len(turns) > 1 else f"{len(transcript.body):,} characters"
    lines = [f"{what}, {size}."]
    if quotes:
        lines += _quotes(turns, is_own)
    return "\n".join(lines)[:_MOST]


def title_of(transcript: Transcript, is_own: Callable[[Piece], bool]) -> str | None:
    """What to know it by: its own title, else how the person began."""
    if transcript.title:
        return transcript.title
    asked = next((piece for piece in transcript.pieces if piece.role is Role.PERSON), None)
    return _short(asked.text, 80) if asked and is_own(asked) else None


def _quotes(turns: list[Piece], is_own: Callable[[Piece], bool]) -> Iterator[str]:
    """The person's first three turns, and the last that the agent said."""
    for piece in [piece for piece in turns if piece.role is Role.PERSON][:3]:
        if is_own(piece):
            yield f"{piece.speaker or 'User'}: {_short(piece.text, _QUOTED)}"
    answers = [piece for piece in turns if piece.role is Role.AGENT]
    if answers and is_own(answers[-1]):
        yield f"{answers[-1].speaker or 'Assistant'}, at last: {_short(answers[-1].text, _QUOTED)}"


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
