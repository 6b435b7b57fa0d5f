"""`explain`: why does the book remember this, and why did it bring that up?

Of a memory: where it came from, what it stands with, what happened to it, when it was last brought up. Of a receipt: the
ranking as it was, and whether the book would answer so today.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from commonplace.engine.receipts import waiting
from commonplace.engine.scribe import Request, Scribe, ask, must_find
from commonplace.model.base import Noun
from commonplace.model.link import Conflict, Link
from commonplace.model.operation import Operation
from commonplace.model.receipt import Moment, Outcome, Receipt
from commonplace.model.record import MemoryRecord
from commonplace.model.source import Source
from commonplace.model.words import Entity

if TYPE_CHECKING:
    from commonplace.retrieve.ranking import Found


class Explain(Request, frozen=True, kw_only=True):
    """Which memory, or which receipt."""

    id: Annotated[str, Meta(description="the id or alias of a memory, or the id of a receipt")]


class Explanation(Noun, frozen=True, kw_only=True):
    """Everything the book can say about one memory."""

    record: MemoryRecord
    because: str
    source: Source | None
    links: tuple[Link, ...]
    conflicts: tuple[Conflict, ...]
    history: tuple[Operation, ...]
    receipts: tuple[Receipt, ...] = ()
    """The last times it was brought up, or nearly."""


class ReceiptExplanation(Noun, frozen=True, kw_only=True):
    """One search or injection, told again."""

    receipt: Receipt
    because: str
    again: tuple[str, ...] | None
    """The memories that the same question brings up now, in their order; None when it cannot be asked again."""
    same: bool | None
    """Are those the same, in the same order? None when the book could not look, now or then."""


_RECENT = 5


def explain(scribe: Scribe, asked: Explain) -> Explanation | ReceiptExplanation:
    with scribe.reading() as view:
        receipt = view.receipt(asked.id) or waiting(scribe, asked.id)
    return _explain_receipt(scribe, receipt) if receipt else _explain_memory(scribe, asked)


def _explain_receipt(scribe: Scribe, receipt: Receipt) -> ReceiptExplanation:
    """The ranking as it was, beside what the same question brings up now. Who could not look has nothing to compare."""
    found = _asked_again(scribe, receipt)
    blind = found is not None and found.outcome is Outcome.NOT_SEARCHED
    again = None if found is None or blind else tuple(result.record.id for result in found.results)
    then = tuple(candidate.memory_id for candidate in receipt.chosen)
    unknown = again is None or receipt.outcome is Outcome.NOT_SEARCHED
    return ReceiptExplanation(
        receipt=receipt,
        because=_told(receipt) + ("; now the book could not be searched: run `commonplace doctor`" if blind else ""),
        again=again,
        same=None if unknown else again == then,
    )


def _asked_again(scribe: Scribe, receipt: Receipt) -> Found | None:
    """Ask again what was asked then, as if it were then: `yesterday` is the same day.

    An injection, or a question that was not kept, can only be told.
    """
    if receipt.moment is not Moment.SEARCH or receipt.query is None:
        return None
    from commonplace.engine.search import Search, look

    asked = ask(Search, query=receipt.query, profile=receipt.profile, **receipt.asked)
    return look(scribe, asked, receipt.at)


def _told(receipt: Receipt) -> str:
    """One plain sentence."""
    looked = [stream.name for stream in receipt.streams if stream.searched]
    missing = [f"{stream.name} ({stream.why_not})" for stream in receipt.streams if not stream.searched]
    said = f"{receipt.actor} asked through {receipt.surface} on {receipt.at:%Y-%m-%d %H:%M} UTC"
    said += f"; {len(receipt.chosen)} {'was' if len(receipt.chosen) == 1 else 'were'} chosen"
    said += f" by {' and '.join(looked)}" if looked else ""
    return said + (f"; not searched: {', '.join(missing)}" if missing else "")


def _explain_memory(scribe: Scribe, asked: Explain) -> Explanation:
    with scribe.reading() as view:
        record = must_find(view, asked.id)
        source = view.noun(Entity.SOURCE, record.source_ref) if record.source_ref else None
        history = (*view.foreign_history(record.id), *view.operations(subject=record.id))
        return Explanation(
            record=record,
            because=_because(record, history),
            source=source if isinstance(source, Source) else None,
            links=tuple(view.links(record.id)),
            conflicts=tuple(view.conflicts_of(record.id)),
            history=history,
            receipts=tuple(view.receipts(memory_id=record.id, limit=_RECENT)),
        )


def _because(record: MemoryRecord, history: tuple[Operation, ...]) -> str:
    """One plain sentence."""
    if not history:
        return "the journal does not say"
    first = history[0]
    said = f"{first.actor} saved it through {first.surface} on {first.at:%Y-%m-%d %H:%M} UTC"
    if record.occurrences > 1:
        said += f" and it was said {record.occurrences} times"
    if record.evidence_ref:
        said += f"; the evidence is {record.evidence_ref}"
    return f"{said}; it is {record.status}" + (f": {record.status_reason}" if record.status_reason else "")
