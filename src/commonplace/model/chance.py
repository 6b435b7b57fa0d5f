"""Random bytes, asked of the system a page at a time: a save needs a few, and each asking costs a system call."""

from __future__ import annotations

import os

_PAGE = 4096
_pool = bytearray()


def chance(count: int) -> bytes:
    """Fresh random bytes; each is handed out once."""
    if len(_pool) < count:
        _pool.extend(os.urandom(_PAGE))
    drawn = bytes(_pool[-count:])
    del _pool[-count:]
    return drawn


# A forked child must not draw what its parent will draw.
os.register_at_fork(after_in_child=_pool.clear)
