"""The gate every written text passes: its size, its characters, and the secrets it must not hold.

Whatever is refused here was not stored, not logged and is not in the error: an error names the field, the kind of secret
and its position, never the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from commonplace import settings
from commonplace.errors import InvalidError, SecretError, TooLargeError
from commonplace.guard import secrets
from commonplace.guard.text import check_text

Text = str | None | Iterable[str]

_MAX_CHARS = {
    "content": settings.MAX_CONTENT_BYTES,
    "title": settings.MAX_TITLE_CHARS,
    "summary": settings.MAX_SUMMARY_CHARS,
    "rationale": settings.MAX_RATIONALE_CHARS,
    "status_reason": settings.MAX_REASON_CHARS,
    "reason": settings.MAX_REASON_CHARS,
    "evidence_ref": settings.MAX_REF_CHARS,
    "source_ref": settings.MAX_REF_CHARS,
    "body": settings.MAX_SOURCE_CHARS,
    "outline": settings.MAX_SOURCE_CHARS,
    "uri": settings.MAX_REF_CHARS,
    "left_evidence": settings.MAX_REF_CHARS,
    "right_evidence": settings.MAX_REF_CHARS,
    "resolution": settings.MAX_REASON_CHARS,
    "outcome": settings.MAX_REASON_CHARS,
    "error": settings.MAX_REASON_CHARS,
    "aliases": settings.MAX_REF_CHARS,
    "tags": settings.MAX_TAG_CHARS,
    "anchors": settings.MAX_REF_CHARS,
}
_MAX_COUNT = {"tags": settings.MAX_TAGS, "aliases": settings.MAX_ALIASES, "anchors": settings.MAX_ANCHORS}


def admit(fields: Mapping[str, Text]) -> None:
    """Let these texts in, or raise and say what is wrong with which field."""
    texts: list[tuple[str, str]] = []
    for name, value in fields.items():
        if value.__class__ is str:
            texts.append((name, value))
        elif value:
            texts += [(name, text) for text in _texts(name, value)]
    for name, text in texts:
        _check_size(name, text)
        check_text(name, text)
    _refuse_secrets(texts)


def _texts(name: str, value: Text) -> Iterable[str]:
    if value is None or isinstance(value, str):
        return (value,) if value else ()
    several = tuple(value)
    if len(several) > _MAX_COUNT.get(name, settings.MAX_TAGS):
        raise TooLargeError(f"{name}: {len(several)} of them; the limit is {_MAX_COUNT.get(name)}", where=name)
    return several


def _check_size(name: str, text: str) -> None:
    if not isinstance(text, str):
        raise InvalidError(f"{name}: must be text", where=name)
    limit = _MAX_CHARS.get(name, settings.MAX_NAME_CHARS)
    if len(text) > limit or (name == "content" and len(text) * 4 > limit and _bytes(text) > limit):
        raise TooLargeError(f"{name}: {len(text)} characters; the limit is {limit}", where=name)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _refuse_secrets(texts: list[tuple[str, str]]) -> None:
    # One scan over all of it is several times cheaper than one scan per field. What only their meeting looks like, a
    # keyword at the end of one and a word at the beginning of the next, is no secret.
    if not secrets.has_secret("\n\n".join([text for _, text in texts])):
        return
    for name, text in texts:
        for finding in secrets.scan(text):
            raise SecretError(
                f"{name}: looks like a secret ({finding.kind}), characters {finding.start} to {finding.end}; nothing was stored",
                where=name,
            )
