"""Secrets that only their surroundings give away: key blocks, URL logins, headers, commands, assignments.

Each finder starts from a literal mark, looks a bounded distance around it and lets `secret_values` judge the value, so
the work stays linear however the text is built. The span reported is the value alone: the note around it stays useful.
"""

from collections.abc import Iterator
from re import Match

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


def in_context(text: str, found: list[Candidate]) -> None:
    """Add what the surroundings of a value give away."""
    if "PRIVATE KEY" in text or "Private-Lines" in text:
        found += ((_BLOCK, "private-key", *span) for span in _key_blocks(text))
    if "://" in text and "@" in text:
        found += ((_NAMED, "url-credentials", *span) for span in _url_logins(text))
    lower = text.lower()
    if "bearer" in lower or "authorization" in lower:
        found += ((_NAMED, "authorization-header", *span) for span in _headers(text))
    if "curl" in lower or "login" in lower:
        found += ((_NAMED, "command-password", *span) for span in _commands(text, lower))
    if "cookie" in lower:
        found += ((_NAMED, "session-cookie", *span) for span in _cookies(text))
    if "mailgun" in lower:
        found += ((_NAMED, "mailgun-key", *match.span()) for match in compiled(formats.MAILGUN).finditer(text))
    found += ((_NAMED, "aws-secret-key", *span) for span in _aws_secrets(text, lower))
    for keyword in formats.KEYWORDS if text.isascii() else formats.KEYWORDS + formats.WIDE_KEYWORDS:
        if keyword[0] in lower:
            found += ((_GENERIC, *named) for named in _assignments(text, lower, *keyword))


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


def _aws_secrets(text: str, lower: str) -> Iterator[tuple[int, int]]:
    if "aws" not in lower and "access" not in lower and "AKIA" not in text:
        return
    for match in compiled(formats.AWS_VALUE).finditer(text):
        before = text[max(match.start() - 70, 0) : match.start()]
        if compiled(formats.AWS_WORDS).search(before) and _is_aws_secret(match[0]):
            yield match.span()


def _is_aws_secret(value: str) -> bool:
    return not compiled(r"[0-9a-f]+").fullmatch(value) and is_generated(value) and not is_stand_in(value)


def _assignments(text: str, lower: str, anchor: str, pattern: str, chosen: bool) -> Iterator[tuple[str, int, int]]:
    """`password: …`, `the token is …`, `<secret>…</secret>` and their kin, in several languages."""
    if len(lower) != len(text):  # a few capitals grow when lowered; offsets must not move
        lower = "".join(char if len(low := char.lower()) != 1 else low for char in text)
    at = lower.find(anchor)
    while at >= 0:
        keyword = compiled(pattern).match(lower, at)
        span = _assigned(text, keyword, chosen) if keyword and (anchor != "key" or _is_owned(lower, at)) else None
        if span is not None:
            yield ("password" if chosen else "secret-assignment"), *span
        at = lower.find(anchor, span[1] if span else at + len(anchor))


def _is_owned(lower: str, at: int) -> bool:
    return lower[max(at - 12, 0) : at].rstrip(" _-").endswith(formats.KEY_OWNERS)


def _assigned(text: str, keyword: Match[str], chosen: bool) -> tuple[int, int] | None:
    """Where the value given to `keyword` stands, if it is one we should not keep."""
    link = compiled(formats.LINK).match(text, keyword.end())
    beside = None if link else _beside(text, keyword)
    match = compiled(formats.VALUE).match(text, (link or beside or keyword).end()) if link or beside else None
    if match is None:
        return None
    quoted = match["inside"] is not None
    value = match["inside"] if quoted else _trimmed(match["plain"])
    if is_plain(value) or is_reference(value, quoted) or is_stand_in(value):
        return None
    if not (is_generated(value) or (chosen and is_chosen(value) and (link or is_mixed(value)))):
        return None
    if _is_about_something_else(link["suffix"] if link else "", keyword):
        return None
    start = match.start("inside" if quoted else "plain")
    return start, _value_end(text, match, start + len(value))


def _beside(text: str, keyword: Match[str]) -> Match[str] | None:
    """`--password value`, `user maya, password value`: only white space links them, so the value must convince."""
    return compiled(r"\s(?=\S{8})(?![a-z_]+[=:])").match(text, keyword.end())


def _is_about_something_else(suffix: str, keyword: Match[str]) -> bool:
    """`secretName`, `token_url`, or the cursor of a list."""
    if suffix and compiled(formats.NOT_THE_VALUE).search(suffix):
        return True
    start = keyword.start()
    return compiled(formats.SOMETHING_ELSE_BEFORE).search(keyword.string, max(start - 16, 0), start) is not None


def _value_end(text: str, match: Match[str], end: int) -> int:
    """Values are judged by their beginning; a longer one is taken whole."""
    if end < match.end():
        return end
    if match["quote"]:
        closing = text.find(match["quote"], end, end + 4000)
        return closing if closing >= 0 and "\n" not in text[end:closing] else end
    rest = compiled(formats.REST_PLAIN).match(text, end)
    return rest.end() if rest else end


def _trimmed(value: str) -> str:
    """Without the punctuation of the sentence, the next query parameter or the next pair of a list."""
    cut = compiled(r"[&,;][\"']?\w{1,40}[\"']?[=:]|\\[nrt\"]").search(value)
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
