"""What a statement says, token by token: numbers, dates, times, versions and names are compared as such, and a denial is seen.

Two statements are only ever taken for the same, or for opposed, by what stands in these tokens. Whatever is not understood
stays a word of its own, so that not to understand means not to touch.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from commonplace.ingest.consolidate.wording import JOINING, LIGHT, plain, root

WORD, NAME, NUMBER, DATE, TIME, VERSION, DENIAL = "word", "name", "number", "date", "time", "version", "denial"
VALUES = (NUMBER, DATE, TIME, VERSION)


class Token(NamedTuple):
    """One word or value: what sort it is, the form it is compared by, and how it was written."""

    sort: str
    form: str
    text: str

    @property
    def tells(self) -> bool:
        """Is it a word that says what the statement is about?"""
        return self.sort in (WORD, NAME) and self.form not in _JOINING


_MONTH_TEXT = "january february march april may june july august september october november december"
_MONTHS = _MONTH_TEXT.split()
_MONTH = {
    **{name: n for n, name in enumerate(_MONTHS, 1)},
    **{name[:3]: n for n, name in enumerate(_MONTHS, 1)},
    "sept": 9,
}
_MONTH_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_DAYS = frozenset(f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun"))
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
_NUMBERS = {word: n for n, word in enumerate(_SMALL.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
    "dozen": 12,
}  # fmt: skip
_TIMES_OVER = {"once": 1, "twice": 2, "thrice": 3}
_DENIAL_TEXT = (
    "not no never none nothing nowhere neither nor without cannot nicht kein keine keinen keinem keiner nie niemals pas"
    " jamais nunca"
)
_DENIALS = frozenset(_DENIAL_TEXT.split())
_JOINING = frozenset(map(root, JOINING))

_TOKEN = re.compile(
    rf"""(?xi)
      (?P<name>   https?://\S+ | [\w.-]*[/\\@_][\w./\\@:-]*\w | \w+(?:\.[^\W\d]\w*)+\b )
    | (?P<iso>    \b\d{{4}}-\d{{2}}-\d{{2}}\b )
    | (?P<date>   \b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH_NAMES})\b\.?(?:,?\s+\d{{4}}\b)?
                | \b(?:{_MONTH_NAMES})\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)? )
    | (?P<time>   \b\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s*[ap]\.?m\b\.?)? | \b\d{{1,2}}\s*[ap]\.?m\b\.? )
    | (?P<version>\bv\d+(?:\.\d+)*[\w.-]*\b | \b\d+(?:\.\d+){{2,}}(?:-?[a-z]+\.?\d*)?\b )
    | (?P<number> (?<![\w.])[-−]?[$€£]?\d+(?:,\d{{3}})*(?:\.\d+)?(?:(?:st|nd|rd|th)\b)? )
    | (?P<word>   [^\W\d_]+(?:'[^\W\d_]+)* | \w+ )
    """
)
_PARTS = re.compile(r"\d+|[^\W\d_]+")


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """The text as tokens, in order. Punctuation, case and what a statement can be said without are not among them."""
    written = plain(text)
    found: list[Token] = []
    for match in _TOKEN.finditer(written):
        sort, said = match.lastgroup or WORD, match.group()
        if sort == WORD:
            found += _words(said, is_first=not found or written[: match.start()].rstrip()[-1:] in ".!?:;")
        else:
            found.append(_READ[sort](said))
    return tuple(found)


def _words(text: str, *, is_first: bool) -> list[Token]:
    low = text.casefold()
    if low in LIGHT:
        return []
    if low == "nobody":
        return [Token(DENIAL, "not", text), Token(WORD, "person", text)]
    if low in _TIMES_OVER:
        return [Token(NUMBER, str(_TIMES_OVER[low]), text), Token(WORD, root("times"), text)]
    return [_word(text, low, is_first)]


def _word(text: str, low: str, is_first: bool) -> Token:
    if low in _DENIALS:
        return Token(DENIAL, "not", text)
    if low in _NUMBERS:
        return Token(NUMBER, str(_NUMBERS[low]), text)
    if low.removesuffix("s") in _DAYS:
        return Token(DATE, low.removesuffix("s"), text)
    is_name = text[:1].isupper() and len(text) > 1 and not is_first
    return Token(NAME if is_name else WORD, root(low.removesuffix("'s")), text)


def _name(text: str) -> Token:
    return Token(NAME, text.rstrip(".,;:").casefold(), text)


def _number(text: str) -> Token:
    digits = re.sub(r"[,$€£]|(?:st|nd|rd|th)$", "", text.casefold())
    return Token(NUMBER, digits.replace("−", "-"), text)


def _version(text: str) -> Token:
    return Token(VERSION, text.casefold().removeprefix("v").rstrip("."), text)


def _time(text: str) -> Token:
    parts = [int(part) for part in re.findall(r"\d+", text)]
    is_afternoon, is_morning = (re.search(rf"(?i){half}\.?m", text) for half in "pa")
    if (is_afternoon and parts[0] < 12) or (is_morning and parts[0] == 12):
        parts[0] = (parts[0] + 12) % 24
    return Token(TIME, ":".join(f"{part:02}" for part in (*parts, 0)[: max(2, len(parts))]), text)


def _date(text: str) -> Token:
    parts = _PARTS.findall(text.casefold())
    month = next(_MONTH[part] for part in parts if part in _MONTH)
    numbers = [int(part) for part in parts if part.isdigit()]
    year = f"{numbers[1]:04}-" if len(numbers) > 1 else ""
    return Token(DATE, f"{year}{month:02}-{numbers[0]:02}", text)


def _iso(text: str) -> Token:
    return Token(DATE, text, text)


_READ = {"name": _name, "iso": _iso, "date": _date, "time": _time, "version": _version, "number": _number}


def differ(one: Token, other: Token) -> bool:
    """Are these two values of one sort, and not the same value?"""
    if one.sort != other.sort or one.sort not in VALUES or one.form == other.form:
        return False
    if one.sort == DATE:
        return _dates_differ(one.form, other.form)
    # `3` may be `3.11`, and `9:30` may be `9:30:00`, said with more care.
    parts, others = (re.split("[.:]", token.form) for token in (one, other))
    short = min(len(parts), len(others))
    return parts[:short] != others[:short] and not (one.sort == NUMBER and Decimal(one.form) == Decimal(other.form))


def _dates_differ(one: str, other: str) -> bool:
    """A date without its year may be that date in any year; a day of the week may be any date."""
    if one[0].isdigit() != other[0].isdigit():
        return False
    short = min(len(one), len(other)) if one[0].isdigit() else max(len(one), len(other))
    return one[-short:] != other[-short:]
