"""Transcripts: commands and their answers as readable text, with what differs from run to run masked.

`make golden` writes them anew; the difference is then reviewed like code.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path(__file__).parent
_MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"), "2026-01-01 00:00:00Z"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\dZ"), "2026-01-01 00:00Z"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "2026-01-01 00:00 UTC"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"), "2026-01-01T00:00:00.000Z"),
    (re.compile(r"(?<=, )\d{4}-\d\d-\d\d(?=$|⟨)", re.MULTILINE), "2026-01-01"),
    (re.compile(r"(sha256 +)[0-9a-f]{64}"), r"\g<1>" + "0" * 64),
    (re.compile(r"(took {9}(?:⟨0⟩)?).+"), r"\1N"),
    (re.compile(r"(</?memory(?:⟨0⟩⟨2⟩)? )[a-z2-7]{20}"), r"\1" + "m" * 20),
    (re.compile(r"\d+( of \d+ tokens)"), r"N\1"),  # ids and the fence's mark cost a little more or less
    (re.compile(r"\b(bytes {7})[\d,]+"), r"\1N"),
    (re.compile(r"\b(size {8}(?:⟨0⟩)?)[\d.,]+ \w+"), r"\1N"),
)
_ID = re.compile(r"\b0[0-9A-HJKMNP-TV-Z]{25}\b")


def masked(text: str) -> str:
    """Ids become numbers in the order they appear, as wide as they were, so that columns stay where they are."""
    seen: dict[str, str] = {}
    text = _ID.sub(lambda found: seen.setdefault(found[0], f"{len(seen) + 1:026}"), text)
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    return text


def with_visible_colour(text: str) -> str:
    """Escape sequences as ⟨36⟩, so that a person can review them."""
    return re.sub(r"\x1b\[([0-9;]*)m", r"⟨\1⟩", text)


def check(name: str, text: str) -> None:
    """The text must be what the golden file says; `COMMONPLACE_REWRITE_GOLDEN=1` makes it so."""
    path = FOLDER / name
    if os.environ.get("COMMONPLACE_REWRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.exists(), f"{name} is missing: run `make golden` and review it"
    assert text == path.read_text(), f"{name} differs: if that is meant, run `make golden` and review the difference"
