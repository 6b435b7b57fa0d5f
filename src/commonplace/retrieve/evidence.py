"""Evidence: the words that speak for a result, quoted from its source where the memory says where, else from the memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from commonplace.model.record import MemoryRecord
from commonplace.model.result import Evidence
from commonplace.retrieve.passages import Passage, embedded_passages

_SPAN = re.compile(r"#(?:char=)?(\d{1,9})-(\d{1,9})$")
_LONGEST = 240
_WORD = re.compile(r"[^\W_]+")


def span_of(record: MemoryRecord) -> tuple[str, int, int] | None:
    """The source and the stretch of it that a memory cites: `SOURCE#120-180`."""
    for ref in (record.evidence_ref, record.source_ref):
        match = _SPAN.search(ref) if ref and "#" in ref else None
        if ref and match and int(match[1]) < int(match[2]):
            return ref[: match.start()] or (record.source_ref or ""), int(match[1]), int(match[2])
    return None


def evidence_for(
    record: MemoryRecord, words: Sequence[str], passage: int, bodies: Mapping[str, str | None]
) -> Evidence:
    """`bodies` are the texts of the sources that the results cite."""
    ref = record.evidence_ref or record.source_ref
    cited = span_of(record)
    if cited:
        source, start, end = cited
        body = bodies.get(source)
        if body is not None and end <= len(body):
            end = min(end, start + _LONGEST)
            return Evidence(ref=ref, quote=body[start:end], quoted_from="source", start=start, end=end)
    start, end = _telling_stretch(record.content, words, passage)
    return Evidence(ref=ref, quote=record.content[start:end], quoted_from="memory", start=start, end=end)


def _telling_stretch(content: str, words: Sequence[str], passage: int) -> tuple[int, int]:
    """The stretch of the best passage that holds most of the words; its beginning if it holds none."""
    if len(content) <= _LONGEST:
        return 0, len(content)
    parts = embedded_passages(content)
    stems = tuple(word[: max(len(word) - 2, 3)] for word in words)
    start, end = parts[min(passage, len(parts) - 1)]
    if not passage and len(parts) > 1 and stems:  # nothing is known of its meaning: go by the words
        start, end = max(parts, key=lambda part: (_held(content, part, stems), -part.start))
    if end - start <= _LONGEST:
        return start, end
    at = [m.start() for m in _WORD.finditer(content, start, end) if m[0].lower().startswith(stems)] if stems else []
    best = max(at, key=lambda first: (sum(first <= other < first + _LONGEST for other in at), -first), default=start)
    begin = max(_sentence_start(content, start, best), best - 60)
    stop = min(begin + _LONGEST, end)
    return begin, stop if stop == end else _word_end(content, begin, stop)


def _word_end(content: str, begin: int, stop: int) -> int:
    """Where the last whole word ends; text without spaces ends anywhere."""
    found = content.rfind(" ", begin, stop)
    return found if found > begin else stop


def _held(content: str, part: Passage, stems: tuple[str, ...]) -> int:
    lowered = content[part.start : part.end].lower()
    return sum(stem in lowered for stem in stems)


def _sentence_start(content: str, floor: int, at: int) -> int:
    found = (
        content.rfind(mark, floor, at) + len(mark) for mark in (". ", "? ", "! ", "\n") if mark in content[floor:at]
    )
    return max(found, default=floor)
