"""The desk: what the protocol may ask of a book, and for whom. It stands between MCP and whoever holds the book.

Everything is asked by the names of the table of operations. A process that opens the book itself answers directly; the daemon
looks at the rights of a token first. Neither is known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from commonplace.engine.context_sets import is_private
from commonplace.engine.scribe import harmless
from commonplace.errors import DeniedError, InvalidError, NotFoundError

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord

Ask = Callable[[str, dict[str, Any]], Any]
_MOST_ALWAYS_LOADED = 100


class Desk:
    """`ask(operation, fields)` performs an operation; `project` is meant where a caller names none; `agent` is who asks."""

    def __init__(self, ask: Ask, *, project: str | None = None, agent: str | None = None) -> None:
        self._ask, self.project, self.agent = ask, project, agent

    def ask(self, operation: str, **fields: Any) -> Any:
        """The operation's answer. What is None was not said."""
        return self._ask(operation, {name: value for name, value in fields.items() if value is not None})

    def memory(self, id: str) -> MemoryRecord:
        """One memory. What another agent keeps to itself is not there, in the same words as what is nowhere (row 131)."""
        found: MemoryRecord = self.ask("get", id=id)
        if is_private(found, self.agent):
            raise NotFoundError("there is no such memory", where=harmless(id))
        return found

    def always_loaded(self) -> list[MemoryRecord]:
        """What every session begins with: what is global, and what is of this project."""
        found = self._always_loaded(scopes=("global",))
        if self.project is not None:
            found |= self._always_loaded(project_id=self.project)
        return sorted(found.values(), key=lambda record: (record.slug, record.id))[:_MOST_ALWAYS_LOADED]

    def _always_loaded(self, **which: Any) -> dict[str, MemoryRecord]:
        try:
            found = self.ask("list", always_load=True, limit=_MOST_ALWAYS_LOADED, **which)
        except (DeniedError, InvalidError) as cause:
            if cause.code not in ("denied", "scope_required"):
                raise
            return {}  # a token that is for certain projects sees the memories of these alone
        return {record.id: record for record in found if not is_private(record, self.agent)}
