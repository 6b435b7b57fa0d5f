"""Teach a model anew and bind what it learnt: `python -m bench.teaching embedder|reranker LESSON`.

Needs `requirements/teaching.in` and the base models (`python -m commonplace.providers.fetch e5-small-v2 ms-marco-minilm-l12`).
About half an hour each on two cores. The lesson is not the same to the last bit each time: `weights.py` names the hash of the
model with the lesson that is shipped.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.teaching import embedder, reranker
from bench.teaching.binding import bind
from commonplace.providers.weights import E5, RERANKER

TAUGHT = {"embedder": (E5, embedder.teach), "reranker": (RERANKER, reranker.teach)}


def main(which: str, lesson: str, *epochs: str) -> None:
    weights, teach = TAUGHT[which]
    bind(Path(weights.path("model.onnx")), teach(*map(float, epochs)), Path(lesson))


if __name__ == "__main__":
    main(*sys.argv[1:])
