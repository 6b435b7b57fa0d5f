"""What is found in a long text is what is found in a part of it: nothing hides in a crowd."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from commonplace.guard.secrets import Finding, scan

from .test_capturing import SECRETS, WORDS

HERE = Path(__file__).parent


def filler(rng: random.Random, size: int, line: int = 90) -> str:
    words = WORDS.split()
    made = " ".join(rng.choices(words, k=size // 5))
    return "\n".join(made[at : at + line] for at in range(0, len(made), line))


def part(text: str, at: int, around: int) -> list[Finding]:
    """What is found near a place when only its surroundings are scanned."""
    first = max(at - around, 0)
    return [Finding(one.kind, one.start + first, one.end + first) for one in scan(text[first : at + around])]


@pytest.mark.parametrize("seed", range(12))
def test_secrets_anywhere_are_found_as_they_are_in_a_small_text(seed: int) -> None:
    rng = random.Random(seed)
    text, places = filler(rng, 120_000), []
    for _ in range(30):
        sort = rng.choice([sort for sort in SECRETS if sort != "a key block"])
        at = rng.randrange(len(text) // 4_000) * 4_000
        secret = rng.choice(("\n", " ", "\n\n", "")) + SECRETS[sort] + rng.choice(("\n", " "))
        text = text[:at] + secret + text[at:]
        places = [at, *(place + len(secret) * (place >= at) for place in places)]
    found = scan(text)
    assert len(found) > 10
    for place in places:
        near = [one for one in found if place - 500 < one.start < place + 500]
        assert [one for one in part(text, place, 1_500) if place - 500 < one.start < place + 500] == near


@pytest.mark.parametrize("sort", SECRETS)
@pytest.mark.parametrize("line", [90, 5_000, 200_000])
def test_however_long_the_lines_are(sort: str, line: int) -> None:
    rng = random.Random(line)
    for at in (0, 16_380, 16_384, 30_000, 65_530, 99_999):
        text = filler(rng, 130_000, line)
        text = f"{text[:at]} {SECRETS[sort]} {text[at:]}"
        assert scan(text) == part(text, at, 5_000) != []


def test_a_token_longer_than_any_stretch_is_found_whole() -> None:
    drawn = "".join(random.Random(7).choices("ABCDEFGHJKMNPQRSTVWXYZabcdefghkmnpqrstvwxyz23456789", k=9_000))
    text = filler(random.Random(8), 60_000) + f"\nAuthorization: Bearer {drawn}\n" + filler(random.Random(9), 60_000)
    (found,) = scan(text)
    assert text[found.start : found.end] == drawn


def test_an_example_is_told_from_a_secret_on_either_side_of_the_border_of_a_stretch() -> None:
    """Stand-ins are looked for in stretches of the text; one that lies across the end of such a stretch is seen as well."""
    for shift in range(-80, 20):
        before = "x" * (4_096 + shift) + " "
        assert scan(f"{before}password=4kd7-changeme-9X and so on") == []
        (found,) = scan(f"{before}password=4kd7-qjwzxbme-9X and so on")
        assert found.start == len(before) + len("password=")


def test_what_looks_like_a_secret_and_is_none_is_left_alone() -> None:
    """Our own pages, which speak of secrets all the time."""
    root = HERE.parents[2]
    pages = [page.read_text() for page in sorted((root / "docs" / "guide").glob("*.md"))]
    text = "\n\n".join(pages)
    assert len(text) > 50_000
    assert len(scan(text)) == sum(len(scan(page)) for page in pages)
