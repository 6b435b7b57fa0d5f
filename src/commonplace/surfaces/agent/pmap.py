"""`pmap`: one function over many items at once, answers in the order of the items (V54)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from commonplace.surfaces.agent.values import ErrorValue

T = TypeVar("T")
R = TypeVar("R")
_WORKERS = 8  # model calls wait for a network most of the time
# Ctrl-C that comes right before the main thread begins to wait is noticed only when that wait ends: so no wait is a long one.
_A_MOMENT = 0.25


def pmap(items: Iterable[T], f: Callable[[T], R], *, workers: int = _WORKERS) -> list[R] | ErrorValue:
    """`[f(item) for item in items]`, several at a time. The first item, in their order, that raises or answers with an
    error value decides: that is raised, or returned. What else was begun is finished first.

    Calls that share a memory's key wait for each other: give each its own key, or `memory_mode="fresh"` (V40).
    """
    with ThreadPoolExecutor(max_workers=max(workers, 1), thread_name_prefix="commonplace-pmap") as pool:
        try:
            return _in_order([pool.submit(f, item) for item in items])
        except KeyboardInterrupt:  # nobody waits for what a person called off
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _in_order(asked: list[Future[R]]) -> list[R] | ErrorValue:
    answers: list[R] = []
    for one in asked:
        while not one.done():
            wait([one], timeout=_A_MOMENT)
        answer = one.result()
        if isinstance(answer, ErrorValue):
            return answer
        answers.append(answer)
    return answers
