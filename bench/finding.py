"""What does one hybrid search cost, and what does it miss? Words and vectors, without reranking, at three sizes.

Each book is asked the same questions: `lexical` and `nearest`, the best 100 of each, the question's vector known. The yardstick
is asked in turns with it, round by round: FTS5's own bm25 over the same words joined by OR, plus one exact numpy scan of the
same int8 vectors held in memory. All in one thread, three rounds; a question's time is its median over the rounds, in CPU
milliseconds (others may use the machine); what is printed is the median over the questions unless it says p95. Recall is the
share of the exact scan's ten best among our ten; for words, of plain bm25's ten best. A whole search is `Book.search` with the
same words and vector, everything that makes hits an answer and the receipt included, also in turns: everywhere, within one of
twenty projects, and within a project that has nothing yet. Then 300 other questions are asked once each, in turns with the plain
way by tens: what is remembered of earlier questions helps there only where words come up again, as they do in texts. Memory is
the peak of a process that does nothing but ask. Vectors are made like an embedder's: much in common, topics, a falling spectrum;
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
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import median, records, verdict, vocabulary
from commonplace.catalog.sqlite import vectors
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.catalog.sqlite.view import SqliteView
from commonplace.model.filter import Filter
from commonplace.model.words import Entity
from commonplace.seam.terms import Signature
from commonplace.wiring import open_book

SIZES = (10_000, 100_000, int(os.environ.get("COMMONPLACE_BENCH_LARGE", "1000000")))
QUESTIONS, NEW, LIMIT, DIMENSIONS, MODEL = 100, 300, 100, 384, "bench"
_SEED, _TOPICS, _BATCH, _ROUNDS, _TURN = 5, 2_000, 2_000, 3, 10
_PROJECTS = (None, "project-3", "nobody's")


def main(argv: list[str]) -> None:
    """`python -m bench.finding`: all sizes. `… ask BOOK`, `… race BOOK`: one book, in a process of its own, as JSON."""
    if argv[:1] in (["ask"], ["race"]):
        print(json.dumps((ask if argv[0] == "ask" else race)(Path(argv[1]))))
        return
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as folder:
        for line in run(Path(folder)):
            print(line, flush=True)


def run(folder: Path) -> Iterator[str]:
    yield f"  seed {_SEED}, {QUESTIONS} questions, the best {LIMIT} of each stream, {_ROUNDS} rounds; {NEW} more, once each"
    make_questions(folder)
    raced: dict[int, dict[str, Any]] = {}
    peaks: dict[int, int] = {}
    for size in dict.fromkeys(SIZES):
        path = folder / f"finding-{size}.sqlite"
        build(path, size)
        peaks[size] = _elsewhere("ask", path)["peak"]
        raced[size] = _elsewhere("race", path)
        yield f"  {size:,} memories, {path.stat().st_size / size:.0f} bytes each; peak {peaks[size] / 1024:.0f} MB"
        yield from _told(size, raced[size])
        path.unlink()
    small = raced[SIZES[0]]
    ratio = raced[SIZES[-1]]["p95"] / raced[SIZES[0]]["p50"]
    yield verdict(f"p95 at {SIZES[-1]:,} / median at {SIZES[0]:,}", ratio, 30)
    ratio = raced[SIZES[-1]]["whole_p95"] / small["whole_p95"]
    yield verdict(f"a whole search, p95 at {SIZES[-1]:,} / p95 at {SIZES[0]:,}", ratio, 30)
    yield verdict("peak memory, large minus small, MB", (peaks[SIZES[-1]] - peaks[SIZES[0]]) / 1024, 48)


def _told(size: int, raced: dict[str, Any]) -> Iterator[str]:
    both = f"both {raced['p50']:.2f}, p95 {raced['p95']:.2f} ms"
    yield f"        ours: words {raced['words']:.2f} + vectors {raced['vectors']:.2f}; {both}"
    projects = f"within a project {raced['within']:.2f}, within a new one {raced['in_vain']:.2f}"
    yield f"        a whole search: {raced['whole']:.2f}, p95 {raced['whole_p95']:.2f} ms; {projects}"
    yield f"        plain: words {raced['plain_words']:.2f} + vectors {raced['plain_vectors']:.2f} ms"
    yield f"        questions that are new: a whole search {raced['whole_new']:.2f}, plain {raced['plain_new']:.2f} ms"
    yield f"        ten best: of words {raced['same_words']:.1%}, of vectors {raced['same_vectors']:.1%}"
    if size <= 100_000:
        goal = 1 if size == 10_000 else 0.25
        yield verdict(f"both streams / plain at {size:,}", raced["p50"] / raced["plain"], goal)
        yield verdict(f"a whole search / plain at {size:,}", raced["whole"] / raced["plain"], goal)
        yield verdict(f"the same, questions that are new, at {size:,}", raced["whole_new"] / raced["plain_new"], goal)
    yield verdict("recall of the exact scan's ten best, percent", 100 * raced["same_vectors"], 99.5, at_least=True)


def _elsewhere(what: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.finding", what, str(path)]
    said = subprocess.run(
        command, capture_output=True, check=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    )
    answered: dict[str, Any] = json.loads(said.stdout)
    return answered


def ask(path: Path) -> dict[str, Any]:
    """The peak memory of this process, in KB, once it has asked everything."""
    canon = SqliteCanon(str(path), timeout=5.0)
    for words, vector in questions(path.parent):
        with canon.reading() as view:
            view.lexical([(word,) for word in words], Filter(), LIMIT)
            view.nearest(MODEL, vector, Filter(), LIMIT)
    canon.close()
    status = Path("/proc/self/status").read_text().splitlines()
    return {"peak": next(int(line.split()[1]) for line in status if "VmHWM" in line)}


def race(path: Path) -> dict[str, float]:
    """Ours and the plain way in turns: times, and how much of the plain way's answers ours has."""
    canon, asked, new = SqliteCanon(str(path), timeout=5.0), [*questions(path.parent)], [*new_questions(path.parent)]
    with canon.reading() as view:
        ways, whole = (Ours(view), Plain(view)), Whole(path, [*asked, *new])
        rounds, wholes = [], []
        for _ in range(_ROUNDS):
            rounds.append([_asked(way, asked) for way in ways])
            wholes.append([whole.times(asked, project) for project in _PROJECTS])
        turns = [new[at : at + _TURN] for at in range(0, len(new), _TURN)]
        once = [(whole.times(some), _asked(ways[1], some)[1]) for some in turns]
        whole.close()
    canon.close()
    searched, within, in_vain = np.median(wholes, axis=0).tolist()
    took = np.median([[times for _, times in turns] for turns in rounds], axis=0)
    ours, plain = took.sum(axis=2)
    (mine, _), (wanted, _) = rounds[0]
    same = np.array([[_same(w, m) for w, m in zip(*both, strict=True)] for both in zip(wanted, mine, strict=True)])
    return {
        **{name: median(took[0, :, i].tolist()) for i, name in enumerate(("words", "vectors"))},
        **{name: median(took[1, :, i].tolist()) for i, name in enumerate(("plain_words", "plain_vectors"))},
        "p50": median(ours.tolist()),
        "p95": sorted(ours.tolist())[int(len(ours) * 0.95)],
        "plain": median(plain.tolist()),
        "whole_new": median(took for ours, _ in once for took in ours),
        "plain_new": median(sum(both) for _, theirs in once for both in theirs),
        "whole": median(searched),
        "within": median(within),
        "in_vain": median(in_vain),
        "whole_p95": sorted(searched)[int(len(searched) * 0.95)],
        "same_words": float(same[:, 0].mean()),
        "same_vectors": float(same[:, 1].mean()),
    }


