"""Made-up memories in the manner of a long conversation, and questions whose one answer is known. The same ones in every run.

Who did what where is drawn without repetition, so that each question has exactly one answer; how it is told repeats, as
people do. They show that a system works and what it costs at a size. How well it finds is for the public sets to say.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product

SEED = 11
_WHO = """\
Maya Jonas Priya Tomás Aisha Wen Carla Dmitri Noor Elif Marcus Yuki
Hanna Kofi Lena Omar Petra Ravi Sofia Theo Uma Viktor Wanda Xavier"""
_WHAT = [
    line.split("|")
    for line in """\
went|go kayaking
took|take a pottery class
played|play a chess tournament
watched|watch an old western
baked|bake sourdough bread
fixed|fix the broken bicycle
adopted|adopt a grey kitten
painted|paint a mural of herons
started|start a book club
ran|run a half marathon
learned|learn to throw knives
gave|give a talk about beekeeping
planted|plant a row of apple trees
lost|lose a silver ring
found|find an injured owl
bought|buy a second-hand cello
recorded|record a podcast episode
taught|teach a swimming lesson
met|meet a former teacher
built|build a bookshelf from oak
photographed|photograph the lunar eclipse
cooked|cook a Georgian dinner
sold|sell the blue camper van
signed|sign up for volunteer firefighting
sang|sing in a gospel choir
broke|break a wrist
ordered|order a telescope
wrote|write a letter to the mayor
repaired|repair a pinball machine
organised|organise a surprise birthday party
tried|try indoor climbing
gathered|gather wild mushrooms
studied|study for the nursing exam
won|win a raffle prize
cancelled|cancel a gym membership
visited|visit an exhibition about maps
drank|drink far too much coffee
walked|walk three rescue dogs
knitted|knit a striped scarf
filmed|film a short documentary""".splitlines()
]
_WHERE = """\
the community centre
Lake Harmony
the old harbour
Riverside Park
the public library
Oakfield school
the night market
Mount Calder
the botanical garden
a friend's barn
the railway museum
St. Anne's hospital
the roof terrace
Willow Creek
the town hall
the ferry to Brenn
an abandoned mill
the university canteen
the skate park
Aunt Rosa's kitchen""".splitlines()
_WHEN = """\
last Tuesday
over the weekend
two weeks ago
on my birthday
yesterday after work
during the heat wave
just before the move
the day it snowed
after the concert
on the first day of spring""".splitlines()
_OPENING = """\
Guess what!
You won't believe it, but
Honestly,
So,
By the way,
It's been a busy week:
I keep thinking about it:
Thanks for asking!
Long story short:
Oh, and""".splitlines()
_CLOSING = """\
It was harder than I expected, but worth it.
My sister still laughs about it.
I want to do it again next month.
The photos turned out great.
I was so nervous beforehand!
It cost more than I had planned.
It really helped me to clear my head.
Everyone there was incredibly kind.
I'm still tired, to be honest.
Next time you should come along!""".splitlines()


@dataclass(frozen=True)
class Told:
    """One memory and the question it answers."""

    id: str
    text: str
    when: str
    question: str


def told(count: int) -> list[Told]:
    """The first `count` of at most 19,200."""
    chance = random.Random(SEED)
    facts = list(product(_WHO.split(), _WHAT, _WHERE))
    chance.shuffle(facts)
    start = datetime(2025, 1, 1, 9)
    return [_told(number, *fact, chance, start) for number, fact in enumerate(facts[:count])]


def _told(number: int, who: str, what: list[str], where: str, chance: random.Random, start: datetime) -> Told:
    did, do = what
    done = f"{did} {do.split(' ', 1)[1]}"
    text = f"{who}: {chance.choice(_OPENING)} I {done} at {where} {chance.choice(_WHEN)}. {chance.choice(_CLOSING)}"
    when = (start + timedelta(minutes=47 * number)).isoformat()
    return Told(f"m{number}", text, when, f"When did {who} {do} at {where}?")
