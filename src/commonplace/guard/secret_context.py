"""Secrets that only their surroundings give away: key blocks, URL logins, headers, commands, cookies, AWS keys.

Each finder starts from the places of a literal mark, looks a bounded distance around each and lets `secret_values` judge
the value, so the work stays linear however the text is built. The span reported is the value alone: the note around it
stays useful.
"""

from bisect import bisect_left
from collections.abc import Iterator
from re import Match

from commonplace.guard import secret_formats as formats
from commonplace.guard.secret_assignments import assignments
from commonplace.guard.secret_page import Candidate, Page
from commonplace.guard.secret_values import compiled, is_encoded, is_generated

# Issued tokens have rank 1; a block swallows whatever it contains, the rest yields to a format that knows more.
_BLOCK, _NAMED = 0, 2
Spans = Iterator[tuple[int, int]]


def in_context(page: Page) -> Iterator[Candidate]:
    """What the surroundings of a value give away."""
    for rank, kind, spans in _finders(page, page.low):
        for start, end in spans:
            yield start, end, rank, kind
    yield from assignments(page)


def _finders(page: Page, low: str) -> Iterator[tuple[int, str, Spans]]:
    """Those that have something to look for here."""
    if "private" in low:
        yield _BLOCK, "private-key", _key_blocks(page)
    if "@" in low and "://" in low:
        yield _NAMED, "url-credentials", _url_logins(page)
    if page.runs and ("bearer" in low or "authorization" in low):
        yield _NAMED, "authorization-header", _headers(page)
    if "curl" in low:
        yield _NAMED, "command-password", _commands(page)
    if "login" in low:
        yield _NAMED, "command-password", _logins(page)
    if "cookie" in low:
        yield _NAMED, "session-cookie", _cookies(page)
    if page.runs and "mailgun" in low:
        yield _NAMED, "mailgun-key", _mailgun_keys(page)
    if page.runs:
        yield _NAMED, "aws-secret-key", _aws_secrets(page)


def _key_blocks(page: Page) -> Spans:
    """From BEGIN to END, or to where the key material stops when there is no END."""
    begin: Match[str] | None = None
    for mark in compiled(formats.PRIVATE_KEY_MARK).finditer(page.text):
        if begin is not None:
            end = mark.end() if mark[1] == "END" else mark.start()
            yield from _key_block(page.text, begin, end)
        begin = mark if mark[1] == "BEGIN" else None
    if begin is not None:
        yield from _key_block(page.text, begin, len(page.text))
    for match in compiled(formats.PUTTY_KEY).finditer(page.text):
        yield match.span(1)


def _key_block(text: str, begin: Match[str], end: int) -> Spans:
    material = None
    for material in compiled(formats.KEY_MATERIAL).finditer(text, begin.end(), end):
        if material.start() - begin.end() > 400:  # headers such as `Proc-Type` are shorter than that
            break
    if material is not None and "..." not in text[begin.end() : begin.end() + 8]:
        closed = text.startswith("-----", end - 5)
        yield begin.start(), end if closed else material.end()


def _url_logins(page: Page) -> Spans:
    for match in compiled(formats.URL_CREDENTIALS).finditer(page.text):
        user, password = match.groups()
        if user != password and not _is_made_up(page, match, 2) and not compiled(r"\d{2,5}[?#]").match(password):
            yield match.span(2)


def _headers(page: Page) -> Spans:
    for match in _matches(page, formats.BEARER, "bearer", "authorization"):
        value = match[2].rstrip(".")
        # `Authorization:` says that a credential follows; "bearer" alone is also a word of a sentence.
        named = is_encoded(value) if match[1] else is_generated(value)
        start = match.start(2)
        if named and not page.stands_in(start, start + len(value)):
            yield start, start + len(value)


def _commands(page: Page) -> Spans:
    for match in _matches(page, formats.USER_OPTION, "-u", back=2):
        user, password = match.groups()
        asked = page.low.rfind("curl", max(match.start() - 300, 0), match.start()) >= 0
        if asked and user != password and "$" not in password[:2] and not _is_made_up(page, match, 2):
            yield match.span(2)


def _logins(page: Page) -> Spans:
    for match in _matches(page, formats.NETRC, "machine", "default"):
        if not _is_made_up(page, match, 1):
            yield match.span(1)


def _cookies(page: Page) -> Spans:
    for line in _matches(page, formats.COOKIE_LINE, "cookie"):
        for pair in compiled(formats.COOKIE_PAIR).finditer(page.text, *line.span()):
            if is_encoded(pair[1]) and not page.stands_in(*pair.span(1)):
                yield pair.span(1)


def _mailgun_keys(page: Page) -> Spans:
    return (match.span() for match in compiled(formats.MAILGUN).finditer(page.text))


def _aws_secrets(page: Page) -> Spans:
    """The last forty of a run of base64, soon after a word that says so."""
    runs = [run for run in page.runs if run[1] - run[0] >= 40]
    if not runs or not any(map(page.low.__contains__, formats.AWS_MARKS)):
        return
    words = page.places("secret", "akia", "asia")
    for start, end in _aws_values(page.text, runs) if words else ():
        word = bisect_left(words, start - 70)
        near = word < len(words) and words[word] < start
        named = near and compiled(formats.AWS_WORDS).search(page.low, max(start - 70, 0), start)
        if named and _is_aws_secret(page.text[start:end]) and not page.stands_in(start, end):
            yield start, end


def _aws_values(text: str, runs: list[tuple[int, int]]) -> Spans:
    for run in runs:
        for match in compiled(formats.AWS_VALUE).finditer(text, *run):
            if not text.startswith("=", match.end()):
                yield match.end() - 40, match.end()


def _is_aws_secret(value: str) -> bool:
    return not compiled(r"[0-9a-f]+").fullmatch(value) and is_generated(value)


def _matches(page: Page, pattern: str, *marks: str, back: int = 0) -> Iterator[Match[str]]:
    """What the pattern takes where one of the marks begins, none overlapping the one before it."""
    done = 0
    match_at = compiled(pattern).match
    for place in page.places(*marks):
        for start in range(place - back, place) if back else (place,):
            match = match_at(page.text, start) if start >= done else None
            if match:
                done = match.end()
                yield match
                break


def _is_made_up(page: Page, match: Match[str], group: int) -> bool:
    """A password in an example: `password`, `secret`, `<pass>`, `${PASS}`."""
    return (
        compiled(formats.TEMPLATE).match(match[group]) is not None
        or match[group].lower() in formats.EXAMPLE_PASSWORDS
        or page.stands_in(*match.span(group))
    )
