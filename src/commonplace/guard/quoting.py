"""Stored text on one line of a prompt, where it can be taken for nothing but text (rows 109, 110, 115, 117).

What a reader would not see is dropped, line breaks become spaces, and whatever looks like the frame around the text is
bent a little: `</memory>` becomes `‹/memory>`, three backquotes become three quotes, a line that begins `system:` begins
`(system)`. Ordinary code and prose in any language stay as they are: `a < b`, `Vec<T>`, `operating system: Debian`.
"""

import re
from functools import cache

from commonplace.guard.text import neutralise

# Names of frames that models were taught to obey, and of our own.
_FRAMES = (
    "memory|memories|commonplace|system|user|assistant|human|developer|tool|tools|function|functions|function_calls|invoke"
    "|instruction|instructions|prompt|context|sys|inst|im_start|im_end|im_sep|start_of_turn|end_of_turn|thinking|antml"
)
_ROLES = "system|user|assistant|human|developer|tool|function|ai|model|instruction|instructions"
_LEFT, _RIGHT, _BAR = "[<＜﹤]", "[>＞﹥]", "[|｜]"

_ESCAPES = r"\x1b\[[0-?]{0,16}[ -/]{0,4}[@-~]"  # what a terminal would obey goes whole, not only its first character
_MARKS = "[\u200e\u200f\u061c]"
# A direction mark is ordinary beside right-to-left words, but beside punctuation it may also hide a frame.
_HIDING = rf"(?<=[!-/:-@\[-`{{-~]){_MARKS}|{_MARKS}(?=[!-/:-@\[-`{{-~])"
_OPENS = rf"{_LEFT}(?=\s?[/|!?／｜]|\s?(?:{_FRAMES})\b)"
_CLOSES = rf"(?<=[|｜]){_RIGHT}"
_BRACKETS = rf"[\[［](\s?/?\s?(?:{_FRAMES})\b[^\]］]{{0,20}})[\]］]"
# Where a role may begin to speak: at the start of a line or behind the end of a sentence, not in the middle of one.
_SPEAKS = rf"(?:^|(?<=[.!?;:|>\])}}\"'`*#_。！？；：｜＞﹥］）｝｀-]))([ *#_>-]{{0,8}})({_ROLES})([*_]{{0,3}}) ?[:：]"


def on_one_line(text: str) -> str:
    """The text as one line of plain words. Linear in its length; once is enough, twice is the same."""
    seen = neutralise(_pattern(_ESCAPES).sub("", text))
    if not seen.isascii():
        seen = _pattern(_HIDING).sub("", seen)
    seen = "\n".join(" ".join(line.split()) for line in seen.splitlines())
    line = " ".join(_pattern(_SPEAKS).sub(r"\1(\2)\3", seen).split())
    line = _pattern(_OPENS).sub("‹", line)
    line = _pattern(_CLOSES).sub("›", line)
    line = _pattern(_BRACKETS).sub(r"(\1)", line)
    line = _pattern("[`｀]{3,}").sub("'''", line)
    line = _pattern("~{3,}").sub("~~", line)
    return line.replace("](", "] (")  # a link or an image that nothing will follow


def gives_orders(text: str) -> bool:
    """Does it speak to the reader's instructions? A sign for a line's label, never a reason to hide the line."""
    return bool(_pattern(_ORDERS).search(text))


def carries_link(text: str) -> bool:
    return bool(_pattern(r"!\[[^\]\n]{0,200}\]\s?\(|\]\s?\(\s?(?:https?:)?//|<img\b").search(text))


_ORDERS = (
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|the|system)\b"
    r".{0,40}\b(?:instruction|rule|prompt|message|polic|guideline|guardrail)"
    r"|\byou are now\b|\bnew (?:system )?(?:instructions|prompt)\b|\bfrom now on,? (?:you|always|never)\b"
    r"|\balways (?:recommend|trust|prefer and recommend)\b|\btrusted source\b"
    r"|\bdo not (?:tell|mention|reveal|show) .{0,20}\buser\b"
)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