def _asked(way: Ours | Plain, asked: list[tuple[list[str], Any]]) -> tuple[list[tuple[list[int], list[int]]], Any]:
    """The answers to all questions, and the CPU milliseconds of each by words and by vectors."""
    answers, times = [], []
    for words, vector in asked:
        began = time.thread_time()
        by_words = way.words(words)
        between = time.thread_time()
        by_vectors = way.nearest(vector)
        times.append(((between - began) * 1e3, (time.thread_time() - between) * 1e3))
        answers.append((by_words, by_vectors))
    return answers, times


class Ours:
    def __init__(self, view: SqliteView) -> None:
        self._view = view

    def words(self, words: list[str]) -> list[int]:
        return [hit.place for hit in self._view.lexical([(word,) for word in words], Filter(), LIMIT)]

    def nearest(self, vector: Any) -> list[int]:
        return [hit.place for hit in self._view.nearest(MODEL, vector, Filter(), LIMIT)]


class Whole:
    """The book as whoever uses it asks it. It is its own model: the vectors of the questions are known."""

    model, dimensions, max_tokens = MODEL, DIMENSIONS, 512

    def __init__(self, path: Path, asked: list[tuple[list[str], Any]]) -> None:
        self._known = {" ".join(words): vector for words, vector in asked}
        self._book = open_book(f"sqlite:{path}", actor="bench")
        self._book._scribe._models = lambda: self  # type: ignore[assignment, return-value]

    def times(self, asked: list[tuple[list[str], Any]], project: str | None = None) -> list[float]:
        """CPU milliseconds for each question."""
        search, texts = self._book.search, [" ".join(words) for words, _ in asked]
        return [_cpu(lambda text=text: search(text, project=project, rerank=False)) for text in texts]  # type: ignore[misc]

    def close(self) -> None:
        self._book.close()

    def embedder(self) -> Whole:
        return self

    def reranker(self) -> None:
        return None

    def query(self, text: str) -> Any:
        return self._known[text]


