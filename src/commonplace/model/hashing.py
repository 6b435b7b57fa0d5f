"""SHA-256, loaded when the first hash is asked for: a reader that hashes nothing does not pay for it (docs/adr/0007)."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _algorithm() -> Any:
    from hashlib import sha256

    return sha256


def sha256(data: bytes) -> bytes:
    digest: bytes = _algorithm()(data).digest()
    return digest
