"""Secrets that only their surroundings give away: key blocks, URL logins, headers, commands, assignments.

Each finder starts from a literal mark, looks a bounded distance around it and lets `secret_values` judge the value, so
the work stays linear however the text is built. The span reported is the value alone: the note around it stays useful.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from re import Match, Pattern

from commonplace.guard import secret_formats as formats
from commonplace.guard.secret_values import (
    compiled,
    is_chosen,
    is_encoded,
    is_generated,
    is_mixed,
    is_plain,
    is_reference,
    is_stand_in,
)

Candidate = tuple[int, str, int, int]

# Issued tokens have rank 1; a block swallows whatever it contains, the rest yields to a format that knows more.
_BLOCK, _NAMED, _GENERIC = 0, 2, 3


def in_context(text: str) -> Iterator[Candidate]:
    """What the surroundings of a value give away."""
    lower = text.lower()
    for rank, kind, spans in _finders(text, lower):
        for span in spans:
            yield rank, kind, *span
    wide = not text.isascii() and any(map(lower.__contains__, formats.WIDE_WORDS))
    if wide or any(map(lower.__contains__, formats.KEYWORD_MARKS)) or _has_abbreviation(lower):
        yield from _assignments(text, wide)


def _has_abbreviation(lower: str) -> bool:
    """`pw` and `pwd`; the two letters alone also stand in the middle of words."""
    return "pw" in lower and compiled(formats.ABBREVIATION).search(lower) is not None


def _finders(text: str, lower: str) -> Iterator[tuple[int, str, Iterable[tuple[int, int]]]]:
    """Those that have something to look for here."""
    if "PRIVATE KEY" in text or "Private-Lines" in text:
        yield _BLOCK, "private-key", _key_blocks(text)
    if "://" in text and "@" in text:
        yield _NAMED, "url-credentials", _url_logins(text)
    if "bearer" in lower or "authorization" in lower:
        yield _NAMED, "authorization-header", _headers(text)
    if "curl" in lower or "login" in lower:
        yield _NAMED, "command-password", _commands(text, lower)
    if "cookie" in lower:
        yield _NAMED, "session-cookie", _cookies(text)
    if "mailgun" in lower:
        yield _NAMED, "mailgun-key", (match.span() for match in compiled(formats.MAILGUN).finditer(text))
    if "aws" in lower or "access" in lower or "AKIA" in text:
        yield _NAMED, "aws-secret-key", _aws_secrets(text)


def _key_blocks(text: str) -> Iterator[tuple[int, int]]:
    """From BEGIN to END, or to where the key material stops when there is no END."""
    begin: Match[str] | None = None
    for mark in compiled(formats.PRIVATE_KEY_MARK).finditer(text):
        if begin is not None:
            end = mark.end() if mark[1] == "END" else mark.start()
            yield from _key_block(text, begin, end)
        begin = mark if mark[1] == "BEGIN" else None
    if begin is not None:
        yield from _key_block(text, begin, len(text))
    for match in compiled(formats.PUTTY_KEY).finditer(text):
        yield match.span(1)


def _key_block(text: str, begin: Match[str], end: int) -> Iterator[tuple[int, int]]:
    material = None
    for material in compiled(formats.KEY_MATERIAL).finditer(text, begin.end(), end):
        if material.start() - begin.end() > 400:  # headers such as `Proc-Type` are shorter than that
            break
    if material is not None and "..." not in text[begin.end() : begin.end() + 8]:
        closed = text.startswith("-----", end - 5)
        yield begin.start(), end if closed else material.end()


def _url_logins(text: str) -> Iterator[tuple[int, int]]:
    for match in compiled(formats.URL_CREDENTIALS).finditer(text):
        user, password = match.groups()
        if user != password and not _is_made_up(password) and not compiled(r"\d{2,5}[?#]").match(password):
            yield match.span(2)


def _headers(text: str) -> Iterator[tuple[int, int]]:
    for match in compiled(formats.BEARER).finditer(text):
        value = match[2].rstrip(".")
        # `Authorization:` says that a credential follows; "bearer" and "token" alone are also words of a sentence.
        named = is_encoded(value) if match[1] else match[0][:6].lower() == "bearer" and is_generated(value)
        if named and not is_stand_in(value.rstrip("=")):
            yield match.start(2), match.start(2) + len(value)


def _commands(text: str, lower: str) -> Iterator[tuple[int, int]]:
    for match in compiled(formats.USER_OPTION).finditer(text):
        user, password = match.groups()
        asked = lower.find("curl", max(match.start() - 300, 0), match.start()) >= 0
        if asked and user != password and not _is_made_up(password) and "$" not in password[:2]:
            yield match.span(2)
    for match in compiled(formats.NETRC).finditer(text):
        if not _is_made_up(match[1]):
            yield match.span(1)


def _cookies(text: str) -> Iterator[tuple[int, int]]:
    for line in compiled(formats.COOKIE_LINE).finditer(text):
        for pair in compiled(formats.COOKIE_PAIR).finditer(text, *line.span()):
            if is_encoded(pair[1]) and not is_stand_in(pair[1]):
                yield pair.span(1)


def _aws_secrets(text: str) -> Iterator[tuple[int, int]]:
    for match in compiled(formats.AWS_VALUE).finditer(text):
        end = match.end()
        start = end - 40
        if text.startswith("=", end) or not compiled(formats.AWS_WORDS).search(text, max(start - 70, 0), start):
            continue
        if _is_aws_secret(text[start:end]):
            yield start, end


def _is_aws_secret(value: str) -> bool:
    return not compiled(r"[0-9a-f]+").fullmatch(value) and is_generated(value) and not is_stand_in(value)


def _assignments(text: str, wide: bool) -> Iterator[Candidate]:
    """`password: …`, `the token is …`, `<secret>…</secret>` and their kin, in several languages."""
    done = 0
    judged: dict[object, int] = {}  # of this text alone: nothing that may be a secret is remembered any longer
    for match in _assignment(wide).finditer(text):
        if match.start() >= done:
            chosen = not match[0].lower().startswith(formats.ISSUED)
            span = _assigned(text, match, chosen, judged)
            if span is not None:
                yield _GENERIC, ("password" if chosen else "secret-assignment"), *span
                done = span[1]


@cache
def _assignment(wide: bool) -> Pattern[str]:
    """A keyword, then what links it to a value, then something that may be one; only the keyword is consumed.

    Nothing is taken back (`(?>…)`): the first reading of a keyword and of a link is the one that counts.
    """
    words = formats.KEYWORDS + formats.WIDE_WORDS if wide else formats.KEYWORDS
    firsts = {word[0]: word[0] + word[0].upper() for word in words}
    rests = {first: "|".join(word[1:] for word in words if word[0] == first) for first in firsts}
    keyword = "|".join(f"(?<=[{firsts[first]}])(?i:{rest})" for first, rest in rests.items())
    link = f"(?P<link>{formats.LINK})|{formats.BESIDE}"
    return compiled(f"[{''.join(firsts.values())}](?>{keyword})(?=(?>{link})(?:{formats.VALUE}))")


def _assigned(text: str, match: Match[str], chosen: bool, judged: dict[object, int]) -> tuple[int, int] | None:
    """Where the value given to a keyword stands, if it is one we should not keep."""
    link, quote, inside, plain = match.group("link", "quote", "inside", "plain")
    asked = plain or inside, chosen, link is not None, quote
    length = judged.get(asked)
    if length is None:
        length = judged[asked] = _convincing(*asked)
    if not length or _is_about_something_else(text, match):
        return None
    start = match.start("inside" if quote else "plain")
    return start, _value_end(text, match, start + length)


def _convincing(found: str, chosen: bool, linked: bool, quote: str | None) -> int:
    """How much of it is a value that somebody drew or chose, and no name, reference or example of one. The cheap questions
    come first."""
    value = found.removesuffix(quote[:-1]) if quote else _trimmed(found)
    start = value if quote else _before_the_next(value)
    if is_plain(start) or is_reference(start, quote is not None):
        return 0
    if not is_generated(start) and not (chosen and is_chosen(start) and (linked or is_mixed(start))):
        return 0
    return 0 if is_stand_in(start) else len(value)


def _before_the_next(value: str) -> str:
    following = compiled(formats.NEXT).search(value) if "=" in value or ":" in value else None
    return value[: following.start()] if following else value


def _is_about_something_else(text: str, match: Match[str]) -> bool:
    """`secretName`, `token_url`, the cursor of a list, or a key that opens nothing."""
    suffix, start = match["suffix"], match.start()
    if suffix and compiled(formats.NOT_THE_VALUE).search(suffix):
        return True
    before = text[max(start - 16, 0) : start].lower()
    if match[0].lower() == "key" and not before[-12:].rstrip(" _-").endswith(formats.KEY_OWNERS):
        return True
    if before.endswith(":"):
        return compiled(formats.IN_AN_ARN).search(before) is not None
    return before.rstrip(" _-").endswith(formats.SOMETHING_ELSE_BEFORE)


def _value_end(text: str, match: Match[str], end: int) -> int:
    """Values are judged by their beginning; a longer one is taken whole."""
    if not match["quote"] and end < match.end("plain"):
        return end
    if match["quote"]:
        closing = text.find(match["quote"], end, end + 4000)
        return closing if closing >= 0 and "\n" not in text[end:closing] else end
    rest = compiled(formats.REST_PLAIN).match(text, end)
    return rest.end() if rest else end


def _trimmed(value: str) -> str:
    """Without the punctuation of the sentence, the next query parameter or the next pair of a list."""
    cut = compiled(formats.CUT).search(value)
    if cut:
        value = value[: cut.start()]
    return value.rstrip(".,;:)]}\\")


def _is_made_up(password: str) -> bool:
    """A password in an example: `password`, `secret`, `<pass>`, `${PASS}`."""
    return (
        is_stand_in(password)
        or compiled(formats.TEMPLATE).match(password) is not None
        or password.lower() in formats.EXAMPLE_PASSWORDS
    )
