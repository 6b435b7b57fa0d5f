"""The whole error family. Catch wide or narrow; every surface maps it once.

    CommonplaceError            kind          may a retry help?
    ├── LockedError             locked        yes: somebody else is writing
    ├── StaleError              stale         no: read again, then reapply
    ├── NotFoundError           not_found     no
    ├── InvalidError            invalid       no: the input is wrong
    ├── SecretError             secret        no: take the secret out
    ├── TooLargeError           too_large     no: make it smaller
    ├── DeniedError             denied        no: this actor may not
    ├── ConflictError           conflict      no: something stands in the way
    ├── CorruptError            corrupt       no: run `doctor`
    ├── UnavailableError        unavailable   perhaps: see `code`
    └── NotSearchedError        not_searched  perhaps: could not look, which is not "nothing found"

`kind` is one of the eleven words above and never changes its meaning. `code` is finer where a kind has several causes
(`disk_full`, `read_only`, `io_error`, `missing`, `foreign`, `newer`, ...). Messages carry no content and no secret.
"""

from __future__ import annotations


class CommonplaceError(Exception):
    """Something Commonplace could not do, with a next step."""

    kind = "unavailable"
    hint = ""
    retryable = False

    def __init__(
        self, message: str, *, hint: str | None = None, where: str | None = None, code: str | None = None
    ) -> None:
        self.message = message
        self.where = where
        self.code = code or self.kind
        if hint is not None:
            self.hint = hint
        super().__init__(message)

    def to_dict(self) -> dict[str, object]:
        """The one JSON form of an error, the same on every surface."""
        said: dict[str, object] = {"kind": self.kind, "message": self.message, "retryable": self.retryable}
        if self.code != self.kind:
            said["code"] = self.code
        if self.where:
            said["where"] = self.where
        if self.hint:
            said["hint"] = self.hint
        return {"error": said}


class LockedError(CommonplaceError):
    """Another writer held the book for the whole time limit."""

    kind = "locked"
    hint = "Try again; if it stays locked, raise `timeout` or look for a long-running writer."
    retryable = True


class StaleError(CommonplaceError):
    """The memory changed since you read it."""

    kind = "stale"
    hint = "Read it again, then reapply your change."


class NotFoundError(CommonplaceError):
    """There is no such memory, operation or run."""

    kind = "not_found"
    hint = "Check the id; `list` and `journal` show the ones there are."


class InvalidError(CommonplaceError, ValueError):
    """The input is not what the verb takes."""

    kind = "invalid"
    hint = "Check the value; the verb's help says what it takes."


class SecretError(CommonplaceError):
    """The text holds something that looks like a secret; the error says which kind and where, never what."""

    kind = "secret"
    hint = "Take the secret out and say where it is kept instead, for example: the token is in the team's password manager."


class TooLargeError(CommonplaceError):
    """A limit was passed."""

    kind = "too_large"
    hint = "Say it shorter, or split it into several memories."


class DeniedError(CommonplaceError):
    """This actor may not do that."""

    kind = "denied"
    hint = "Ask the operator, or save your own version: it will wait in the inbox."


class ConflictError(CommonplaceError):
    """Something that is there already stands in the way."""

    kind = "conflict"


class CorruptError(CommonplaceError):
    """What is on disk is not what was written."""

    kind = "corrupt"
    hint = "Keep the damaged file, and restore a backup or an export; `commonplace doctor` says what can be said of it."


class UnavailableError(CommonplaceError):
    """The book, the disk or an optional part is not there now."""

    kind = "unavailable"


class NotSearchedError(CommonplaceError):
    """The search could not look; this is not the same as finding nothing."""

    kind = "not_searched"
    retryable = True
