"""Teaching the reranker: to tell a line that answers a question from those that only look so, also when none does.

Its lines are the answers, those that the world names as tempting, and the nearest ones by meaning, as the product will hand them
over: with the line before, if it is a talk. It learns their order, and that yes is above zero and no is below.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bench.teaching import lessons
from bench.teaching.course import Course, steps
from bench.teaching.embedder import loss as order_loss
from bench.teaching.encoder import Judge, batch_of
from bench.teaching.worlds import World
from commonplace.providers.choice import choose
from commonplace.providers.onnx import read_vocabulary
from commonplace.providers.weights import RERANKER

EPOCHS, RATE, SETTLED = 0.6, 2e-4, 6
AT_ONCE, LONGEST = 6, 128
_BEFORE = 200  # characters of the line before, as in `retrieve/rerank.py`
_NEAREST = 12


class Exercise(NamedTuple):
    """A question, the lines that answer it, and others that come near."""

    asked: str
    answers: list[str]
    tempting: list[str]
    near: list[str]


class Pupil:
    def __init__(self) -> None:
        self.model = Judge(Path(RERANKER.path("model.onnx")), SETTLED)
        self._tokenizer = read_vocabulary(RERANKER)

    def read(self, pairs: list[tuple[str, str]]) -> Tensor:
        rows = [self._tokenizer.pair(asked, said, LONGEST) for asked, said in pairs]
        order = sorted(range(len(rows)), key=lambda n: len(rows[n][0]))
        parts = [order[at : at + 16] for at in range(0, len(order), 16)]
        said = [self.model.says(batch_of([rows[n][0] for n in part], [rows[n][1] for n in part])) for part in parts]
        return torch.cat(said)[torch.tensor(order).argsort()]


def exercises(worlds: list[World]) -> list[Exercise]:
    """All questions, with the lines that the embedder brings up for them."""
    embedder = choose({})
    assert embedder is not None
    found = []
    for world in worlds:
        numbers, told = [*world.lines], _told(world)
        lines = embedder.documents([lessons.plain(line) for line in world.lines.values()])
        for each in world.questions:
            order = np.argsort(-(lines @ embedder.query(each.text)))[:_NEAREST]
            near = [numbers[n] for n in order if numbers[n] not in {*each.answers, *each.tempting}]
            groups = (each.answers, each.tempting, near)
            found.append(Exercise(each.text, *([told[n] for n in group] for group in groups)))
    return found


def _told(world: World) -> dict[int, str]:
    """Each line as it is handed over: in a talk with the end of the one before."""
    told = {}
    for _, numbers in world.sessions:
        before = ""
        for number in numbers:
            line = lessons.plain(world.lines[number])
            told[number] = f"{before[-_BEFORE:]} {line}".strip()
            before = "" if world.name.startswith("notes") else line
    return told


def one_step(pupil: Pupil, some: list[Exercise], rng: random.Random) -> Tensor:
    pairs: list[tuple[str, str]] = []
    marks: list[tuple[int, bool]] = []
    for number, each in enumerate(some):
        wrong = rng.sample(each.tempting, min(1, len(each.tempting)))
        wrong += rng.sample(each.near, min(4 - len(wrong), len(each.near)))
        right = rng.sample(each.answers, min(1, len(each.answers)))
        pairs += [(each.asked, said) for said in right + wrong]
        marks += [(number, True)] * len(right) + [(number, False)] * len(wrong)
    said = pupil.read(pairs)
    of, is_right = torch.tensor([number for number, _ in marks]), torch.tensor([right for _, right in marks])
    total = functional.binary_cross_entropy_with_logits(said, is_right.float())
    for number in range(len(some)):
        own = of == number
        if is_right[own].any():
            total = total + order_loss(said[own][None], is_right[own][None]) / len(some)
    return total


@torch.no_grad()
def examine(pupil: Pupil, some: list[Exercise]) -> str:
    """How often an answer stands first, and whether the best line tells what has an answer from what has none."""
    first, best, none = [], [], []
    for each in some:
        lines = [*each.answers, *each.tempting, *each.near]
        said = pupil.read([(each.asked, line) for line in lines])
        (best if each.answers else none).append(said.max().item())
        if each.answers:
            first.append(said.argmax().item() < len(each.answers))
    pairs = [(one > other) + (one == other) / 2 for one in best for other in none]
    return f"first {sum(first) / len(first):.3f}, auroc {sum(pairs) / len(pairs):.3f}"


def teach(epochs: float = EPOCHS) -> dict[str, Tensor]:
    torch.manual_seed(2)
    rng, pupil = random.Random(2), Pupil()
    learn_from, held_back = lessons.split()
    learn, told = exercises(learn_from), rng.sample(exercises(held_back), 150)
    course = Course(pupil.model, RATE, int(epochs * len(learn) / AT_ONCE))
    print("before:", examine(pupil, told), flush=True)
    for some in steps(learn, AT_ONCE, course.length, rng):
        course.step(one_step(pupil, some, rng))
    print("after:", examine(pupil, told), flush=True)
    return pupil.model.state_dict()
