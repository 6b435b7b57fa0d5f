"""Who speaks? A line of a conversation begins with a name and a colon: `Alice: ...`."""

from __future__ import annotations

import re
from functools import lru_cache

_SPEAKER = re.compile(r"[^\W\d_][\w .'-]{0,40}: ")
_LINE = re.compile(rf"(?m)^{_SPEAKER.pattern}")
_FEWEST = 3


@lru_cache(maxsize=16_384)  # the same neighbours come up again and again
def is_spoken(opening: str) -> bool:
    """Does it begin with who speaks?"""
    return _SPEAKER.match(opening) is not None


def is_conversation(content: str) -> bool:
    """Do most of its lines?"""
    lines = sum(1 for line in content.split("\n") if line.strip())
    return lines >= _FEWEST and 2 * len(_LINE.findall(content)) >= lines
