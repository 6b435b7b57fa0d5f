"""Makes the sample book of format version 1: small, with every sort of thing in it. Run it once per format version.

    python tests/samples/make_v1.py

The sample is opened by the tests of every later version (`test_samples.py`), so it is never made anew: a change of format
gets a sample of its own, made by a script of its own.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import commonplace
from commonplace import Book
from commonplace.testing.clocks import TickingClock

HERE = Path(__file__).parent
VERSION = 1


def make(folder: Path) -> None:
    """Write `v1.sqlite` and `v1.jsonl` into a folder."""
    clock = TickingClock()
    with commonplace.open(f"sqlite:{folder / 'v1.sqlite'}", actor="alice", clock=clock) as book:
        live(book)
        elsewhere(book, folder, clock)
        with commonplace.open(book.url, actor="agent:claude", clock=clock) as agent:
            agent.save("Alice likes tea.", type="profile")
            agent.evolve(book.get("m-1").id, "The port is 7070.", reason="saw it in the log")
        book.export(str(folder / "v1.jsonl"))


def live(book: Book) -> None:
    """Every verb that leaves a trace, and every field that can be filled."""
    one = book.save(
        "The port is 8080.", type="project", kind="domain rule", scope="workspace", project_id="shop", repo_id="shop/api",
        title="Port", summary="8080", tags=["net", "öffentlich"], confidence=0.75, observed_at="2026-04-01T10:00:00+02:00",
        evidence_ref="https://example.org/minutes#4", always_load=True, idempotency_key="first", rationale="see minutes",
        valid_from="2026-04-01T00:00:00Z", valid_to="2036-04-01T00:00:00Z", anchors=["commit:abc"], aliases=["m-1"],
        tenant="acme",
    )  # fmt: skip
    other = book.save("The port is 9090.", type="episode", evidence_ref="log/7")
    book.save("the PORT is\t9090.", type="episode")
    book.contradict(one.id, other.id, reason="which one?")
    decided = book.save("We use SQLite.", type="decision")
    book.confirm(decided.id, rationale="one machine")
    new = book.evolve(decided.id, "We use PostgreSQL.", reason="many machines")
    book.link(new.id, one.id, "related_to", evidence_ref="adr/2")
    book.link(new.id, other.id, "supports")
    book.unlink(new.id, other.id, "supports", reason="it does not")
    book.archive(other.id, reason="old")
    book.restore(other.id)
    book.reject(book.save("We use paper.", type="decision").id, reason="a joke")
    forgotten = book.save("Call Bob on Tuesday. 日本語 שלום e\u0301", type="task_hint", agent_id="claude")
    book.forget(forgotten.id, reason="done")
    book.revert(book.journal()[-1])
    book.save("For this session only.", type="artifact", scope="session")
    slip = book.save("A slip of the tongue.", type="episode")
    derived = book.save("What followed from the slip.", type="episode")
    book.link(derived.id, slip.id, "derived_from")
    book.purge(slip.id, reason="on request")


def elsewhere(book: Book, folder: Path, clock: TickingClock) -> None:
    """Things that come in by an import: a captured source, its event, another book's history, a line kept aside."""
    with tempfile.TemporaryDirectory() as away:
        with commonplace.open(f"sqlite:{away}/other.sqlite", actor="carol", clock=clock) as other:
            other.archive(other.save("Carol said so.", type="episode").id)
            other.export(f"{away}/other.jsonl")
        moment = "2026-05-03T12:00:00Z"
        source = {"id": "s-1", "kind": "conversation", "title": "A chat", "body": "Bob: hello", "captured_at": moment}
        event = {"id": "e-1", "trigger": "conversation_capture", "source_ref": "s-1", "requested_scope": "global",
                 "state": "failed", "created_at": moment, "updated_at": moment, "retry_count": 2, "error": "timeout"}  # fmt: skip
        lines = [json.dumps({"source": source}), json.dumps({"event": event}), "not json at all"]
        Path(away, "lines.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        book.import_(f"{away}/other.jsonl")
        book.import_(f"{away}/lines.jsonl")


if __name__ == "__main__":
    if (HERE / "v1.sqlite").exists():
        sys.exit("the sample is there already; it is kept for ever")
    make(HERE)
    (HERE / "v1.sqlite.lock").unlink()