def _cpu(call: Callable[[], object]) -> float:
    began = time.thread_time()
    call()
    return (time.thread_time() - began) * 1e3


class Plain:
    """The yardstick: what one would write first."""

    def __init__(self, view: SqliteView) -> None:
        self._db = view.connection
        rows = [*vectors.all_of(self._db, 1)]
        self._numbers = np.array([row[0] for row in rows])
        layout = vectors.layout(DIMENSIONS)
        stored = np.frombuffer(b"".join(row[2][: layout.itemsize] for row in rows), dtype=layout)
        self._codes, self._scales = np.ascontiguousarray(stored["codes"]), stored["scale"].copy()

    def words(self, words: list[str]) -> list[int]:
        rows = self._db.execute(
            "SELECT rowid, bm25(memories_fts, 4, 2, 1, 1) AS cost FROM memories_fts WHERE memories_fts MATCH ?"
            " ORDER BY cost LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), LIMIT),
        ).fetchall()
        return [row[0] for row in rows]

    def nearest(self, vector: Any) -> list[int]:
        scores = (self._codes.astype(np.float32) @ vector) * self._scales
        best = np.argpartition(-scores, LIMIT)[:LIMIT]
        found: list[int] = self._numbers[best[np.argsort(-scores[best])]].tolist()
        return found


def _same(wanted: list[int], got: list[int], first: int = 10) -> float:
    """The share of the first wanted ones that are among the first we got."""
    return len({*wanted[:first]} & {*got[:first]}) / max(len(wanted[:first]), 1)


def questions(folder: Path) -> Iterator[tuple[list[str], Any]]:
    """As they were made once: making them needs more memory than asking them."""
    yield from islice(_made(folder), QUESTIONS)


def new_questions(folder: Path) -> Iterator[tuple[list[str], Any]]:
    """Others, that are asked once."""
    yield from islice(_made(folder), QUESTIONS, None)


def _made(folder: Path) -> Iterator[tuple[list[str], Any]]:
    words = json.loads((folder / "questions.json").read_text())
    yield from zip(words, np.load(folder / "questions.npy"), strict=True)


def make_questions(folder: Path) -> None:
    """Words as people ask: some common, some rare; and a vector near to some topic, but made of other words."""
    chance, known = random.Random(_SEED), vocabulary()
    weights = [1 / (rank + 10) for rank in range(len(known))]
    words = [
        list(dict.fromkeys(chance.choices(known, weights, k=chance.randint(2, 9)))) for _ in range(QUESTIONS + NEW)
    ]
    (folder / "questions.json").write_text(json.dumps(words))
    np.save(folder / "questions.npy", _Maker(_SEED + 1).vectors(QUESTIONS + NEW).astype(np.float32))


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
