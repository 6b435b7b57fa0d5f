"""Teach a model anew and bind what it learnt: `python -m bench.teaching embedder|reranker LESSON`.

Needs `requirements/teaching.in` and the base models (`python -m commonplace.providers.fetch e5-small-v2 ms-marco-minilm-l12`).
Half an hour for the embedder and an hour for the reranker, on two cores. The lesson is not the same to the last bit each time:
`weights.py` names the hash of the model with the lesson that is shipped.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.teaching import embedder, reranker
from bench.teaching.binding import bind
from commonplace.providers.weights import E5, RERANKER

TAUGHT = {"embedder": (E5, embedder.teach, 0.6), "reranker": (RERANKER, reranker.teach, 1.0)}
"""What is taught, how, and how much of what it learns is kept. With all of it the embedder is best at what the worlds teach, and
forgets some of what it knew: with six tenths LoCoMo's turns lose two points of the six, and everything else gains (ADR 38)."""


def main(which: str, lesson: str, *epochs: str) -> None:
    weights, teach, share = TAUGHT[which]
    bind(Path(weights.path("model.onnx")), teach(*map(float, epochs)), Path(lesson), share)


if __name__ == "__main__":
    main(*sys.argv[1:])
