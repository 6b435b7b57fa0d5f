"""Standing wishes: `always`, `from now on`, `I prefer`. Who asks for help wants them honoured, though they share no word with it.

"Suggest a dinner" does not hold the word vegetarian; the wish does. So a request for something to be made or advised lifts what
reads like a wish; a question about what was said or done does not. An instruction may say when it is meant: "always name the
units when I ask about distances". Whether a question is such a one is told by these last words, and not by the units.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WISH = re.compile(
    r"""(?xi)\b(?:always|never|whenever|every\ time|each\ time|from\ now\ on|(?:make|be)\ sure\ to|remember\ to)\b
    | \b(?:i|we)\ (?:(?:really|strongly|generally|usually|always)\ )?
      (?:prefer|like|love|hate|dislike|favou?r|(?:want|need)\ you\ to|(?:would|'d)\ (?:rather|like\ you\ to))\b
    | \b(?:i'd\ prefer|my\ preference|prefers?)\b"""
)
_STANDING = re.compile(
    r"""(?xi)\b(?:always|never|please\ don'?t|do\ not|don'?t|make\ sure|be\ sure|remember)\b[^.?!]{0,120}
      \b(?:when(?:ever)?\ (?:i|you|we)|if\ i|every\ time|each\ time|in\ (?:the\ )?future|from\ now\ on|any\ ?time
      |in\ your\ (?:answers|responses|replies))\b
    | \bwhen(?:ever)?\ you\b[^.?!]{0,120}\b(?:always|never|please|make\ sure|be\ sure|remember|do\ not|don'?t)\b
    | \b(?:when(?:ever)?\ i\ (?:ask|mention|request|talk|bring)|from\ now\ on|every\ time\ i|each\ time\ i|any\ ?time\ i)\b"""
)
# Whatever `_STANDING` finds holds one of these. To look for them is ten times cheaper, and most memories hold none.
_STANDING_HINTS = (
    *("when i", "when you", "when we", "whenever", "if i", "every time", "each time", "any time", "anytime"),
    *("future", "from now on", "in your "),
)
_CONDITION = re.compile(
    r"""(?xi)\b(?:when(?:ever)?|every\ time|each\ time|any\ ?time|if)\ (?:i|we|you)
    \ (?:(?:ask|inquire|talk|mention|request|discuss|bring|want|need)\w*\ (?:you\ |me\ |up\ )?(?:(?:about|for|on|to)\ )?)?
    (?P<about>[^.,?!;\n]{3,120})"""
)
LONGEST = 1_200
"""What is as long as this is no instruction and no wish, whatever it holds."""
_READ = 800


def is_instruction(content: str) -> bool:
    """Is it meant for every task to come: "always ... when I ask", "from now on"?"""
    return len(content) < LONGEST and _is_standing(content[:_READ])


@lru_cache(maxsize=2_048)  # the same memories come up again and again
def _is_standing(read: str) -> bool:
    return _may_stand(read) and _STANDING.search(read) is not None


def _may_stand(read: str) -> bool:
    if not read.isascii():
        return True  # other scripts have letters that match these and are none of them
    lowered = read.lower()
    for hint in _STANDING_HINTS:  # noqa: SIM110 - a generator would cost more than what it looks for
        if hint in lowered:
            return True
    return False


def condition_of(content: str) -> tuple[int, int] | None:
    """Where an instruction says when it is meant; None if it is none, or does not say so."""
    found = _CONDITION.search(content, 0, _READ) if is_instruction(content) else None
    return found.span("about") if found else None


def is_wish(content: str) -> bool:
    """Does it read like something that is wanted every time?"""
    return len(content) < LONGEST and bool(_WISH.search(content[:_READ]))
