"""SHA-256, loaded when the first hash is asked for: a reader that hashes nothing does not pay for it (docs/adr/0007)."""

from __future__ import annotations


def sha256(data: bytes) -> bytes:
    from hashlib import sha256 as algorithm

    return algorithm(data).digest()
