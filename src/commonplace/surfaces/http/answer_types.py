"""What each operation answers with, as a type: for the OpenAPI document, and for a client that wants nouns back."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    import msgspec

# By the sort of answer in the table; where a sort has several, by the operation. Named, because loading all costs.
_SORTS = {
    "record": "model.record:MemoryRecord",
    "records": "list model.record:MemoryRecord",
    "results": "model.result:SearchResults",
    "context": "model.bundle:ContextBundle",
    "receipts": "list model.receipt:Receipt",
    "inbox": "list model.inbox:InboxItem",
    "link": "model.link:Link",
    "links": "list model.link:Link",
    "conflict": "model.link:Conflict",
    "disputes": "list model.consolidation:Dispute",
    "consolidation": "model.consolidation:ConsolidationReport",
    "explanation": "engine.explain:Explanation engine.explain:ReceiptExplanation",
    "operation": "model.operation:Operation",
    "operations": "list model.operation:Operation",
    "examination": "model.finding:Examination",
    "import": "model.finding:ImportReport",
    "event": "model.source:IngestionEvent",
    "source": "model.source:Source",
    "worked": "model.job:WorkReport",
}
_OPERATIONS = {
    "purge": "model.finding:PurgeReport",
    "inbox-apply": "model.inbox:InboxReport",
    "index": "model.finding:IndexReport",
    "stats": "model.finding:BookStats",
    "queue": "model.job:WorkStatus",
    "resolve": "model.consolidation:Dispute",
}
_FILES = ("export", "backup")


def answer_types(operation: Described) -> tuple[Any, ...]:
    """One of these; none where the answer is a file."""
    if operation.name in _FILES:
        return ()
    named = _OPERATIONS.get(operation.name) or _SORTS[operation.answers]
    if named.startswith("list "):
        return (list[_loaded(named.removeprefix("list "))],)  # type: ignore[misc]
    return tuple(_loaded(one) for one in named.split())


def understood(operation: Described, said: bytes) -> Any:
    """The nouns that these bytes of JSON stand for."""
    import msgspec

    *others, last = _readers(operation)
    for reader in others:
        try:
            return reader.decode(said)
        except msgspec.ValidationError:
            continue
    return last.decode(said)


@cache
def _readers(operation: Described) -> tuple[msgspec.json.Decoder[Any], ...]:
    import msgspec

    from commonplace.model.base import taken_apart

    return tuple(msgspec.json.Decoder(taken_apart(sort)) for sort in answer_types(operation))


def _loaded(named: str) -> Any:
    module, _, name = named.partition(":")
    return getattr(import_module(f"commonplace.{module}"), name)
