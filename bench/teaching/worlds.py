"""A world: a made-up stretch of somebody's life in numbered lines, and questions with the lines that answer them.

    = everyday talk of two friends who row together
    @ 2024-03-04
    1 Nadia: I finally signed up for the spring regatta.
    2 Tomás: My shoulder still hurts, so I only steer this year.
    ? s | Which event is Nadia going to take part in? | 1
    ? u | Which event does Tomás row in this year? | - | 1 2

A question has its sort, its words, the numbers of all lines that hold (a part of) its answer, and, if there are any, the numbers
of lines that look like an answer and are none. A line has one speaker in front, or none in worlds of notes.

    python -m bench.teaching.worlds [FILE ...]      checks files and counts what is in them
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent / "worlds"
SORTS = {
    "s": "one line answers",
    "m": "several lines answer together",
    "t": "asks for a time, or by a time",
    "o": "wants a conclusion",
    "k": "a value that changed: older and newer lines",
    "h": "a request for help that should heed a wish, a taste or a limit",
    "u": "nobody said it",
}
_LINE = re.compile(r"(\d+) (.+)")


@dataclass(frozen=True)
class Question:
    sort: str
    text: str
    answers: tuple[int, ...]
    tempting: tuple[int, ...] = ()


@dataclass
class World:
    name: str
    about: str
    sessions: list[tuple[str, list[int]]] = field(default_factory=list)
    lines: dict[int, str] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)


def read_world(path: Path) -> World:
    """One file; whatever is wrong in it is a ValueError that names the line."""
    rows = path.read_text(encoding="utf-8").splitlines()
    world = World(path.stem, "")
    for number, row in enumerate(rows, start=1):
        try:
            _take(world, row.strip())
        except ValueError as wrong:
            raise ValueError(f"{path.name}:{number}: {wrong}") from wrong
    if not (world.about and world.sessions and world.questions):
        raise ValueError(f"{path.name}: it needs a line '= about', sessions and questions")
    return world


def _take(world: World, row: str) -> None:
    if not row:
        return
    mark, rest = row[0], row[1:].strip()
    if mark == "=":
        world.about = rest
    elif mark == "@":
        world.sessions.append((rest, []))
    elif mark == "?":
        world.questions.append(_question(world, rest))
    else:
        _add_line(world, row)


def _add_line(world: World, row: str) -> None:
    match = _LINE.fullmatch(row)
    if not match or not world.sessions:
        raise ValueError("not a numbered line below a session")
    number = int(match[1])
    if number in world.lines:
        raise ValueError(f"line {number} is there twice")
    world.lines[number] = match[2]
    world.sessions[-1][1].append(number)


def _question(world: World, row: str) -> Question:
    parts = [part.strip() for part in row.split("|")]
    if len(parts) not in (3, 4) or parts[0] not in SORTS:
        raise ValueError("a question is: sort | words | answering lines [| tempting lines]")
    answers, tempting = (_numbers(world, part) for part in (*parts[2:], "-")[:2])
    if bool(answers) == (parts[0] == "u"):
        raise ValueError("u, and only u, has no answering lines")
    if set(answers) & set(tempting):
        raise ValueError("a line answers or tempts, not both")
    return Question(parts[0], parts[1], answers, tempting)


def _numbers(world: World, part: str) -> tuple[int, ...]:
    numbers = tuple(int(one) for one in re.split(r"[ ,]+", part) if one != "-")
    unknown = [one for one in numbers if one not in world.lines]
    if unknown:
        raise ValueError(f"there is no line {unknown[0]}")
    return numbers


def read_worlds(folder: Path = HERE) -> list[World]:
    """All worlds, by name."""
    return [read_world(path) for path in sorted(folder.glob("*.txt"))]


def main(paths: list[str]) -> int:
    sorts: Counter[str] = Counter()
    lines = wrong = count = 0
    for path in [Path(one) for one in paths] or sorted(HERE.glob("*.txt")):
        try:
            world = read_world(path)
        except ValueError as problem:
            print(problem)
            wrong += 1
            continue
        count += 1
        lines += len(world.lines)
        sorts.update(one.sort for one in world.questions)
    print(
        f"{count} worlds, {lines} lines, {sum(sorts.values())} questions {dict(sorts.most_common())}, {wrong} wrong files"
    )
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
