"""The same book and the same question have the same answer, to the byte: in another process, with another hash seed (rfc 45)."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

ASK = """
import json, sys
import commonplace
from commonplace.testing.clocks import FixedClock
with commonplace.open(sys.argv[1], create=False, clock=FixedClock()) as book:
    for query in json.loads(sys.argv[2]):
        for profile in ("hybrid", "vault", "recent", "words"):
            for who in ({}, {"project": "p1"}, {"project": "p1", "agent": "a"}):
                results = book.search(query, profile=profile, **who)
                said = results.to_dict()
                del said["receipt_id"]
                receipt = book.explain(results.receipt_id).receipt
                print(json.dumps([said, [(one.memory_id, one.reason, one.scores) for one in receipt.near_misses]]))
"""
QUERIES = [
    "the car and the clinic",
    "which database",
    "Ann lake",
    "@Eve",
    '"the car"',
    "current number",
    "carr",
    "数据库",
]


@pytest.fixture
def filled(understood):
    for n in range(60):
        word = ("car", "clinic", "database", "supper", "garden")[n % 5]
        understood.save(f"The {word} of house {n % 7} is number {n}.", type="project", project_id=f"p{n % 3}")
    for n, said in enumerate(["Ann: the lake?", "Bob: yes!", "Ann: @Eve comes too", "我们的数据库在法兰克福"]):
        understood.save(said, type="episode", scope="project", project_id="p1", tags=[f"t{n}"])
    ids = [record.id for record in understood.list(limit=40)]
    for one, other in zip(ids[::2], ids[1::2], strict=True):
        understood.link(one, other, "related_to")
    understood.contradict(ids[0], ids[5])
    understood.index_pending()
    understood.search("settle")
    return understood


def asked_elsewhere(url, seed):
    env = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", ASK, url, json.dumps(QUERIES)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_answer_is_the_same_to_the_byte(filled):
    first, second = (asked_elsewhere(filled.url, seed) for seed in ("1", "4242"))
    assert len(first.splitlines()) == len(QUERIES) * 12
    assert first == second
