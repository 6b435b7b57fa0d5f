"""The long lease: one agent's memory is nobody else's while its call runs, and that may take minutes (V37-V39, X-12).

It lies beside the write mutex, under a name of its own for each key, and is never the same lock: while an agent thinks, others
write. Sharing is for those who only look (`dry_run`). Where the kernel has no locks a share excludes others too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from commonplace import settings
from commonplace.storage.mutex import STALE_SECONDS, Mutex


@contextmanager
def lease(
    store: str,
    key: str,
    timeout: float = settings.BUSY_TIMEOUT_SECONDS,
    shared: bool = False,
    *,
    way: str = "auto",
    stale: float = STALE_SECONDS,
) -> Iterator[Mutex]:
    """Hold the lease on `key` of a store for the length of the block; with `shared`, beside others who share it.

    Raises `LockedError` when it did not come within `timeout` seconds, saying who has it; at once (code `reentrant`) when this
    thread has it already. Ask it `must_be_mine()` before the call's changes are applied.
    """
    name = f"lease-{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
    with Mutex(store, name, shared=shared, way=way, stale=stale).held(timeout) as held:
        yield held
