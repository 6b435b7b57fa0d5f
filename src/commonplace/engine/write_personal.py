"""`write_personal`: the one verb that may change what is the person's own (T1), and only at the operator's word (A12, A61).

Every other verb reads such a memory and links to it. This one is a different call, not a flag on another, and carries what the
operator asked for, so that the journal can always say who allowed it.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe, must_find
from commonplace.errors import DeniedError, InvalidError
from commonplace.guard.entry import admit
from commonplace.model.fingerprint import fingerprint
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Tier, Trust, Verb


class WritePersonal(Request, frozen=True, kw_only=True):
    """New words for a note of the person's own."""

    id: Annotated[str, Meta(description="the memory, or its path in the vault")]
    content: Annotated[str, Meta(description="what it should say")]
    authorisation: Annotated[str, Meta(description="what the operator asked for, in their words")]
    expect: Annotated[str | None, Meta(description="the fingerprint you read; refused if it changed since")] = None


def write_personal(scribe: Scribe, asked: WritePersonal) -> MemoryRecord:
    if scribe.trust is not Trust.OPERATOR:
        raise DeniedError("only the operator may change what is their own", hint="Ask them to, or to do it themselves.")
    for name in ("content", "authorisation"):
        if not getattr(asked, name).strip():
            raise InvalidError(f"{name}: must not be empty", where=name)
    admit({"content": asked.content, "authorisation": asked.authorisation})
    with scribe.writing() as pen:
        old = must_find(pen.view, asked.id, asked.expect)
        if old.tier is not Tier.T1:
            raise InvalidError(
                "this memory is not the person's own", where="id", hint="Use `evolve`, which keeps what it replaces."
            )
        new = pen.change(old, content=asked.content, fingerprint=fingerprint(asked.content))
        pen.sign(Verb.EDIT, asked.authorisation)
        return new
