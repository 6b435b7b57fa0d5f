"""Teach a model anew and bind what it learnt: `python -m bench.teaching embedder|reranker LESSON`.

Needs `requirements/teaching.in` and the base models (`python -m commonplace.providers.fetch e5-small-v2 ms-marco-minilm-l12`).
Half an hour for the embedder and an hour for the reranker, on two cores. `--from` begins with an earlier lesson, and `--mostly`
learns from the worlds whose names begin so and half as many others: a second course, when worlds were added. A lesson is not the
same to the last bit each time: `weights.py` names the hash of the model with the lesson that is shipped.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.teaching import embedder, reranker
from bench.teaching.binding import bind, unbind
from bench.teaching.course import Plan
from commonplace.providers.weights import E5, RERANKER

TAUGHT = {"embedder": (E5, embedder.teach), "reranker": (RERANKER, reranker.teach)}
"""What is taught, and how. All of what was learnt is kept, unless `--share` says less: of the embedder's first course it was six
tenths, because all of it forgot some of what the model knew (ADR 38, 40)."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.teaching", description="teach a model and bind what it learnt")
    parser.add_argument("which", choices=TAUGHT)
    parser.add_argument("lesson", type=Path, help="the file to write")
    parser.add_argument("--epochs", type=float, default=0.0)
    parser.add_argument("--from", dest="earlier", type=Path, help="a lesson to go on from, of which all was kept")
    parser.add_argument(
        "--mostly", nargs="+", default=[], help="how the names of the worlds begin that are mostly taught"
    )
    parser.add_argument("--share", type=float, default=1.0, help="how much of what was learnt is kept")
    asked = parser.parse_args()
    weights, teach = TAUGHT[asked.which]
    model = Path(weights.path("model.onnx"))
    learnt = unbind(model, asked.earlier) if asked.earlier else {}
    taught = teach(Plan(learnt, asked.epochs, tuple(asked.mostly)))
    bind(model, taught, asked.lesson, asked.share)


if __name__ == "__main__":
    main()
