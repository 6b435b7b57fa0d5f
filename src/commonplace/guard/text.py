"""What text may enter, and how it is shown.

Two kinds of text cannot be stored the same way everywhere and are refused: NUL, and surrogates that stand alone. All
other characters are kept as they came. Characters that a reader cannot see, or that reorder what he sees, are found by
`invisible`, written out by `visible` for a terminal, and taken out by `neutralise` before text goes into a prompt.

The same characters are ordinary in some places: the joiner inside an emoji family, the non-joiner inside a Persian
word. There they are left alone, so that normal text in any language passes untouched.
"""

import re
from collections.abc import Callable
from functools import cache

from commonplace.errors import InvalidError

# Zero width, or blank: can split a word (or a secret) without being seen.
HIDDEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# The above, and what a terminal would obey: controls, line separators, halves of surrogate pairs.
_SUSPECT = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff" + HIDDEN[1:]

_EMOJI = "©®‼⁉™ℹ←-⇿⌀-⏿Ⓜ▀-➿⤴⤵⬀-⯿〰〽㊗㊙\U0001f000-\U0001faff"
_JOINING = (
    "\u0600-\u074f\u0750-\u077f\u07c0-\u07ff\u0860-\u08ff\ufb50-\ufdff\ufe70-\ufefc"  # Arabic, Syriac, N'Ko
    "\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1b00-\u1b7f"  # Indic and their neighbours
)
_RIGHT_TO_LEFT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_FLAGS = "|".join("".join(chr(0xE0000 + ord(char)) for char in name) for name in ("gbeng", "gbsct", "gbwls"))

# Where the characters above belong to the writing itself. Each alternative takes the whole ordinary sequence.
_ORDINARY = (
    f"\U0001f3f4(?:{_FLAGS})\U000e007f"
    f"|[{_EMOJI}][\U0001f3fb-\U0001f3ff]?[\ufe0e\ufe0f]?(?:\u200d[{_EMOJI}][\U0001f3fb-\U0001f3ff]?[\ufe0e\ufe0f]?)*"
    "|[0-9#*]\ufe0f\u20e3"
    f"|[{_JOINING}][\u200c\u200d](?![\u200b-\u200f])"
    "|[\u1820-\u18aa][\u180b-\u180f](?![\u180b-\u180f])"
    f"|[{_RIGHT_TO_LEFT}][ !-/:-@]?[\u200e\u200f\u061c](?![\u200b-\u200f])"
    f"|[\u200e\u200f\u061c](?=[ !-/:-@]?[{_RIGHT_TO_LEFT}])"
    "|\r\n"
)

_NAMES = (
    (0x00, 0x1F, "control"),
    (0x7F, 0x9F, "control"),
    (0xAD, 0xAD, "soft hyphen"),
    (0x034F, 0x034F, "grapheme joiner"),
    (0x061C, 0x061C, "direction mark"),
    (0x115F, 0x1160, "hangul filler"),
    (0x17B4, 0x17B5, "zero width"),
    (0x180B, 0x180F, "variation selector"),
    (0x200B, 0x200D, "zero width"),
    (0x200E, 0x200F, "direction mark"),
    (0x2028, 0x2029, "line separator"),
    (0x202A, 0x202E, "direction override"),
    (0x2060, 0x2065, "zero width"),
    (0x2066, 0x2069, "direction isolate"),
    (0x206A, 0x206F, "format control"),
    (0x3164, 0x3164, "hangul filler"),
    (0xD800, 0xDFFF, "lone surrogate"),
    (0xFE00, 0xFE0F, "variation selector"),
    (0xFEFF, 0xFEFF, "zero width"),
    (0xFFA0, 0xFFA0, "hangul filler"),
    (0xE0000, 0xE007F, "tag"),
    (0xE0100, 0xE01EF, "variation selector"),
)


def check_text(field: str, text: str) -> None:
    """Refuse what not every canon can keep: NUL and lone surrogates. Raises InvalidError naming field and position."""
    at = text.find("\0")
    if at >= 0:
        raise _refused(field, at, "a NUL character", "Remove it; a binary file is not text.")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        what = f"half of a surrogate pair (U+{ord(text[error.start]):04X})"
        raise _refused(field, error.start, what, "Decode the text as UTF-8 first, then send it again.") from None


def visible(text: str) -> str:
    """For a person at a terminal: what cannot be seen, or would be obeyed, is written out as `\\u{202e}`."""
    return _replaced(text, lambda char: f"\\u{{{ord(char):x}}}")


def neutralise(text: str) -> str:
    """For a prompt: the model gets what a reader would see. Stray line breaks become a space, the rest is dropped."""
    return _replaced(text, lambda char: " " if char in "\x0b\x0c\r\x85\u2028\u2029" else "")


def invisible(text: str) -> list[tuple[int, str]]:
    """Position and name of each character that `visible` would write out."""
    if not _pattern(_SUSPECT).search(text):
        return []
    return [(match.start("bad"), _name(match["bad"])) for match in _suspicious().finditer(text) if match["bad"]]


def _refused(field: str, at: int, what: str, hint: str) -> InvalidError:
    return InvalidError(f"{field} holds {what} at character {at}", hint=hint, where=f"{field}:{at}")


def _replaced(text: str, write: Callable[[str], str]) -> str:
    if not _pattern(_SUSPECT).search(text):
        return text
    return _suspicious().sub(lambda match: write(match["bad"]) if match["bad"] else match[0], text)


def _name(char: str) -> str:
    code = ord(char)
    return next((name for low, high, name in _NAMES if low <= code <= high), "format control")


def _suspicious() -> re.Pattern[str]:
    """Ordinary sequences first, so that they are stepped over; what is left of the suspects is `bad`."""
    return _pattern(f"{_ORDINARY}|(?P<bad>{_SUSPECT})")


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
