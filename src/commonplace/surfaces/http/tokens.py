"""Tokens: who may come in, how far, and as whom. The file holds hashes only, so reading it lets nobody in.

A token is 32 random bytes, so one round of SHA-256 hides it as well as a slow hash would. Whoever presents one is compared with
every token there is, in constant time: an answer says nothing about how near a guess was. Actor and trust of a request come from
here and from nowhere else (R10).
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest

import msgspec

from commonplace.errors import ConflictError, InvalidError, NotFoundError
from commonplace.guard.trust import check_actor
from commonplace.model.base import Closed, Noun, taken_apart, understand
from commonplace.surfaces.http.places import alone, tokens_path, write_own

EVERY = "*"
_BEGINS = "cpl_"
_LONGEST = 200


class Right(Closed):
    """How far a token reaches. Each includes the one before it."""

    READ = "read"
    WRITE = "write"
    OPERATOR = "operator"

    def includes(self, other: Right) -> bool:
        order = [*Right]
        return order.index(self) >= order.index(other)


class Token(Noun, frozen=True, kw_only=True):
    """One client. Without a scope or a book it could do nothing, so there is no default for either."""

    name: str
    actor: str
    scope: Right
    books: tuple[str, ...]
    """Names of books, or `*`."""
    projects: tuple[str, ...] | None = None
    """Only these; None is every project."""
    hash: str
    created_at: datetime
    expires_at: datetime | None = None
    speaks_for_others: bool = False
    """May a request name its actor? Only the user's own programs, which could open the book's file as well."""

    def __post_init__(self) -> None:
        if not self.books or not all(self.books):
            raise InvalidError("books: name at least one, or *", where="books")
        if self.projects is not None and not (self.projects and all(self.projects)):
            raise InvalidError("projects: name at least one, or leave them out", where="projects")
        check_actor(self.actor)

    def reaches(self, book: str) -> bool:
        return EVERY in self.books or book in self.books

    def is_over(self, now: float) -> bool:
        return self.expires_at is not None and self.expires_at.timestamp() <= now


class TokenFile(Noun, frozen=True, kw_only=True):
    version: int = 1
    tokens: tuple[Token, ...] = ()


def hashed(secret: str | bytes) -> str:
    return sha256(secret.encode() if isinstance(secret, str) else secret).hexdigest()


def fresh_secret() -> str:
    return _BEGINS + secrets.token_urlsafe(32)


def made(
    name: str,
    scope: str,
    *,
    actor: str | None = None,
    books: tuple[str, ...] = ("default",),
    projects: tuple[str, ...] | None = None,
    expires_at: datetime | None = None,
    speaks_for_others: bool = False,
) -> tuple[Token, str]:
    """A new token and its secret, which is shown once and kept nowhere."""
    if not name or len(name) > 64 or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise InvalidError("name: letters, digits, - _ and . please", where="name")
    secret = fresh_secret()
    fields = {
        "name": name,
        "actor": actor or f"agent:{name}",
        "scope": Right.of(scope, "scope"),
        "books": books,
        "projects": projects,
        "hash": hashed(secret),
        "created_at": datetime.now(UTC),
        "expires_at": expires_at,
        "speaks_for_others": speaks_for_others,
    }
    token: Token = understand(lambda: msgspec.convert(fields, taken_apart(Token)), Token)
    return token, secret


class Keyring:
    """The tokens of the file, as they are now: what was revoked a moment ago lets nobody in any more."""

    def __init__(self, path: str | None = None, own: tuple[Token, ...] = ()) -> None:
        self._path, self._own = path or tokens_path(), own
        self._seen: tuple[int, ...] | None = None
        self._tokens: tuple[Token, ...] = own

    def holder(self, presented: bytes) -> Token | None:
        """Whose token is it? None for any that is wrong or over."""
        self._look()
        digest, found = hashed(presented[:_LONGEST]), None
        for token in self._tokens:  # always all of them: the time taken is the same for each wrong one
            if compare_digest(token.hash, digest):
                found = token
        return None if found is None or len(presented) > _LONGEST or found.is_over(time.time()) else found

    def _look(self) -> None:
        try:
            looks = os.stat(self._path)
            seen: tuple[int, ...] = (looks.st_mtime_ns, looks.st_size, looks.st_ino)
        except OSError:
            seen = ()
        if seen == self._seen:
            return
        try:
            self._tokens = (*self._own, *(read(self._path).tokens if seen else ()))
        except InvalidError:  # spoilt while we run: it lets nobody in until somebody has looked at it
            self._tokens = self._own
        self._seen = seen


def read(path: str | None = None) -> TokenFile:
    """What the file holds. A token that cannot be understood is no token; a file that cannot be is an error."""
    path = path or tokens_path()
    try:
        with open(path, "rb") as file:
            plain = msgspec.json.decode(file.read())
        version, entries = plain["version"], plain["tokens"]
    except FileNotFoundError:
        return TokenFile()
    except (OSError, msgspec.DecodeError, KeyError, TypeError, UnicodeError) as cause:
        raise InvalidError(
            "the tokens file cannot be read", where=path, hint="Move it away and add tokens anew."
        ) from cause
    if version != 1 or not isinstance(entries, list):
        raise InvalidError("the tokens file is of another version", where=path, hint="Upgrade Commonplace.")
    return TokenFile(tokens=tuple(token for entry in entries if (token := _understood(entry)) is not None))


def _understood(entry: object) -> Token | None:
    try:
        token: Token = understand(lambda: msgspec.convert(entry, taken_apart(Token)), Token)
    except InvalidError:
        return None
    # The right to name an actor is never in the file: it is given to the running daemon's own token only.
    return msgspec.structs.replace(token, speaks_for_others=False)


def begin() -> None:
    """An empty file, if there is none."""
    with _changing():
        pass


def add(token: Token) -> None:
    with _changing() as kept:
        if any(one.name == token.name for one in kept):
            raise ConflictError("there is a token of this name already", where=token.name, hint="Revoke or rotate it.")
        kept.append(token)


def revoke(name: str) -> Token:
    """Take it away; it lets nobody in from this moment on."""
    with _changing() as kept:
        found = _named(kept, name)
        kept.remove(found)
        return found


def rotate(name: str) -> tuple[Token, str]:
    """The same client with a new secret; the old one is void at once."""
    with _changing() as kept:
        found, secret = _named(kept, name), fresh_secret()
        renewed = msgspec.structs.replace(found, hash=hashed(secret), created_at=datetime.now(UTC))
        kept[kept.index(found)] = renewed
        return renewed, secret


def _named(kept: list[Token], name: str) -> Token:
    for token in kept:
        if token.name == name:
            return token
    raise NotFoundError("there is no token of this name", hint="`commonplace token list` shows the ones there are.")


@contextmanager
def _changing() -> Iterator[list[Token]]:
    """Read, change, write, alone."""
    with alone(tokens_path() + ".lock"):
        kept = [*read().tokens]
        yield kept
        encoded = msgspec.json.encode(TokenFile(tokens=tuple(kept)))
        write_own(tokens_path(), msgspec.json.format(encoded, indent=2) + b"\n")
