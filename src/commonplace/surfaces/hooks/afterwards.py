"""What a hook leaves to processes of their own, and begins when the agent has its answer: it must not wait for any of it."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from commonplace.surfaces.http.client import Daemon


class Afterwards:
    """A daemon that was killed comes back, receipts that had to wait are kept, files that nobody had time for are looked at."""

    def __init__(self, url: str, host: str, killed: Daemon | None) -> None:
        self._url, self._host, self._killed = url, host, killed
        self.receipts: list[str] = []
        """Each as JSON. Without them nobody would know what the agent was handed."""
        self.unlooked = False

    def begin(self) -> None:
        if self._killed is not None:
            from commonplace.surfaces.http.reviving import revive

            revive(self._killed)
        if self.receipts:
            self._begin("keep", "\n".join(self.receipts).encode())
        if self.unlooked:
            self._begin("look")

    def _begin(self, what: str, given: bytes = b"") -> None:
        from commonplace.surfaces import apart

        apart.begin(["hook", what, f"--host={self._host}", f"--book={self._url}"], given)
