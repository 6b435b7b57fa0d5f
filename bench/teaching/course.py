"""A course: how fast is learnt at each step, and what is told of it meanwhile."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import torch
from torch import Tensor, nn

T = TypeVar("T")
_WARM_UP, _TELL_EVERY = 20, 10


@dataclass(frozen=True)
class Plan:
    """What a course begins with, how long it is, and from which worlds it is mostly taught."""

    learnt: dict[str, Tensor] = field(default_factory=dict)
    epochs: float = 0.0
    """As many as the model's own course has, if it is not said."""
    mostly: tuple[str, ...] = ()
    """How the names of these worlds begin; half as many of the others come along. All, if it is not said."""


class Course:
    """Thin matrices at the full rate, biases and norms at a quarter; slowly at first, and ever more slowly to the end."""

    def __init__(self, model: nn.Module, rate: float, length: int) -> None:
        learning = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        thin = [p for name, p in learning if name.endswith((".left", ".right"))]
        rest = [p for name, p in learning if not name.endswith((".left", ".right"))]
        self._optimizer = torch.optim.AdamW([{"params": thin}, {"params": rest}], weight_decay=0.01)
        self._rates, self._all, self.length = (rate, rate / 4), thin + rest, length
        self._done, self._usual, self._began = 0, 0.0, time.monotonic()

    def step(self, loss: Tensor) -> None:
        warm = min(1.0, (self._done + 1) / _WARM_UP)
        share = warm * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * self._done / self.length)))
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * share
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._all, 1.0)
        self._optimizer.step()
        self._tell(loss.item())

    def _tell(self, loss: float) -> None:
        self._usual = 0.95 * self._usual + 0.05 * loss if self._done else loss
        self._done += 1
        if self._done % _TELL_EVERY == 0:
            taken = time.monotonic() - self._began
            print(f"step {self._done} of {self.length}, loss {self._usual:.3f}, {taken:.0f} s", flush=True)


def steps(everything: list[T], at_once: int, length: int, rng: random.Random) -> Iterator[list[T]]:
    """So many at once, each as often as any other."""
    left: list[T] = []
    for _ in range(length):
        if len(left) < at_once:
            left = rng.sample(everything, len(everything))
        yield [left.pop() for _ in range(at_once)]
