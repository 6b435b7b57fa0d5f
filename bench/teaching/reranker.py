"""Teaching the reranker: to tell what answers a question from what only looks so, also when nothing does.

It reads what the product will hand it: lines, in a talk each with the line before, and passages of several lines. Of each
question one that answers, one that the world names as tempting, and some of the nearest by meaning. It learns their order, and
that yes is above zero and no is below.
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
from bench.teaching.course import Course, Plan, steps
from bench.teaching.embedder import loss as order_loss
from bench.teaching.encoder import Judge, batch_of
from bench.teaching.worlds import Question, World
from commonplace.providers.choice import choose
from commonplace.providers.onnx import read_vocabulary
from commonplace.providers.weights import RERANKER

EPOCHS, RATE = 1.0, 2e-4
AT_ONCE, LONGEST = 8, 160
_BEFORE = 200  # characters of the line before, as in `retrieve/rerank.py`
_NEAREST = 16
_WRONG = 4


class Exercise(NamedTuple):
    """A question, the texts that answer it, and others that come near."""

    asked: str
    answers: list[str]
    tempting: list[str]
    near: list[str]


class Pupil:
    def __init__(self) -> None:
        self.model = Judge(Path(RERANKER.path("model.onnx")), rounds=False)
        self._tokenizer = read_vocabulary(RERANKER)

    def read(self, pairs: list[tuple[str, str]]) -> Tensor:
        rows = [self._tokenizer.pair(asked, said, LONGEST) for asked, said in pairs]
        order = sorted(range(len(rows)), key=lambda n: len(rows[n][0]))
        parts = [order[at : at + 16] for at in range(0, len(order), 16)]
        with torch.autocast("cpu", torch.bfloat16):
            said = [self.model.says(batch_of([rows[n][0] for n in part], [rows[n][1] for n in part])) for part in parts]
        return torch.cat(said).float()[torch.tensor(order).argsort()]


def exercises(worlds: list[World], rng: random.Random) -> list[Exercise]:
    """All questions twice: about lines, and about passages of them; with what the embedder brings up for them."""
    embedder = choose({})
    assert embedder is not None
    found = []
    for world in worlds:
        asked = [embedder.query(each.text) for each in world.questions]
        for texts in (_lines(world), lessons.passages(world, rng)):
            vectors = embedder.documents([lessons.plain(text.said) for text in texts])
            for each, query in zip(world.questions, asked, strict=True):
                near = np.argsort(-(vectors @ query))[:_NEAREST]
                exercise = _exercise(each, texts, [texts[n] for n in near])
                # What has no passage with another line is asked of the lines only.
                if exercise.answers or (exercise.near and not each.answers):
                    found.append(exercise)
    return found


def _exercise(question: Question, texts: list[lessons.Text], near: list[lessons.Text]) -> Exercise:
    answers = [text for text in texts if text.lines & {*question.answers}]
    tempting = [text for text in texts if text.lines & {*question.tempting} and text not in answers]
    rest = [text for text in near if text not in answers and text not in tempting]
    return Exercise(question.text, *([text.said for text in group] for group in (answers, tempting, rest)))


def _lines(world: World) -> list[lessons.Text]:
    """Each line as it is handed over: in a talk with the end of the one before."""
    told = []
    for _, numbers in world.sessions:
        before = ""
        for number in numbers:
            line = lessons.plain(world.lines[number])
            told.append(lessons.Text(f"{before[-_BEFORE:]} {line}".strip(), frozenset((number,))))
            before = "" if world.name.startswith("notes") else line
    return told


def one_step(pupil: Pupil, some: list[Exercise], rng: random.Random) -> Tensor:
    pairs: list[tuple[str, str]] = []
    marks: list[tuple[int, bool]] = []
    for number, each in enumerate(some):
        wrong = rng.sample(each.tempting, min(1, len(each.tempting)))
        wrong += rng.sample(each.near, min(_WRONG - len(wrong), len(each.near)))
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
    """How often an answer stands first, and whether the best text tells what has an answer from what has none."""
    first, best, none = [], [], []
    for each in some:
        texts = [*each.answers, *each.tempting, *each.near]
        said = pupil.read([(each.asked, text) for text in texts])
        (best if each.answers else none).append(said.max().item())
        if each.answers:
            first.append(said.argmax().item() < len(each.answers))
    pairs = [(one > other) + (one == other) / 2 for one in best for other in none]
    return f"first {sum(first) / len(first):.3f}, auroc {sum(pairs) / len(pairs):.3f}"


def teach(plan: Plan) -> dict[str, Tensor]:
    torch.manual_seed(2)
    rng, pupil = random.Random(2), Pupil()
    pupil.model.go_on_from(plan.learnt)
    learn_from, held_back = lessons.split(plan.mostly, rng)
    learn, told = exercises(learn_from, rng), rng.sample(exercises(held_back, rng), 300)
    course = Course(pupil.model, RATE, int((plan.epochs or EPOCHS) * len(learn) / AT_ONCE))
    print("before:", examine(pupil, told), flush=True)
    for some in steps(learn, AT_ONCE, course.length, rng):
        course.step(one_step(pupil, some, rng))
    print("after:", examine(pupil, told), flush=True)
    return pupil.model.state_dict()
