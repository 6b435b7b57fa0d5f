"""What does one hybrid search cost, and what does it miss? Words and vectors, without reranking, at three sizes.

Each book is asked the same questions: `lexical` and `nearest`, the best 100 of each, the question's vector known. The yardstick
is asked in turns with it: FTS5's own bm25 over the same words joined by OR, plus one exact numpy scan of the same int8
vectors held in memory. Times are CPU milliseconds of the asking thread (others may use the machine), the median unless it says
p95. Recall is the share of the exact scan's ten best among our ten; for words, of plain bm25's ten best. Memory is the peak
of a process that does nothing but ask. Vectors are made like an embedder's: much in common, topics, a falling spectrum;
`COMMONPLACE_BENCH_VECTORS=file.npy` takes real ones and mixes more from them. `COMMONPLACE_BENCH_LARGE=100000` is quicker.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import median, records, verdict, vocabulary
from commonplace.catalog.sqlite import vectors
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.model.filter import Filter
from commonplace.model.words import Entity
from commonplace.seam.terms import Signature

SIZES = (10_000, 100_000, int(os.environ.get("COMMONPLACE_BENCH_LARGE", "1000000")))
QUESTIONS, LIMIT, DIMENSIONS, MODEL = 100, 100, 384, "bench"
_SEED, _TOPICS, _BATCH = 5, 2_000, 2_000


def main(argv: list[str]) -> None:
    """`python -m bench.finding`: all sizes. `… ask BOOK`: one book, as JSON; that is how memory is measured."""
    if argv[:1] == ["ask"]:
        print(json.dumps(ask(Path(argv[1]))))
        return
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as folder:
        for line in run(Path(folder)):
            print(line, flush=True)


def run(folder: Path) -> Iterator[str]:
    yield f"  seed {_SEED}, {QUESTIONS} questions, the best {LIMIT} of each stream"
    make_questions(folder)
    ours: dict[int, dict[str, Any]] = {}
    for size in dict.fromkeys(SIZES):
        path = folder / f"finding-{size}.sqlite"
        build(path, size)
        mine = ours[size] = _asked_elsewhere(path)
        floor = yardstick(path, mine)
        total = median([a + b for a, b in zip(mine["words"], mine["vectors"], strict=True)])
        mine["p95"] = sorted(a + b for a, b in zip(mine["words"], mine["vectors"], strict=True))[int(QUESTIONS * 0.95)]
        mine["p50"] = total
        yield f"  {size:,} memories, {path.stat().st_size / size:.0f} bytes each"
        words, vectored = median(mine["words"]), median(mine["vectors"])
        yield f"        ours: words {words:.2f} + vectors {vectored:.2f} ms, p95 of both {mine['p95']:.2f} ms"
        yield f"        plain: words {floor['words']:.2f} + vectors {floor['vectors']:.2f} ms"
        same = f"of words {floor['same_words']:.1%}, of vectors {floor['same_vectors']:.1%}"
        yield f"        ten best: {same}; peak {mine['peak'] / 1024:.0f} MB"
        if size <= 100_000:
            yield verdict(
                f"ours / plain at {size:,}", total / (floor["words"] + floor["vectors"]), 1 if size == 10_000 else 0.25
            )
        yield verdict("recall of the exact scan's ten best, percent", 100 * floor["same_vectors"], 99.5, at_least=True)
        path.unlink()
    small, large = ours[SIZES[0]], ours[SIZES[-1]]
    yield verdict(f"p95 at {SIZES[-1]:,} / median at {SIZES[0]:,}", large["p95"] / small["p50"], 30)
    yield verdict("peak memory, large minus small, MB", (large["peak"] - small["peak"]) / 1024, 48)


def ask(path: Path) -> dict[str, Any]:
    """CPU milliseconds of each question, the ten best of each stream, and the peak memory of this process."""
    canon, said = SqliteCanon(str(path), timeout=5.0), {"words": [], "vectors": [], "by_words": [], "by_vectors": []}
    for words, vector in questions(path.parent):
        with canon.reading() as view:
            began = time.thread_time()
            lexical = view.lexical([(word,) for word in words], Filter(), LIMIT)
            between = time.thread_time()
            nearest = view.nearest(MODEL, vector, Filter(), LIMIT)
            ended = time.thread_time()
        said["words"].append((between - began) * 1e3)
        said["vectors"].append((ended - between) * 1e3)
        said["by_words"].append([hit.place for hit in lexical[:10]])
        said["by_vectors"].append([hit.place for hit in nearest[:10]])
    canon.close()
    peak = next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
    return {**said, "peak": peak}


def _asked_elsewhere(path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.finding", "ask", str(path)]
    said = subprocess.run(
        command, capture_output=True, check=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    )
    answered: dict[str, Any] = json.loads(said.stdout)
    return answered


def yardstick(path: Path, mine: dict[str, Any]) -> dict[str, float]:
    """The plain way, and how much of its answers ours has."""
    canon = SqliteCanon(str(path), timeout=5.0)
    taken: dict[str, list[float]] = {"words": [], "vectors": [], "same_words": [], "same_vectors": []}
    with canon.reading() as view:
        rows = [*vectors.all_of(view.connection, 1)]
        numbers = np.array([row[0] for row in rows])
        layout = vectors.layout(DIMENSIONS)
        stored = np.frombuffer(b"".join(row[2][: layout.itemsize] for row in rows), dtype=layout)
        codes, scales = np.ascontiguousarray(stored["codes"]), stored["scale"].copy()
        del rows, stored
        for number, (words, vector) in enumerate(questions(path.parent)):
            began = time.thread_time()
            by_words = view.connection.execute(
                "SELECT rowid, bm25(memories_fts, 4, 2, 1, 1) AS cost FROM memories_fts WHERE memories_fts MATCH ?"
                " ORDER BY cost LIMIT ?",
                (" OR ".join(f'"{word}"' for word in words), LIMIT),
            ).fetchall()
            between = time.thread_time()
            scores = (codes.astype(np.float32) @ vector) * scales
            best = np.argpartition(-scores, LIMIT)[:LIMIT]
            best = numbers[best[np.argsort(-scores[best])]]
            ended = time.thread_time()
            taken["words"].append((between - began) * 1e3)
            taken["vectors"].append((ended - between) * 1e3)
            taken["same_words"].append(_same([row[0] for row in by_words[:10]], mine["by_words"][number]))
            taken["same_vectors"].append(_same(best[:10].tolist(), mine["by_vectors"][number]))
    canon.close()
    shares = {name: float(np.mean(taken[name])) for name in ("same_words", "same_vectors")}
    return {"words": median(taken["words"]), "vectors": median(taken["vectors"]), **shares}


def _same(wanted: list[int], got: list[int]) -> float:
    return len({*wanted} & {*got}) / max(len(wanted), 1)


def questions(folder: Path) -> Iterator[tuple[list[str], Any]]:
    """As they were made once: making them needs more memory than asking them."""
    words = json.loads((folder / "questions.json").read_text())
    yield from zip(words, np.load(folder / "questions.npy"), strict=True)


def make_questions(folder: Path) -> None:
    """Words as people ask: some common, some rare; and a vector near to some topic, but made of other words."""
    chance, known = random.Random(_SEED), vocabulary()
    weights = [1 / (rank + 10) for rank in range(len(known))]
    words = [list(dict.fromkeys(chance.choices(known, weights, k=chance.randint(2, 9)))) for _ in range(QUESTIONS)]
    (folder / "questions.json").write_text(json.dumps(words))
    np.save(folder / "questions.npy", _Maker(_SEED + 1).vectors(QUESTIONS).astype(np.float32))


class _Maker:
    """Unit vectors as an embedder makes them."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)
        shape = np.random.default_rng(_SEED)  # the same topics for books and questions
        given = os.environ.get("COMMONPLACE_BENCH_VECTORS")
        spectrum = 1 / np.sqrt(np.arange(DIMENSIONS) + 8)
        turn = np.linalg.qr(shape.normal(size=(DIMENSIONS, DIMENSIONS)))[0]
        self._turn = (spectrum[:, None] * turn).astype(np.float32)
        middle = shape.normal(size=DIMENSIONS)
        self._middle = (middle / np.linalg.norm(middle)).astype(np.float32)
        self._topics = np.load(given) if given else self._own(shape, _TOPICS)

    def _own(self, chance: np.random.Generator, count: int) -> Any:
        each = chance.normal(size=(count, DIMENSIONS)).astype(np.float32) @ self._turn
        return self._middle * 1.7 + each / np.linalg.norm(each, axis=1, keepdims=True)

    def vectors(self, count: int) -> Any:
        chance = self._chance
        one, other = (self._topics[chance.integers(0, len(self._topics), count)] for _ in range(2))
        share = chance.uniform(0.05, 0.4, (count, 1)).astype(np.float32)
        own = chance.normal(size=(count, DIMENSIONS)).astype(np.float32) @ self._turn
        made = (1 - share) * one + share * other + 0.25 * own / np.linalg.norm(own, axis=1, keepdims=True)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


def build(path: Path, size: int) -> None:
    """A book of so many memories with their vectors, written as an import and an embedder would."""
    canon, maker = SqliteCanon(str(path), timeout=60.0), _Maker(_SEED + 2)
    batch: list[Any] = []
    for record in records(size):
        batch.append(record)
        if len(batch) == _BATCH:
            _write(canon, batch, maker)
            batch = []
    if batch:
        _write(canon, batch, maker)
    canon.settle(60.0)
    canon.close()


def _write(canon: SqliteCanon, batch: list[Any], maker: _Maker) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=1)
    entries = [(r.id, r.fingerprint, v[None, :]) for r, v in zip(batch, maker.vectors(len(batch)), strict=True)]
    with canon.writing(60.0) as draft:
        draft.commit_all([(_signature(record.id, at), Entity.MEMORY, record) for record in batch])
        draft.keep_vectors(MODEL, entries)


def _signature(id: str, at: datetime) -> Signature:
    return Signature(id=f"op-{id}", verb="save", actor="bench", trust="operator", surface="library", at=at)


if __name__ == "__main__":
    main(sys.argv[1:])
