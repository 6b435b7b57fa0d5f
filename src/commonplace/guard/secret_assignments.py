"""`password: …`, `the token is …`, `<secret>…</secret>` and their kin, in several languages: a keyword, a link, a value.

Keywords are found as plain words, and the one pattern of keyword, link and value is matched only where one stands. The
same value is judged once, however often it occurs.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from re import Match, Pattern

from commonplace.guard import secret_formats as formats
from commonplace.guard.secret_page import Candidate, Page, places
from commonplace.guard.secret_values import compiled, is_chosen, is_generated, is_mixed, is_plain, is_reference

_DENSE = 12  # with a keyword in every so many characters, one search of the whole costs less than asking at each
_GENERIC = 3  # the rank: everything else that finds something here knows more about it


def assignments(page: Page) -> Iterator[Candidate]:
    """Values given to a keyword, in the order of the keywords."""
    wide = [] if page.text.isascii() else _wide_places(page)
    marks = [mark for mark in formats.KEYWORD_MARKS if mark in page.low]
    if not marks and not wide:
        return
    done = 0
    judged: dict[object, int] = {}  # of this text alone: nothing that may be a secret is remembered any longer
    for match in _keywords(page, marks, wide):
        if match.start() >= done:
            chosen = not page.low.startswith(formats.ISSUED, match.start())
            span = _assigned(page, match, chosen, judged)
            if span is not None:
                yield *span, _GENERIC, "password" if chosen else "secret-assignment"
                done = span[1]


def _wide_places(page: Page) -> list[int]:
    """Where a keyword of another language may begin."""
    text = page.text
    if not any(map(text.__contains__, formats.WIDE_MARKS)) and "wachtwoord" not in page.low:
        return []
    lower = text.lower()
    words = [word for word in formats.WIDE_WORDS if word in lower]
    if len(lower) == len(text):
        return [at for word in words for at in places(lower, word)]
    # Some letter has grown, and what follows it has moved.
    return [match.start() for word in words for match in compiled(f"(?i:{word})").finditer(text)]


def _keywords(page: Page, marks: list[str], wide: list[int]) -> Iterator[Match[str]]:
    """Every keyword that something is given to; only the keyword is consumed."""
    pattern = _assignment(bool(wide))
    if (len(wide) + sum(map(page.low.count, marks))) * _DENSE > len(page.text):
        yield from pattern.finditer(page.text)
        return
    done = 0
    for place in sorted([*page.places(*marks), *wide]) if wide else page.places(*marks):
        match = pattern.match(page.text, place) if place >= done else None
        if match:
            done = match.end()
            yield match


@cache
def _assignment(wide: bool) -> Pattern[str]:
    """A keyword, then what links it to a value, then something that may be one; only the keyword is consumed.

    Nothing is taken back (`(?>…)`): the first reading of a keyword and of a link is the one that counts.
    """
    words = formats.KEYWORDS + formats.WIDE_WORDS if wide else formats.KEYWORDS
    firsts = "".join(dict.fromkeys(word[0] + word[0].upper() for word in words))
    link = f"(?P<link>{formats.LINK})|{formats.BESIDE}"
    return compiled(f"[{firsts}](?>{_rests(words)})(?=(?>{link})(?:{formats.VALUE}))")


def _rests(words: Iterable[str]) -> str:
    """What follows the first letter, by the second: a class there tells the engine at once which words it may pass over."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[1], []).append(f"(?<={word[:2]}){word[2:]}")
    # Only in ASCII are a letter and its capital all there is to ignoring its case.
    letters = {second: f"[{second}{second.upper()}]" if second in "aeouw" else f"(?i:{second})" for second in rests}
    return "|".join(f"{letters[second]}(?i:{'|'.join(each)})" for second, each in rests.items())


def _assigned(page: Page, match: Match[str], chosen: bool, judged: dict[object, int]) -> tuple[int, int] | None:
    """Where the value given to a keyword stands, if it is one we should not keep."""
    link, quote, inside, plain, suffix = match.group("link", "quote", "inside", "plain", "suffix")
    asked = plain or inside, chosen, link is not None, quote
    length = judged.get(asked)
    if length == 0 or _is_about_something_else(page, suffix, match.start()):
        return None
    start = match.start("inside" if quote else "plain")
    if length is None:
        length = judged[asked] = _convincing(page, start, *asked)
    return (start, _value_end(page.text, start, start + length, len(asked[0]), quote)) if length else None


def _convincing(page: Page, at: int, found: str, chosen: bool, linked: bool, quote: str | None) -> int:
    """How much of it is a value that somebody drew or chose, and no name, reference or example of one. The cheap questions
    come first."""
    value = found.removesuffix(quote[:-1]) if quote else _trimmed(found)
    start = value if quote else _before_the_next(value)
    # The pattern takes nothing without quotes that is plain; what is left of it may be.
    if (quote or start is not found) and is_plain(start):
        return 0
    if page.stands_in(at, at + len(start)) or is_reference(start, quote is not None):
        return 0
    drawn = is_generated(start) or (chosen and is_chosen(start) and (linked or is_mixed(start)))
    return len(value) if drawn else 0


def _before_the_next(value: str) -> str:
    following = compiled(formats.NEXT).search(value) if "=" in value or ":" in value else None
    return value[: following.start()] if following else value


def _is_about_something_else(page: Page, suffix: str | None, start: int) -> bool:
    """`secretName`, `token_url`, the cursor of a list, or a key that opens nothing."""
    if suffix and _names_something_else(suffix):
        return True
    low = page.low
    if start == 0 or low[start - 1] in "\n\"'":  # nothing stands before it
        return low.startswith("key", start)
    before = low[start - 16 if start > 16 else 0 : start]
    if low.startswith("key", start) and not before[-12:].rstrip(" _-").endswith(formats.KEY_OWNERS):
        return True
    if before.endswith(":"):
        return compiled(formats.IN_AN_ARN).search(page.text, max(start - 16, 0), start) is not None
    return before.rstrip(" _-").endswith(formats.SOMETHING_ELSE_BEFORE)


def _names_something_else(suffix: str) -> bool:
    low = suffix.lower()
    if low.endswith(formats.NOT_THE_VALUE_ENDS) or suffix.endswith(formats.NOT_THE_VALUE_ID):
        return True
    return any(map(low.__contains__, formats.NOT_THE_VALUE))


def _value_end(text: str, start: int, end: int, looked: int, quote: str | None) -> int:
    """Values are judged by their beginning; a longer one is taken whole."""
    if quote:
        closing = text.find(quote, end, end + 4000)
        return closing if closing >= 0 and "\n" not in text[end:closing] else end
    if end < start + looked or looked < formats.JUDGED:
        return end
    rest = compiled(formats.REST_PLAIN).match(text, end)
    return rest.end() if rest else end


def _trimmed(value: str) -> str:
    """Without the punctuation of the sentence, the next query parameter or the next pair of a list."""
    if value.isalnum():
        return value
    cut = compiled(formats.CUT).search(value)
    if cut:
        value = value[: cut.start()]
    return value.rstrip(".,;:)]}\\")
