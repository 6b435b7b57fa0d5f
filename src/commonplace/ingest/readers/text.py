"""Plain text: kept as it is. Lines that begin with a name and a colon are turns of a conversation, if they look like one.

Anybody can write `User:` at the beginning of a line, so a speaker read from plain text is a guess; what hangs on it is
never more than whether something waits in the inbox as extracted or as external.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.turns import moment_of, role_of
from commonplace.model.transcript import Piece, Role, Transcript

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_WORD = r"[\w.'\u2019-]{0,30}"
# It begins with the line end before the line, because a search for that leaps from line to line; `^` would look everywhere.
_SPEAKER = re.compile(
    r"\n[ \t]{0,3}(?:\[?(?P<at>\d{4}-\d\d-\d\d[T ][0-9:.]{5,15}(?:Z|[+-]\d\d:?\d\d)?)\]?[ \t]+)?(?:\*\*)?"
    rf"(?P<name>[A-Za-z\u00c0-\u024f]{_WORD}(?: [A-Z]{_WORD}){{0,2}})"
    r"(?:\*\*)?[ \t]*:(?:\*\*)?(?=[ \t\n]|\Z)[ \t]*"
)
# Words that stand before a colon without anybody speaking.
_NO_SPEAKERS = """
action actions alternatives answer author background because body bug cause cc comment conclusion content context cost
date decided decision decisions deadline description due e-mail email error evidence example fact fix from goal goals
hint how http https idea important info input issue item kind link list location message name next note notes open
output owner phone plan preference problem procedure purpose question rationale re reason remember result risk risks
scope solution source status step steps subject summary tags tip title to todo topic type update url usage version
warning what when where who why b n o s w
"""
_LABELS = frozenset(_NO_SPEAKERS.split())


_Line = tuple[str, str | None, int, int]
"""A line that somebody's turn may begin on: the name, the moment, where the line begins and where what is said does."""


def read(material: Material) -> Transcript:
    text = material.text.strip("\n")
    spoken = _conversation(text)
    if spoken:
        pieces = tuple(_pieces(text, spoken))
        moments = [piece.at for piece in pieces if piece.at]
        return Transcript(format="text", body=text, pieces=pieces, observed_at=moments[0] if moments else None)
    return Transcript(format="text", body=text, pieces=paragraphs(text))


def paragraphs(text: str) -> tuple[Piece, ...]:
    """Blocks between blank lines, of which nobody is known to have said them."""
    return tuple(
        Piece(role=Role.DOCUMENT, text=found[0], start=found.start(), end=found.end())
        for found in _PARAGRAPH.finditer(text)
    )


def _conversation(text: str) -> list[_Line]:
    """The lines on which turns begin; none if it does not look like a conversation."""
    matches = _SPEAKER.finditer("\n" + text)
    lines: list[_Line] = [(match[2], match[1], match.start(), match.end() - 1) for match in matches]
    speaks = {name: _may_speak(name) for name in {line[0] for line in lines}}
    found = [line for line in lines if speaks[line[0]]]
    if not found or text[: found[0][2]].strip():
        return []
    names = {line[0] for line in found}
    return found if len(names) > 1 or any(map(role_of, names)) else []


def _may_speak(name: str) -> bool:
    return name.lower() not in _LABELS and (name[0].isupper() or role_of(name) is not None)


def _pieces(text: str, spoken: list[_Line]) -> Iterator[Piece]:
    roles = {name: role_of(name) or Role.PERSON for name in {line[0] for line in spoken}}
    ends = [line[2] for line in spoken[1:]] + [len(text)]
    for (name, at, _, start), end in zip(spoken, ends, strict=True):
        said = text[start:end].rstrip()
        if said:
            moment = moment_of(at) if at else None
            yield Piece(role=roles[name], text=said, start=start, end=start + len(said), speaker=name, at=moment)
