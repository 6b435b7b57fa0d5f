"""A long text is scanned a stretch at a time, and nothing escapes because of it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from commonplace.guard.secrets import scan
from commonplace.ingest.scanning import found_in

from .test_capturing import SECRETS, WORDS

HERE = Path(__file__).parent


def filler(rng: random.Random, size: int, line: int = 90) -> str:
    words = WORDS.split()
    made = " ".join(rng.choices(words, k=size // 5))
    return "\n".join(made[at : at + line] for at in range(0, len(made), line))


@pytest.mark.parametrize("seed", range(12))
def test_secrets_anywhere_are_found_where_a_whole_scan_finds_them(seed: int) -> None:
    """Also across the borders of stretches: the places are drawn, most of them near one."""
    rng = random.Random(seed)
    text = filler(rng, 120_000)
    for _ in range(30):
        sort = rng.choice([sort for sort in SECRETS if sort != "a key block"])
        border = rng.randrange(1, 8) * 16_384
        at = border + rng.randint(-200, 200) if rng.random() < 0.7 else rng.randrange(len(text))
        text = text[:at] + rng.choice(("\n", " ", "\n\n", "")) + SECRETS[sort] + rng.choice(("\n", " ")) + text[at:]
    found = found_in(text)
    assert found == scan(text)
    assert len(found) > 10


@pytest.mark.parametrize("sort", SECRETS)
@pytest.mark.parametrize("line", [90, 5_000, 200_000])
def test_however_long_the_lines_are(sort: str, line: int) -> None:
    rng = random.Random(line)
    for at in (0, 16_380, 16_384, 30_000, 65_530, 99_999):
        text = filler(rng, 130_000, line)
        text = f"{text[:at]} {SECRETS[sort]} {text[at:]}"
        assert found_in(text) == scan(text) != []


def test_a_token_longer_than_what_is_looked_at_around_is_found_whole() -> None:
    drawn = "".join(random.Random(7).choices("ABCDEFGHJKMNPQRSTVWXYZabcdefghkmnpqrstvwxyz23456789", k=9_000))
    text = filler(random.Random(8), 60_000) + f"\nAuthorization: Bearer {drawn}\n" + filler(random.Random(9), 60_000)
    assert found_in(text) == scan(text) != []


def test_what_looks_like_a_secret_and_is_none_is_left_alone() -> None:
    """Our own pages and programs, which speak of secrets all the time."""
    root = HERE.parents[2]
    text = "\n".join(page.read_text() for page in sorted((root / "docs" / "guide").glob("*.md")))
    assert len(text) > 50_000
    assert found_in(text) == scan(text)
