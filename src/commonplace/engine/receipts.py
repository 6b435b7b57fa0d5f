"""Receipts: every search and every injection leaves one, so that it can be told later why these came up and those did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from commonplace import settings
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import CorruptError, LockedError, UnavailableError
from commonplace.model.base import utc
from commonplace.model.ids import new_id
from commonplace.model.receipt import Candidate, Moment, Receipt
from commonplace.model.result import RetrievalResult

if TYPE_CHECKING:
    from commonplace.retrieve.ranking import Found
    from commonplace.seam.catalog import View


class Receipts(Request, frozen=True, kw_only=True):
    """Which receipts, newest first."""

    memory: Annotated[str | None, Meta(description="only those that brought up this memory")] = None
    session: Annotated[str | None, Meta(description="only of this session")] = None
    since: Annotated[datetime | None, Meta(description="at or after")] = None
    limit: Annotated[int, Meta(description="at most this many", ge=1, le=settings.MAX_LIST_LIMIT)] = 20


def receipts(scribe: Scribe, asked: Receipts) -> Sequence[Receipt]:
    since = utc(asked.since, "since") if asked.since else None
    with scribe.reading() as view:
        memory = view.memory(asked.memory) if asked.memory else None
        named = memory.id if memory else asked.memory
        return view.receipts(memory_id=named, session=asked.session, since=since, limit=asked.limit)


def receipt_of(
    scribe: Scribe,
    *,
    moment: Moment,
    query: str,
    profile: str,
    asked: Mapping[str, object],
    found: Found,
    chosen: Sequence[RetrievalResult] | None = None,
    near_misses: Sequence[Candidate] | None = None,
    tokens: int | None = None,
    session: str | None = None,
) -> Receipt:
    """What is to be kept of one search. `chosen` and `near_misses` say more when not all that was found was used."""
    from commonplace.guard.secrets import has_secret

    taken = found.results if chosen is None else chosen
    lost = found.near_misses if near_misses is None else near_misses
    given = {name: value for name, value in asked.items() if value not in (None, ())}
    withheld = _with_secrets(given)
    secret = has_secret(query)  # of which not even a hash is kept: a short one could be guessed from it
    return Receipt(
        id=new_id(),
        at=scribe.clock.now(),
        moment=moment,
        actor=scribe.actor,
        surface=scribe.surface,
        query=None if withheld or secret else _kept(query),
        query_hash="" if secret else _hash_of(query),
        profile=profile,
        asked={name: value for name, value in given.items() if name not in withheld},
        chosen=tuple(candidate_of(result) for result in taken),
        near_misses=tuple(lost[: settings.NEAR_MISSES_KEPT]),
        thresholds=found.thresholds,
        outcome=found.outcome,
        confidence=found.confidence,
        streams=found.streams,
        timings=found.timings,
        models=found.models,
        tokens=tokens,
        session=session,
    )


def candidate_of(result: RetrievalResult, reason: str | None = None, tokens: int | None = None) -> Candidate:
    return Candidate(
        memory_id=result.record.id,
        score=result.score,
        scores=result.scores,
        ranks=result.ranks,
        reach=str(result.reach),
        reason=reason,
        tokens=tokens,
    )


def _kept(query: str) -> str | None:
    """The question as the receipt keeps it: not at all if the setting says so, or if it is no text that can be kept."""
    if not settings.receipt_queries() or len(query) > settings.MAX_KEPT_QUERY_CHARS:
        return None
    if "\0" in query or any("\ud800" <= char <= "\udfff" for char in query):
        return None
    return query


def _hash_of(query: str) -> str:
    """To know the same question again."""
    return sha256(query.encode(errors="surrogatepass")).hexdigest()


def _with_secrets(given: Mapping[str, object]) -> list[str]:
    """A secret may also be pasted into a filter. Then the question cannot be asked again, and is not kept either."""
    from commonplace.guard.secrets import has_secret

    texts = {
        name: " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        for name, value in given.items()
        if isinstance(value, (str, list, tuple))
    }
    return [name for name, text in texts.items() if text and has_secret(str(text))]


def keep(scribe: Scribe, receipt: Receipt) -> None:
    """Write it down without making the one who asked wait: behind a busy writer it waits for the next occasion."""
    scribe.unkept.append(receipt)
    flush(scribe)


def flush(scribe: Scribe) -> None:
    """Write down what waits. A book that cannot be written to keeps no receipts, and is searched all the same."""
    taken = []
    while scribe.unkept:  # one by one: another thread may be at it too
        with suppress(IndexError):
            taken.append(scribe.unkept.pop(0))
    if not taken:
        return
    try:
        with scribe.canon.writing(settings.RECEIPT_WAIT_SECONDS, durable=False) as draft:
            draft.keep_receipts(_that_may_be_kept(draft, taken), settings.RECEIPTS_KEPT)
    except LockedError:
        scribe.unkept[:0] = taken
        del scribe.unkept[: -settings.RECEIPTS_WAITING]
    except (UnavailableError, CorruptError):
        return


def _that_may_be_kept(view: View, receipts: list[Receipt]) -> list[Receipt]:
    """What a memory was asked for goes with it when it is purged, also if that was not written down yet."""
    if not view.any_purged():
        return receipts
    return [receipt for receipt in receipts if not any(map(view.is_purged, receipt.names()))]


def waiting(scribe: Scribe, id: str) -> Receipt | None:
    """A receipt that is not written down yet."""
    return next((receipt for receipt in [*scribe.unkept] if receipt.id == id), None)


def shown_in(scribe: Scribe, session: str) -> set[str]:
    """The memories that this session has been handed already."""
    with scribe.reading() as view:
        told = [*scribe.unkept, *view.receipts(session=session, limit=settings.MAX_LIST_LIMIT)]
    injected = (receipt for receipt in told if receipt.session == session and receipt.moment is not Moment.SEARCH)
    return {candidate.memory_id for receipt in injected for candidate in receipt.chosen}
