"""Teaching the embedder: of all lines of two worlds, those that answer a question shall be the nearest to it."""

from __future__ import annotations

import random
from pathlib import Path

import torch
from torch import Tensor

from bench.teaching import lessons
from bench.teaching.course import Course, Plan, steps
from bench.teaching.encoder import Encoder, batch_of
from bench.teaching.worlds import World
from commonplace.providers.onnx import read_vocabulary
from commonplace.providers.weights import E5

EPOCHS, RATE, SHARP = 3.0, 2e-4, 0.02
QUESTIONS, PASSAGES = 36, 8
AS_ONE = 0.5
"""In so many steps the worlds are read as if each sitting were kept as one memory: in passages alone."""
_ROUNDED = 0.25
"""The last part of a course, in which every step is rounded as the result will be. It takes a third longer than the others."""


class Pupil:
    def __init__(self) -> None:
        self.model = Encoder(Path(E5.path("model.onnx")), rounds=False)
        self._tokenizer = read_vocabulary(E5)

    def read(self, prefix: str, said: list[str], longest: int = 128) -> Tensor:
        """Their vectors, those of like length together."""
        rows = [self._tokenizer.text(prefix + each, longest) for each in said]
        order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
        parts = [order[at : at + 32] for at in range(0, len(order), 32)]
        with torch.autocast("cpu", torch.bfloat16):  # near and far are told apart in full, outside
            found = torch.cat([self.model.vectors(batch_of([rows[n] for n in part])) for part in parts])
        return found[torch.tensor(order).argsort()]


def loss(near: Tensor, answers: Tensor) -> Tensor:
    """Each answer against everything that is none; the answers of one question share its weight."""
    others = torch.logsumexp(near.masked_fill(answers, -1e9), 1, keepdim=True)
    each = torch.logaddexp(near, others) - near
    return ((each * answers).sum(1) / answers.sum(1)).mean()


def one_step(pupil: Pupil, worlds: list[World], rng: random.Random) -> Tensor:
    said: list[str] = []
    held: list[tuple[int, frozenset[int]]] = []
    asked: list[tuple[int, str, set[int]]] = []
    as_one = rng.random() < AS_ONE
    for number, world in enumerate(worlds):
        found = lessons.as_one(world, rng) if as_one else lessons.texts(world, rng, PASSAGES)
        said += [text.said for text in found]
        held += [(number, text.lines) for text in found]
        questions = [each for each in world.questions if each.answers]
        rng.shuffle(questions)
        asked += [(number, each.text, set(each.answers)) for each in questions[: QUESTIONS // len(worlds)]]
    answers = torch.tensor(
        [[of == number and bool(lines & wanted) for of, lines in held] for number, _, wanted in asked]
    )
    near = pupil.read(E5.query_prefix, [text for _, text, _ in asked], 64) @ pupil.read(E5.document_prefix, said).T
    return loss(near / SHARP, answers)


@torch.no_grad()
def examine(pupil: Pupil, worlds: list[World]) -> str:
    """Recall in the first five lines of a world, and the mean of one over the first right rank."""
    recall, ranks = [], []
    for world in worlds:
        numbers = [*world.lines]
        lines = pupil.read(E5.document_prefix, [lessons.plain(line) for line in world.lines.values()])
        for each in world.questions:
            if each.answers:
                near = (pupil.read(E5.query_prefix, [each.text]) @ lines.T)[0]
                order = [numbers[n] for n in near.argsort(descending=True).tolist()]
                recall.append(len(set(each.answers) & set(order[:5])) / len(each.answers))
                ranks.append(1 / (1 + min(order.index(one) for one in each.answers)))
    return f"recall@5 {sum(recall) / len(recall):.3f}, mrr {sum(ranks) / len(ranks):.3f}"


def teach(plan: Plan) -> dict[str, Tensor]:
    torch.manual_seed(1)
    rng, pupil = random.Random(1), Pupil()
    pupil.model.go_on_from(plan.learnt)
    learn_from, held_back = lessons.split(plan.mostly, rng)
    course = Course(pupil.model, RATE, int((plan.epochs or EPOCHS) * len(learn_from) / 2))
    print("before:", examine(pupil, held_back), flush=True)
    for number, worlds in enumerate(steps(learn_from, 2, course.length, rng)):
        if number == int((1 - _ROUNDED) * course.length):
            pupil.model.rounds(now=True)
        course.step(one_step(pupil, worlds, rng))
    print("after:", examine(pupil, held_back), flush=True)
    return pupil.model.state_dict()
