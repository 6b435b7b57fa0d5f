"""What of a world is read in one go: its lines one by one, some as a passage of several, and the questions about them."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from bench.teaching.worlds import World, read_worlds

HELD_BACK = ("06", "17")
"""Two worlds of each sort are not learnt from: they tell how well it goes."""
_ROLE = re.compile(r"^(user|assistant): ")
_LONGEST = 420
"""A passage has about as many characters as the product cuts (`retrieve/passages.py`)."""


class Text(NamedTuple):
    said: str
    lines: frozenset[int]


def split(mostly: tuple[str, ...], rng: random.Random) -> tuple[list[World], list[World]]:
    """The worlds to learn from, and those that are held back."""
    worlds = read_worlds()
    back = [world for world in worlds if world.name.endswith(HELD_BACK)]
    learn = [world for world in worlds if not world.name.endswith(HELD_BACK)]
    if mostly:
        wanted = [world for world in learn if world.name.startswith(mostly)]
        others = [world for world in learn if not world.name.startswith(mostly)]
        learn = wanted + rng.sample(others, min(len(wanted) // 2, len(others)))
    return learn, back


def plain(line: str) -> str:
    """Without `user:`; names of people stay, they say of whom it is."""
    return _ROLE.sub("", line)


def texts(world: World, rng: random.Random, most: int) -> list[Text]:
    """Every line, mostly without its role, and some passages."""
    told = plain if rng.random() < 0.7 else str
    found = [Text(told(line), frozenset((number,))) for number, line in world.lines.items()]
    cut = passages(world, rng)
    rng.shuffle(cut)
    return found + cut[:most]


def passages(world: World, rng: random.Random) -> list[Text]:
    """Lines of one sitting as the product cuts them, two to four together."""
    return [text for text in as_one(world, rng) if len(text.lines) > 1]


def as_one(world: World, rng: random.Random) -> list[Text]:
    """All of a world in passages, as it is read where a sitting is kept as one memory."""
    return [Text("\n".join(world.lines[n] for n in part), frozenset(part)) for part in _cut(world, rng)]


def _cut(world: World, rng: random.Random) -> list[list[int]]:
    found: list[list[int]] = []
    for _, numbers in world.sessions:
        part: list[int] = []
        wanted = rng.randint(2, 4)
        for number in numbers:
            room = _LONGEST - sum(len(world.lines[n]) + 1 for n in part)
            if part and (len(part) == wanted or len(world.lines[number]) > room):
                found.append(part)
                part, wanted = [], rng.randint(2, 4)
            part.append(number)
        found.append(part)
    return found
