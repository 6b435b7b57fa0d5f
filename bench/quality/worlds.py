"""Our own made-up worlds that no model of ours was taught with: 84 stretches of talk, of notes on papers and of manuals.

Whoever wrote them asked in other words than the lines were told in wherever a person would, which the public sets do less. So
this is where a search shows that it looks for what is meant. `young` is each book as it was after its first lines: in a small
one hardly anything is known of what is usual.
"""

from __future__ import annotations

from bench.quality.cases import Cases, Item, Question, Store, in_sessions
from bench.teaching.worlds import SORTS, World, read_worlds

_UNTAUGHT = ("manuals-", "papers-", "talks-")
_YOUNG = 16


def whole() -> Cases:
    return Cases("worlds whole", tuple(_store(world) for world in _worlds()))


def young() -> Cases:
    stores = (_store(world, _YOUNG) for world in _worlds())
    return Cases("worlds young", tuple(store for store in stores if store.questions))


def sittings() -> Cases:
    """Each day of the talks as one memory."""
    talks = tuple(_store(world) for world in _worlds() if world.name.startswith("talks-"))
    return in_sessions(Cases("worlds turn", talks), "worlds sitting")


def _worlds() -> list[World]:
    return [world for world in read_worlds() if world.name.startswith(_UNTAUGHT)]


def _store(world: World, first: int | None = None) -> Store:
    """The world, or its first lines and what is answered by them alone. What nobody answers is asked of the whole."""
    days = {number: day for day, numbers in world.sessions for number in numbers}
    known = sorted(world.lines)[:first]
    items = tuple(Item(str(n), world.lines[n], days[n], _when(days[n])) for n in known)
    asked = [one for one in world.questions if set(one.answers) <= {*known} and (one.answers or first is None)]
    return Store(
        world.name,
        items,
        tuple(
            Question(
                f"{world.name}/{n}",
                one.text,
                SORTS[one.sort],
                frozenset(map(str, one.answers)),
                frozenset(days[answer] for answer in one.answers),
            )
            for n, one in enumerate(asked)
        ),
    )


def _when(day: str) -> str:
    """A paper's year is no day."""
    return f"{day}T09:00:00" if len(day) == len("2024-01-15") else ""
