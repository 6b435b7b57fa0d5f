"""When are two texts the same? When their fingerprints are equal (A70).

Line ends, indentation, runs of white space, blank lines and letter case do not count; punctuation and link targets do.
"""

from __future__ import annotations

from commonplace.model.hashing import sha256


def normalised(text: str) -> str:
    if "\n" not in text:
        return " ".join(text.split()).casefold()
    lines = (" ".join(line.split()) for line in text.replace("\r\n", "\n").split("\n"))
    return "\n".join(line for line in lines if line).casefold()


def fingerprint(text: str) -> str:
    # The algorithm is part of the value, so that a later change is seen instead of silently splitting the book in two.
    return "sha256:" + sha256(normalised(text).encode()).hex()
