"""How much is asked, how it went and how long it took: counters in plain text, without a word of what is in a book."""

from __future__ import annotations

import time
from collections import Counter


class Metrics:
    """Counts on one thread, the event loop's."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()

    def count(self, operation: str, status: int, seconds: float) -> None:
        self._requests[operation, status] += 1
        self._seconds[operation] += seconds  # type: ignore[assignment]

    def text(self, waiting: int) -> bytes:
        lines = [
            "# TYPE commonplace_up_seconds gauge",
            f"commonplace_up_seconds {time.monotonic() - self._began:.1f}",
            "# TYPE commonplace_waiting gauge",
            f"commonplace_waiting {waiting}",
            "# TYPE commonplace_requests_total counter",
        ]
        for (operation, status), number in sorted(self._requests.items()):
            lines.append(f'commonplace_requests_total{{operation="{operation}",status="{status}"}} {number}')
        lines.append("# TYPE commonplace_request_seconds_total counter")
        for operation, seconds in sorted(self._seconds.items()):
            lines.append(f'commonplace_request_seconds_total{{operation="{operation}"}} {seconds:.6f}')
        return ("\n".join(lines) + "\n").encode()
