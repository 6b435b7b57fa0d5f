"""`parallel`: several branches at once, in threads. What came of them is one object, with a field for each that came in.

All are begun; how long they are waited for is what `join` says: for all, for the first that succeeds, or for so many. A failure
is an error value or something raised. Waiting for all, the first failure ends the wait unless `on_fail` says otherwise. Who is
late is not stopped, since no model can be, but what it says is heard by nobody.
"""

from __future__ import annotations

import queue
import threading
from typing import NamedTuple

from commonplace.surfaces.vvm.evaluate import evaluate, evaluate_all
from commonplace.surfaces.vvm.machine import Machine
from commonplace.surfaces.vvm.scope import Frame
from commonplace.surfaces.vvm.syntax import Expr, Parallel
from commonplace.surfaces.vvm.values import UNIT, Raised, Value, error_value, is_error


class _Came(NamedTuple):
    """What a branch ended with."""

    name: str
    value: Value
    raised: Raised | None = None

    @property
    def failed(self) -> bool:
        return self.raised is not None or is_error(self.value)


def joined(machine: Machine, frame: Frame, block: Parallel) -> dict[str, Value]:
    options = evaluate_all(machine, frame, block.options)
    join, on_fail = options.get("join", "all"), options.get("on_fail", "fail-fast")
    wanted = {"all": len(block.branches), "first": 1, "any": options.get("count", 1)}[join]
    came = _waited(_begun(machine, frame, block), len(block.branches), wanted, fast=on_fail == "fail-fast", join=join)
    succeeded = [one.name for one in came if not one.failed]
    made = {one.name: UNIT if one.failed and on_fail == "ignore" else one.value for one in came}
    if join == "any":
        return {"_completed": succeeded, **made}
    if join == "first" and succeeded:
        return {"_winner": succeeded[0], succeeded[0]: made[succeeded[0]]}
    return {name: made[name] for name, _ in block.branches if name in made}


def _begun(machine: Machine, frame: Frame, block: Parallel) -> queue.SimpleQueue[_Came]:
    """Begin every branch; they come in as they end. Each has the frame of this moment, so that a late one sees no other `it`."""
    arriving: queue.SimpleQueue[_Came] = queue.SimpleQueue()
    for name, value in block.branches:
        inner = Frame(frame.module, frame.names, frame.bound, frame.it, frame.depth)
        threading.Thread(target=_branch, args=(machine, inner, name, value, arriving), daemon=True).start()
    return arriving


def _branch(machine: Machine, frame: Frame, name: str, value: Expr, arriving: queue.SimpleQueue[_Came]) -> None:
    try:
        arriving.put(_Came(name, evaluate(machine, frame, value)))
    except Raised as raised:
        arriving.put(_Came(name, raised.value, raised))
    except BaseException as cause:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
        failed = error_value("thrown", f"a branch failed: {type(cause).__name__}")
        arriving.put(_Came(name, failed, Raised(failed, value.at)))


def _waited(arriving: queue.SimpleQueue[_Came], branches: int, wanted: int, *, fast: bool, join: str) -> list[_Came]:
    came: list[_Came] = []
    while len(came) < branches and sum(not one.failed for one in came) < wanted:
        one = arriving.get()
        came.append(one)
        if fast and one.raised is not None:
            raise one.raised
        if fast and one.failed and join == "all":
            break
    return came
