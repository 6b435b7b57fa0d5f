"""Whose change a connection is in the middle of, and whether its block of code still runs.

An interrupt can strike after a change began and before the `with` block that would end it: then nobody ends it, for as long as
somebody looks at the interrupt's traceback. The stack tells such a leftover from a change that is really going on.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Final

_ENTRANCES: Final = frozenset({"__init__", "__enter__", "enter_context", "writing"})
_GENERATOR: Final = 0x20  # inspect.CO_GENERATOR; the module itself is slow to import


class Turn:
    """One change. It runs as long as the function whose `with` block began it is on the stack."""

    __slots__ = ("_block",)

    def __init__(self) -> None:
        block: FrameType | None = sys._getframe(1)
        # Past the steps on the way into the block; a generator's frame is off the stack while the block runs.
        while block is not None and ((code := block.f_code).co_name in _ENTRANCES or code.co_flags & _GENERATOR):
            block = block.f_back
        self._block = block

    def is_running(self) -> bool:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame is not self._block:
            frame = frame.f_back
        return frame is not None
