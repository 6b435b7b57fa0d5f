"""The adapters of the peers' bench, on a few memories and with what is installed here: ours and the floors.

The vectors are made up from the words, so that no model is needed: texts that share words are near each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from bench.peers.catalogue import ALL, FLOORS, OURS, PEERS, Entry, requirements
from bench.peers.environments import home_of
from bench.peers.flushes import _count
from bench.peers.measures import Plan
from bench.peers.process import Worker, WorkerError
from bench.peers.report import tables
from bench.peers.result import Result, part
from bench.peers.texts import Told, told

HERE = (OURS, *FLOORS)
Opener = Callable[[Entry], Worker]


def vector(text: str) -> np.ndarray:
    made = np.zeros(384, np.float32)
    for word in text.lower().replace("?", "").replace(".", "").split():
        made[int(hashlib.sha256(word.encode()).hexdigest(), 16) % 384] += 1
    return made / np.linalg.norm(made)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    workers: list[Worker] = []

    def opener(entry: Entry) -> Worker:
        workers.append(Worker(entry, home_of(entry, tmp_path), tmp_path / entry.worker, patience=60))
        return workers[-1]

    yield opener
    for worker in workers:
        worker.process.kill()
        worker.end()  # also of one that ended by itself: its pipes are ours to close


def load(worker: Worker, memories: list[Told]) -> None:
    worker.learn({each.text: vector(each.text) for each in memories}, {})
    worker.ask("add", items=[(each.id, each.text, each.when) for each in memories])


def ask(worker: Worker, question: str) -> list[str]:
    worker.learn({}, {question: vector(question)})
    return [id for id, _ in worker.ask("search", texts=[question], k=5)["found"][0]]


@pytest.mark.parametrize("entry", HERE, ids=lambda entry: entry.name)
def test_what_was_added_is_found_again_by_a_new_process(entry: Entry, opened: Opener) -> None:
    memories = told(40)
    first = opened(entry)
    load(first, memories)
    first.close()
    again = opened(entry)
    assert all(each.id in ask(again, each.question) for each in memories[:5])
    again.close()


@pytest.mark.parametrize("entry", HERE, ids=lambda entry: entry.name)
def test_what_was_put_alone_is_found_at_once(entry: Entry, opened: Opener) -> None:
    *before, last = told(21)
    worker = opened(entry)
    load(worker, before)
    worker.learn({last.text: vector(last.text)}, {})
    (seconds,) = worker.ask("put", items=[(last.id, last.text, last.when)])["seconds"]
    assert seconds > 0
    assert last.id in ask(worker, last.question)
    worker.close()


@pytest.mark.parametrize("entry", HERE, ids=lambda entry: entry.name)
def test_a_worker_that_was_handed_every_vector_computes_none(entry: Entry, opened: Opener) -> None:
    worker = opened(entry)
    memories = told(10)
    load(worker, memories)
    ask(worker, memories[3].question)
    told_of = worker.ask("stats")
    assert told_of["computed"] == 0
    assert told_of["resident"] > 1_000_000
    worker.close()


def test_ours_searches_by_meaning_too_when_vectors_are_handed_over(opened: Opener) -> None:
    """The words say nothing here; only the vector leads to the memory."""
    worker = opened(OURS)
    memories = told(10)
    load(worker, memories)
    worker.learn({}, {"zzyzx": vector(memories[7].text)})
    assert worker.ask("search", texts=["zzyzx"], k=3)["found"][0][0][0] == "m7"
    worker.close()


def test_what_a_peer_cannot_do_is_an_error_with_a_reason(opened: Opener) -> None:
    worker = opened(FLOORS[1])
    with pytest.raises(WorkerError, match="NotImplementedError"):
        worker.ask("search", texts=["anything"], k=3, words=True)


def test_each_made_up_question_has_one_answer_and_every_run_the_same() -> None:
    memories = told(19_200)
    assert len({each.text for each in memories}) == len({each.question for each in memories}) == 19_200
    assert told(100) == memories[:100]


def test_every_peer_that_comes_from_pip_has_its_requirements() -> None:
    for entry in PEERS:
        if entry.needs != "node":
            assert any(line.startswith(entry.package) for line in requirements(entry.name)), entry.name


def test_a_peer_that_did_not_run_is_told_with_the_reason() -> None:
    results = [Result(entry) for entry in ALL]
    results[3].trouble = "no such package"
    for each in results[:3]:
        each.loaded, each.known, each.known_cpu = 10, [0.002, 0.001], [0.001]
    lines = list(tables(results, Plan(records=10)))
    assert f"  {ALL[3].name}: not run: no such package" in lines
    assert any(line.startswith("| commonplace |") and "1 x" in line for line in lines)


def test_the_share_of_values_below_is_told_from_the_sorted_ones() -> None:
    assert part([5, 1, 2, 3, 4], 0.5) == 3
    assert part(list(range(100)), 0.95) == 95
    assert np.isnan(part([], 0.95))


def test_flushes_are_counted_once_even_when_a_call_is_interrupted(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_text("1 fdatasync(3) = 0\n2 fsync(4 <unfinished ...>\n2 <... fsync resumed>) = 0\n")
    assert _count(trace) == 2
