"""What is promised by whatever finds statements in a source: rules, or a model that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commonplace.model.proposal import Proposal
    from commonplace.model.transcript import Transcript


class Extractor(Protocol):
    """Finds statements worth proposing. It may be wrong, slow or down: whoever calls it checks what it says.

    Raises `UnavailableError` when it cannot look now; the event then waits for the next try.
    """

    @property
    def name(self) -> str:
        """Which extractor in which version: kept with what it proposed."""
        ...

    def proposals(self, transcript: Transcript) -> Sequence[Proposal]: ...
