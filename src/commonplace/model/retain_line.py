"""A retain line: `W` a fact, `B` what happened, `O(c=0.9)` an opinion, `N` what is next; `@Entity` says of whom (V43).

Only what the line says of itself is read out of it. The words stay as they are: they are the memory.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from commonplace.model.words import Type

_PREFIX = re.compile(r"\s*(?:[-*] +)?(?P<sort>[WBON])(?:\(\s*c\s*=\s*(?P<sure>\d{0,3}\.?\d{1,9})\s*\))?(?=[\s:@]|$)")
_ENTITY = re.compile(r"(?<![\w@])@([^\W\d_][\w./-]{0,60}\w|[^\W\d_])")
_SORTS = {
    "W": (Type.PROJECT, "fact"),
    "B": (Type.PROJECT, "event"),
    "O": (Type.PROJECT, "opinion"),
    "N": (Type.TASK_HINT, "open-loop"),
}
_MOST_ENTITIES = 16


class RetainLine(NamedTuple):
    type: Type
    kind: str
    confidence: float | None
    """As the line gives it; None if it gives none, or one that is no chance."""
    entities: tuple[str, ...]
    """In small letters: `@Peter` and `@peter` are one."""


def understand_line(text: str) -> RetainLine:
    """What a retain line says of itself. A line without a prefix is a fact."""
    match = _PREFIX.match(text)
    type, kind = _SORTS[match["sort"]] if match else _SORTS["W"]
    sure = float(match["sure"]) if match and match["sure"] else None
    entities = dict.fromkeys(name.lower() for name in _ENTITY.findall(text))
    return RetainLine(
        type, kind, sure if sure is not None and 0 <= sure <= 1 else None, tuple(entities)[:_MOST_ENTITIES]
    )
