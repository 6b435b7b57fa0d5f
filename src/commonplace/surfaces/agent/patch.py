"""A memory patch: what an agent asks to be remembered, believed only after it was checked. All of it or nothing (V28, V29).

A patch that is refused leaves a warning: what sort of trouble, how large the block was, and its hash, so that two warnings
can be told to be about the same block. Never a word of it (V-b, V35).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from commonplace.engine.retain import Limits, check_limits
from commonplace.errors import InvalidError, TooLargeError
from commonplace.guard.secrets import scan
from commonplace.guard.text import check_text
from commonplace.model.hashing import sha256
from commonplace.model.strict_json import parse
from commonplace.surfaces.agent.fences import Block

_KEYS = ("digest", "retain")


class Patch(NamedTuple):
    digest: str | None = None
    retain: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Valid, and nothing to do (V-m)."""
        return self.digest is None and not self.retain


class Warned(NamedTuple):
    """Why a patch, or a part of it, was not applied. Holds no content."""

    kind: str
    reason: str
    sha256_of_block: str | None = None
    bytes: int = 0

    def to_dict(self) -> dict[str, Any]:
        said = {"kind": self.kind, "reason": self.reason, "sha256_of_block": self.sha256_of_block, "bytes": self.bytes}
        return {name: value for name, value in said.items() if value is not None}


class Checked(NamedTuple):
    """What may be applied, if anything, and what must be said about the rest."""

    patch: Patch | None = None
    warning: Warned | None = None


def check(blocks: list[Block], limits: Limits) -> Checked:
    """Judge what an answer held. No block: nothing to apply and nothing to say."""
    if not blocks:
        return Checked()
    if len(blocks) > 1:
        whole = "\n".join(block.body for block in blocks)
        return Checked(warning=_warned("multiple_patches", f"{len(blocks)} blocks; one is allowed", whole))
    body = blocks[0].body
    if not blocks[0].is_closed:
        return Checked(warning=_warned("unterminated", "the block has no end", body))
    return _check_body(body, limits)


def _check_body(body: str, limits: Limits) -> Checked:
    size = len(body.encode(errors="surrogatepass"))
    if size > limits.patch_bytes:
        return Checked(
            warning=_warned("too_large", f"the block has {size} bytes; the limit is {limits.patch_bytes}", body)
        )
    try:
        table = parse(body)
    except ValueError as problem:
        return Checked(warning=_warned("invalid_json", str(problem), body))
    found = next((finding.kind for text in (body, *_texts(table)) for finding in scan(text)), None)
    if found is not None:
        # Without a hash: of a short secret in a known place, a hash could be guessed back.
        said = Warned("secret", f"looks like a secret ({found}); nothing was stored", None, size)
        return Checked(warning=said)
    try:
        return Checked(_patch(table, limits), _unknown(table, body))
    except TooLargeError as problem:
        return Checked(warning=_warned("too_large", problem.message, body))
    except InvalidError as problem:
        return Checked(warning=_warned("invalid_patch", problem.message, body))


def _patch(table: Any, limits: Limits) -> Patch:
    if not isinstance(table, dict):
        raise InvalidError("the patch is not an object")
    digest, retain = table.get("digest"), table.get("retain")
    if digest is not None and not isinstance(digest, str):
        raise InvalidError("digest: must be a text")
    if retain is not None and not (isinstance(retain, list) and all(isinstance(one, str) for one in retain)):
        raise InvalidError("retain: must be a list of texts")
    facts = tuple(fact for fact in retain or () if fact.strip())
    check_limits(digest, facts, limits)
    for text in filter(None, (digest, *facts)):
        check_text("the patch", text)
    return Patch(digest, facts)


def _unknown(table: dict[str, Any], body: str) -> Warned | None:
    """Keys that no patch has are passed over, and somebody should know (V-e). Their names are the agent's words: not repeated."""
    count = sum(key not in _KEYS for key in table)
    return _warned("unknown_keys", f"{count} unknown keys were ignored", body) if count else None


def _warned(kind: str, reason: str, body: str) -> Warned:
    raw = body.encode(errors="surrogatepass")
    return Warned(kind, reason, sha256(raw).hex(), len(raw))


def _texts(value: Any) -> Iterator[str]:
    """Every text in it, the keys too: a secret may stand anywhere (V34)."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
