"""A writer that does a bit of everything to a book and says, before and after each step, what it is doing.

Before: what the journal will gain if the step happens. After: what the book answered. So whoever killed it knows exactly
which writes were acknowledged, and which single one was under way.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commonplace import Book, CommonplaceError

from .books import WORDS, open_book
from .children import Say

Left = dict[str, dict[str, Any] | None]
_REFUSALS = ("conflict", "stale", "not_found", "invalid")  # answers to a step that no longer makes sense


class Writer:
    """Steps drawn from a seed. Opens the book itself, so that kills also fall into opening and recovery."""

    def __init__(self, where: Path, seed: int, say: Say) -> None:
        self._where, self._say = where, say
        self._rng = random.Random(seed)
        self._name = f"{seed:x}"

    def run(self, steps: int) -> None:
        try:
            with open_book(self._where) as book:
                self._book = book
                self._live = [record.id for record in book.list(limit=100)]
                for n in range(steps):
                    self._step(n)
        except CommonplaceError as cause:
            self._say({"failed": cause.to_dict(), "at": time.monotonic_ns()})

    def _step(self, n: int) -> None:
        verb = self._rng.choices(*zip(*_MIX, strict=True))[0] if len(self._live) > 5 else Writer._save
        try:
            left = verb(self, f"{self._name}-{n}")
        except CommonplaceError as cause:
            said = "refused" if cause.kind in _REFUSALS else "failed"
            self._say({said: cause.to_dict(), "at": time.monotonic_ns()})
            return
        except OSError as cause:  # our own import file, on a disk that lost its power
            self._say({"failed": str(cause), "at": time.monotonic_ns()})
            return
        head = self._book.journal(limit=1)[-1]
        self._say({"ack": time.monotonic_ns(), "seq": head.seq, "operation": head.id, "left": left})

    def _begin(self, verbs: list[str], touches: tuple[str, ...] = (), **more: Any) -> None:
        self._say({"begin": verbs, "touches": touches, **more})

    def _pick(self) -> str:
        return self._rng.choice(self._live)

    def _save(self, name: str) -> Left:
        request = {
            "content": f"Step {name}: {' '.join(self._rng.choices(WORDS, k=12))}.",
            "type": "project",
            "project_id": "atlas",
            "tags": [self._rng.choice(WORDS)],
            "idempotency_key": name,
        }
        self._begin(["save"], retry=request)
        record = self._book.save(**request)
        self._live.append(record.id)
        return {record.id: record.to_dict()}

    def _reinforce(self, _: str) -> Left:
        old = self._book.get(self._pick())
        self._begin(["reinforce"], (old.id,))
        record = self._book.save(old.content, type=str(old.type), project_id=old.project_id)
        return {record.id: record.to_dict()}

    def _evolve(self, name: str) -> Left:
        old = self._pick()
        self._begin(["evolve"], (old,))
        new = self._book.evolve(old, f"Changed in {name}: {' '.join(self._rng.choices(WORDS, k=8))}.", reason=name)
        self._live.remove(old)
        self._live.append(new.id)
        return {new.id: new.to_dict(), old: self._book.get(old).to_dict()}

    def _link(self, name: str) -> Left:
        one, other = self._rng.sample(self._live, 2)
        self._begin(["link"])
        self._book.link(one, other, self._rng.choice(("supports", "related_to", "applies_to")), evidence_ref=name)
        return {}

    def _contradict(self, name: str) -> Left:
        one, other = self._rng.sample(self._live, 2)
        self._begin(["contradict"])
        self._book.contradict(one, other, reason=name)
        return {}

    def _put_away(self, name: str) -> Left:
        verb = self._rng.choice(("archive", "forget"))
        id = self._pick()
        self._begin([verb], (id,))
        away = getattr(self._book, verb)(id, reason=name)
        self._live.remove(id)
        return {id: away.to_dict()}

    def _restore(self, name: str) -> Left:
        away = self._book.list(statuses=("archived", "deleted"), limit=5)
        if not away:
            return self._save(name)
        replaced = [away[0].supersedes] if away[0].supersedes else []  # steps aside again, if that was undone
        self._begin(["restore"], (away[0].id, *replaced))
        back = self._book.restore(away[0].id, reason=name)
        self._live = [id for id in self._live if id not in replaced]
        return {back.id: back.to_dict()} | {id: _state(self._book, id) for id in replaced}

    def _revert(self, name: str) -> Left:
        last = self._book.journal(limit=1)[-1]
        touched = [change.id for change in last.changes if change.entity == "memory"]
        self._begin(["revert"], tuple(touched))
        self._book.revert(last, reason=name)
        self._live = [id for id in self._live if id not in touched]
        return {id: self._book.get(id).to_dict() for id in touched}

    def _purge(self, name: str) -> Left:
        id = self._pick()
        self._begin(["purge"], (id,))
        self._book.purge(id, reason=name)
        self._live.remove(id)
        return {id: None}

    def _import(self, name: str) -> Left:
        base = self._book.get(self._pick()).to_dict()
        lines = [{**base, "id": f"{name}-{k}", "aliases": [], "content": f"Imported {name} {k}."} for k in range(5)]
        file = self._where / f"import-{name}.jsonl"
        file.write_text("".join(json.dumps({"memory": _honest(line)}) + "\n" for line in lines), encoding="utf-8")
        self._begin(["import"] * 5)
        report = self._book.import_(str(file))
        assert report.added == {"memory": 5}, report
        return {line["id"]: self._book.get(line["id"]).to_dict() for line in lines}


def _honest(line: dict[str, Any]) -> dict[str, Any]:
    from commonplace.model.fingerprint import fingerprint

    return {**line, "fingerprint": fingerprint(line["content"])}


_MIX: list[tuple[Callable[[Writer, str], Left], int]] = [
    (Writer._save, 40),
    (Writer._reinforce, 6),
    (Writer._evolve, 14),
    (Writer._link, 10),
    (Writer._contradict, 5),
    (Writer._put_away, 8),
    (Writer._restore, 4),
    (Writer._revert, 6),
    (Writer._import, 4),
    (Writer._purge, 3),
]


class Account:
    """What the book must hold, by its own answers, over all rounds; and the comparison with what it does hold."""

    def __init__(self) -> None:
        self.seq = 0
        self.acknowledged = 0
        self.under_way = 0
        self._known: Left = {}

    def settle(self, book: Book, said: list[dict[str, Any]], before: int | None = None) -> list[str]:
        """Compare one round with the book. Acknowledgements after the moment `before` are not counted on (a power cut)."""
        problems = [json.dumps(line) for line in said if "crashed" in line]
        problems += [json.dumps(line) for line in said if "failed" in line and (before is None or line["at"] < before)]
        steps = _steps(said)
        total = book.stats().operations
        recent = {op.seq: op for op in book.journal(limit=max(total - self.seq, 1))}
        unsure: set[str] = set()
        for step in steps:
            ack, verbs = step.get("ack"), step["begin"]
            certain = ack is not None and (before is None or ack < before)
            if ack is None or step["seq"] > total:
                problems += self._missing(step, total) if certain else []
                problems += self._in_flight(verbs, total, recent)
                unsure.update(step["touches"])
                break
            if step["seq"] > self.seq and recent[step["seq"]].id != step["operation"]:
                problems.append(f"entry {step['seq']} is another operation than the acknowledged one")
            self.seq = step["seq"]
            self.acknowledged += 1
            self._known |= step["left"]
        if total > self.seq and not unsure and not any(step.get("ack") is None for step in steps):
            problems.append(f"{total - self.seq} entries that nobody wrote")
        self.seq = total
        touched = {id for step in steps for id in step.get("left", ())}
        problems += self._compare(book, touched - unsure)
        for id in unsure:
            self._known.pop(id, None)
        return problems

    def compare_all(self, book: Book) -> list[str]:
        return self._compare(book, set(self._known))

    def retry(self, book: Book, said: list[dict[str, Any]]) -> list[str]:
        """The save that was under way, sent again with its key: it is there once, whatever became of the first (R2)."""
        steps = _steps(said)
        if not steps or "ack" in steps[-1] or "retry" not in steps[-1]:
            return []
        self.under_way += 1
        record = book.save(**steps[-1]["retry"])
        again = book.save(**steps[-1]["retry"])
        self.seq = book.stats().operations
        once = record.occurrences == 1 and again.id == record.id and again.occurrences == 1
        return [] if once else [f"the retry of {record.id} counted twice"]

    def _missing(self, step: dict[str, Any], total: int) -> list[str]:
        return [f"LOST: acknowledged {step['begin']} as entry {step['seq']}, but the journal ends at {total}"]

    def _in_flight(self, verbs: list[str], total: int, recent: dict[int, Any]) -> list[str]:
        """The one step under way left all of its entries or none."""
        found = [str(recent[seq].verb) for seq in range(self.seq + 1, total + 1)]
        return [] if found in ([], verbs) else [f"TORN: {verbs} under way, the journal gained {found}"]

    def _compare(self, book: Book, ids: set[str]) -> list[str]:
        return [f"{id} is not what was acknowledged" for id in sorted(ids) if _state(book, id) != self._known.get(id)]


def _steps(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each step with its acknowledgement, if it got one. Refused steps changed nothing and are left out."""
    steps: list[dict[str, Any]] = []
    for line in said:
        if "begin" in line:
            steps.append(dict(line))
        elif "ack" in line:
            steps[-1] |= line
        elif "refused" in line and steps and "ack" not in steps[-1]:
            steps.pop()
    return steps


def _state(book: Book, id: str) -> dict[str, Any] | None:
    try:
        # Through JSON, as the acknowledgement came.
        found: dict[str, Any] = json.loads(json.dumps(book.get(id).to_dict()))
    except CommonplaceError as cause:
        if cause.kind != "not_found":
            raise
        return None
    return found
