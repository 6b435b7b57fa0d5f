"""What all workers share: read a line of JSON, do what it says, answer with a line of JSON. Standard library only.

A worker is a script that runs in its peer's own environment, drives the peer through its public calls, and times them itself,
so that neither the pipe nor the JSON is counted. Vectors are handed over beforehand (`learn`): where a peer asks its embedder,
the answer is a lookup. A text that was not handed over is embedded by the real model, the same one for every peer.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import sys
import time
import traceback
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Item = tuple[str, str, str]
"""Id, text, and when it was said (ISO 8601 or empty)."""
Found = list[tuple[str, float]]


class Embedder:
    """Vectors that are known already; for other texts the real model, loaded when it is first needed."""

    def __init__(self) -> None:
        self.documents: dict[str, list[float]] = {}
        self.queries: dict[str, list[float]] = {}
        self.computed = 0
        self._model: Any = None

    def learn(self, documents: dict[str, str], queries: dict[str, str]) -> None:
        """These instead of the ones before: a worker must not be measured with the texts of others in its memory."""
        self.documents = {text: _numbers(packed) for text, packed in documents.items()}
        self.queries = {text: _numbers(packed) for text, packed in queries.items()}

    def document(self, text: str) -> list[float]:
        known = self.documents.get(text)
        return known if known is not None else self._made().documents([text])[0].tolist()

    def query(self, text: str) -> list[float]:
        known = self.queries.get(text)
        return known if known is not None else self._made().query(text).tolist()

    def _made(self) -> Any:
        self.computed += 1
        return self.model()

    def model(self) -> Any:
        if self._model is None:
            from commonplace.providers.choice import choose

            self._model = choose({})
        return self._model


def _numbers(packed: str) -> list[float]:
    return array("f", base64.b64decode(packed)).tolist()


class Peer:
    """What an adapter provides. It is opened on a folder, which may hold what an earlier process put there."""

    searches_words = False
    """Can it be asked by words alone?"""
    batch = 2_000
    """So many items are handed to `add` at a time."""
    children: tuple[int, ...] = ()
    """Processes that work for it; their time and memory are counted too."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.folder, self.embedder = folder, embedder

    def prepare(self, items: Sequence[Item]) -> Any:
        """Items in the form that `add` takes. Not timed."""
        return items

    def add(self, prepared: Any) -> None:
        """Many at once, by the best call the peer has for it."""
        raise NotImplementedError

    def put(self, item: Item) -> None:
        """One, by the call one would use in a conversation."""
        raise NotImplementedError

    def search(self, text: str, k: int) -> Found:
        """The peer's default search."""
        raise NotImplementedError

    def search_words(self, text: str, k: int) -> Found:
        raise NotImplementedError

    def search_meaning(self, text: str, k: int) -> Found:
        """The default search, which must not have done without vectors."""
        return self.search(text, k)

    def close(self) -> None:
        """Let go; everything is on disk afterwards."""

    def warm(self) -> None:
        """Anything the peer wants to do once after opening and before it is asked."""


class Desk:
    """One worker: answers requests about one opened peer."""

    def __init__(self, peer: Peer, embedder: Embedder) -> None:
        self.peer, self.embedder = peer, embedder

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = getattr(self, f"do_{asked.pop('do')}")(**asked)
        return answer

    def do_learn(self, documents: dict[str, str], queries: dict[str, str]) -> dict[str, Any]:
        self.embedder.learn(documents, queries)
        return {}

    def do_add(self, items: list[Item]) -> dict[str, Any]:
        prepared = self.peer.prepare(items)
        seconds, cpu, _ = self._timed(lambda: self.peer.add(prepared))
        return {"seconds": seconds, "cpu": cpu}

    def do_put(self, items: list[Item]) -> dict[str, Any]:
        return {"seconds": [self._timed(lambda item=item: self.peer.put(item))[0] for item in items]}

    def do_search(self, texts: list[str], k: int, words: bool = False) -> dict[str, Any]:
        ask = self.peer.search_words if words else self.peer.search
        timed = [self._timed(lambda text=text: ask(text, k)) for text in texts]
        return {
            "seconds": [seconds for seconds, _, _ in timed],
            "cpu": [cpu for _, cpu, _ in timed],
            "found": [found for _, _, found in timed],
        }

    def do_stats(self) -> dict[str, Any]:
        own = (os.getpid(), *self.peer.children)
        return {"resident": sum(map(_resident, own)), "computed": self.embedder.computed}

    def do_close(self) -> dict[str, Any]:
        self.peer.close()
        return {}

    def _timed(self, call: Callable[[], Any]) -> tuple[float, float, Any]:
        began, cpu = time.perf_counter(), cpu_seconds(self.peer)
        returned = call()
        return time.perf_counter() - began, cpu_seconds(self.peer) - cpu, returned


def cpu_seconds(peer: Peer) -> float:
    """Of this process since it began, and of those that work for it."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_cpu_of, peer.children))


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def serve(kind: Callable[[Path, Embedder], Peer]) -> None:
    """`worker FOLDER` answers until `close`; `worker FOLDER words|meaning TEXT` answers one question and says what it cost."""
    out = _own_stdout()
    folder, embedder = Path(sys.argv[1]), Embedder()
    if len(sys.argv) > 2:
        _say(out, _first_answer(kind(folder, embedder), *sys.argv[2:]))
        out.flush()
        os._exit(0)
    try:
        began = time.perf_counter()
        desk = Desk(kind(folder, embedder), embedder)
        about = {"words": desk.peer.searches_words, "batch": desk.peer.batch}
        _say(out, about | {"opened": time.perf_counter() - began})
        desk.peer.warm()
        for line in sys.stdin:
            asked = json.loads(line)
            last = asked["do"] == "close"
            _say(out, desk.answer(asked))
            if last:
                break
    except BaseException as error:
        traceback.print_exc()
        _say(out, {"error": f"{type(error).__name__}: {error}"[:500]})
    out.flush()
    os._exit(0)  # some peers keep threads that would hold the process


def _first_answer(peer: Peer, mode: str, text: str) -> dict[str, Any]:
    found = (peer.search_words if mode == "words" else peer.search_meaning)(text, 10)
    answer = {"cpu": cpu_seconds(peer), "found": len(found)}
    if peer.children:
        peer.close()
    return answer


def _own_stdout() -> Any:
    """Our lines alone go where stdout went; whatever a peer prints goes to stderr."""
    kept = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return kept


def _say(out: Any, answer: dict[str, Any]) -> None:
    out.write(json.dumps(answer) + "\n")
    out.flush()
