"""`with Quietly(OSError):` passes over what may go wrong: `contextlib.suppress`, without what `contextlib` loads."""

from __future__ import annotations


class Quietly:
    """What is named may be raised inside, and ends there."""

    def __init__(self, *passed_over: type[Exception]) -> None:
        self._passed_over = passed_over

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self._passed_over)
