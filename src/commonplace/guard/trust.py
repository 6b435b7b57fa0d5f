"""Who is speaking, and whom may they overrule? Trust comes from the channel, never from the text (R10)."""

from __future__ import annotations

from commonplace.errors import DeniedError, InvalidError
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Tier, Trust


def channel_of(actor: str) -> Trust:
    """The trust of an actor by its name: `agent:claude` is an agent, `external:web` is external, a bare name is a person.

    A bare name that begins with the word agent (`agent-1`) is taken for an agent too: to trust less is the safe mistake.
    """
    channel, _, _ = actor.partition(":")
    if channel in tuple(Trust):
        return Trust(channel)
    begins, rest = actor[:5].lower(), actor[5:6]
    return Trust.AGENT if begins == "agent" and not rest.isalpha() else Trust.OPERATOR


def check_actor(actor: str) -> str:
    if not actor or len(actor) > 200 or not actor.isprintable():
        raise InvalidError(
            "actor: must be a short printable name", hint="For example: alice, or agent:claude.", where="actor"
        )
    if len(actor) > 15:  # no secret is shorter, and most names are
        from commonplace.guard.entry import admit

        admit({"actor": actor})
    return actor


def lesser(one: Trust, other: Trust) -> Trust:
    """What is derived is trusted no more than its least trusted source."""
    return other if one.outranks(other) else one


def tier_of(trust: Trust) -> Tier:
    """Where a memory of this trust belongs: curated with the person, or the agents' own (A13, A14). T1 has its own verb."""
    return Tier.T2 if trust in (Trust.OPERATOR, Trust.CURATED) else Tier.T3


def may_overrule(trust: Trust, record: MemoryRecord) -> bool:
    return not record.trust.outranks(trust)


def refuse_overruling(trust: Trust, record: MemoryRecord, verb: str) -> None:
    """A lower trust cannot archive, delete or replace what a higher one said."""
    if not may_overrule(trust, record):
        raise DeniedError(
            f"{verb}: this memory has the trust of {record.trust}; {trust} may not change it", where=record.id
        )


def refuse_unless_operator(trust: Trust, verb: str) -> None:
    if trust is not Trust.OPERATOR:
        raise DeniedError(f"{verb} is the operator's alone", hint="Ask the operator to run it.")
