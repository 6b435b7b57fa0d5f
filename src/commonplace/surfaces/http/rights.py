"""What may this client do? By the scope of its token, the book, and, where a token is for certain projects, the project.

A token for projects is held to them: what it asks must name one of them, what it asks for by id is there only if it belongs to
one, and what comes back is looked at once more. An id of another project and an id that nobody has are answered alike (row 131).
Operations of which that cannot be said for certain are not for such a token at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from commonplace.errors import ConflictError, DeniedError, InvalidError, NotFoundError
from commonplace.model.filter import PRIVATE
from commonplace.model.words import Scope
from commonplace.surfaces.http.tokens import Right, Token
from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.model.record import MemoryRecord

# What concerns the book as a whole, reads all of it, or cannot be undone.
_OPERATORS = (
    "purge", "write-personal", "inbox-apply", "export", "import", "backup", "copy", "verify", "doctor", "scan", "index",
    "process", "work",
)  # fmt: skip

_NAMING_ONE = {"search": "project", "context": "project", "list": "project_id", "save": "project_id",
               "capture-session": "project_id", "capture-conversation": "project_id"}  # fmt: skip
_BY_ID = ("get", "evolve", "archive", "restore", "forget")
FOR_PROJECTS = (*_NAMING_ONE, *_BY_ID)
"""What a token that is for certain projects may do, if its scope allows it."""


def needed(operation: Described) -> Right:
    if operation.name in _OPERATORS or operation.destroys or operation.personal:
        return Right.OPERATOR
    return Right.WRITE if operation.writes else Right.READ


def check_right(token: Token, right: Right) -> None:
    if not token.scope.includes(right):
        raise DeniedError(
            f"this token may {token.scope}; that needs {right}",
            hint="Ask the operator for a token with that scope: commonplace token add NAME --scope " + right,
        )


def check_book(token: Token, book: str, known: bool) -> None:
    """A book that is not there and one that is not for this token are answered alike."""
    if not known or not token.reaches(book):
        raise NotFoundError(
            "there is no such book for this token", hint="`commonplace token list` shows which it is for."
        )


def check_operation(token: Token, operation: Described) -> None:
    if token.projects is not None and operation.name not in FOR_PROJECTS:
        raise DeniedError("this token is for certain projects only, and that concerns the whole book")


def held_to(token: Token, operation: Described, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the request as this token may ask it. Refuses what leads beyond its projects."""
    plain = dict(fields)
    if operation.name == "context" and plain.get("root") is not None and not token.scope.includes(Right.OPERATOR):
        raise DeniedError("root: names a folder of this machine", hint="Only an operator's token may.")
    if token.projects is None:
        return plain
    check_operation(token, operation)
    if (field := _NAMING_ONE.get(operation.name)) is not None:
        _check_project(token, field, plain.get(field))
    _check_agent(token, plain)
    for name in ("supersedes", "aliases", "tenant"):
        if plain.get(name):
            raise DeniedError(f"{name}: not with a token for certain projects", hint="Leave it out.")
    if plain.get("scope") not in (None, *_INSIDE):
        raise DeniedError("scope: would be seen by every project", hint=f"Use one of: {', '.join(_INSIDE)}.")
    if operation.name in ("search", "context"):
        # What is asked of a moment never crosses over from another project, so it is asked of this one.
        plain.setdefault("as_of", datetime.now(UTC).isoformat())
    if "source" in plain and _is_id(plain["source"]):
        raise DeniedError("source: hand the material over itself", hint="An id may belong to another project.")
    if plain.get("idempotency_key"):
        mixed = f"{token.name}\n{plain['idempotency_key']}"
        plain["idempotency_key"] = sha256(mixed.encode(errors="replace")).hexdigest()
    return plain


_INSIDE = ("project", "repo", "agent", "session")


def _check_project(token: Token, field: str, given: object) -> None:
    if given is None or given == "":
        raise InvalidError(
            f"{field}: this token is for certain projects; name one", where=field, hint="Say which project is meant.",
            code="scope_required",
        )  # fmt: skip
    if given not in (token.projects or ()):
        raise DeniedError("this token is not for that project", where=field)


def _check_agent(token: Token, plain: Mapping[str, Any]) -> None:
    own = token.actor.partition(":")[2] or token.actor
    for field in ("agent", "agent_id"):
        if plain.get(field) not in (None, own):
            raise DeniedError(f"{field}: another agent's own memories are not for this token", where=field)


def _is_id(text: object) -> bool:
    return isinstance(text, str) and len(text.strip()) == 26 and text.strip().isalnum()


def check_subject(token: Token, operation: Described, book: Book, request: Any) -> None:
    """What is asked for by id must be one that this token can see."""
    if token.projects is None or operation.name not in _BY_ID:
        return
    try:
        found = book.get(request.id)
    except NotFoundError:
        raise _nothing(request.id) from None
    if not may_see(token, found):
        raise _nothing(request.id)
    if operation.writes and found.project_id not in token.projects:
        raise DeniedError("this token is not for memories of all projects", where=found.id)


def _nothing(id: str) -> NotFoundError:
    from commonplace.engine.scribe import harmless

    return NotFoundError("there is no such memory", where=harmless(id))


def may_see(token: Token, record: MemoryRecord) -> bool:
    """A memory of one of the projects, or a global one; never what another agent keeps to itself."""
    if token.projects is None:
        return True
    if record.scope in PRIVATE and record.agent_id not in (token.actor, token.actor.partition(":")[2]):
        return False
    return record.project_id in token.projects or (record.project_id is None and record.scope is Scope.GLOBAL)


def seen_by(token: Token, operation: Described, answer: Any) -> Any:
    """The answer, without what this token may not see. By then there should be nothing of that sort: this is the second lock."""
    if token.projects is None:
        return answer
    if operation.name == "list":
        return [record for record in answer if may_see(token, record)]
    if operation.name == "search":
        import msgspec

        kept = tuple(result for result in answer.results if may_see(token, result.record))
        return msgspec.structs.replace(answer, results=kept)
    if operation.name == "context":
        shown = (*answer.profile, *answer.facts, *answer.decisions, *answer.episodes)
        if not all(may_see(token, result.record) for result in shown):
            raise DeniedError("this context cannot be handed out: it holds memories of other projects")
        return answer
    if operation.answers == "record" and not may_see(token, answer):
        raise _nothing("")
    if operation.answers == "event" and answer.project_id not in token.projects:
        raise ConflictError("this material was captured before, elsewhere")
    return answer
