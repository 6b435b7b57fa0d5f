"""One call of each operation of the table, and calls that go wrong: asked of any book, they should be answered alike.

A story begins with what it needs in the book, saved under its own name, so that stories can be told in any order.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from commonplace import Book
from commonplace.errors import CommonplaceError
from commonplace.model.base import Noun

SESSION = "User: We decided to ship on Tuesdays because Fridays cost two weekends.\nAssistant: Noted.\n"
_LATER = "2031-01-01T00:00:00Z"


class Begun:
    """What a story finds in the book, written when it first looks: by `alice`, or as a proposal of an agent's."""

    def __init__(self, name: str, alice: Book, agent: Book, folder: Path) -> None:
        self.name, self.folder = name, folder
        self._alice, self._agent = alice, agent

    @cached_property
    def one(self) -> str:
        text = f"{self.name}: the API listens on port 8080."
        return self._alice.save(text, tags=["network"], type="project", project_id="atlas").id

    @cached_property
    def two(self) -> str:
        text = f"{self.name}: the release is cut on Wednesday."
        return self._alice.save(text, type="project", project_id="atlas").id

    @cached_property
    def proposed(self) -> str:
        return self._agent.save(f"{self.name}: Alice likes tea.", type="profile").id

    @cached_property
    def other(self) -> str:
        return self._agent.save(f"{self.name}: Alice likes coffee.", type="profile").id

    @cached_property
    def dispute(self) -> str:
        return self._alice.contradict(self.one, self.two, reason="two ports").id

    @cached_property
    def receipt(self) -> str:
        return self._alice.search(f"{self.one and self.name} port").receipt_id

    @cached_property
    def event(self) -> str:
        return self._alice.capture_session(f"{SESSION}User: That was {self.name}.\n", title=self.name).id

    def path(self, ending: str) -> str:
        return str(self.folder / f"{self.name}.{ending}")

    def policy(self) -> str:
        with open(self.path("toml"), "w") as file:
            file.write('[[accept]]\nkinds = ["nothing-of-the-kind"]\n')
        return self.path("toml")

    def exported(self, book: Book) -> str:
        path = self.path("in.jsonl")
        if not os.path.exists(path):
            book.export(path)
        return path


STORIES: dict[str, Callable[[Book, Begun], Any]] = {
    "save": lambda b, at: b.save(
        f"{at.name}: we keep orders in SQLite.", type="decision", rationale="one writer", tags=("db", "orders"),
        confidence=0.7, observed_at=datetime.fromisoformat("2026-05-03T12:00:00.123456+02:00"), idempotency_key=at.name,
    ),
    "evolve": lambda b, at: b.evolve(at.one, f"{at.name}: the API listens on port 9090.", reason="moved", tags=["net"]),
    "upsert-profile-fact": lambda b, at: b.upsert_profile_fact(f"editor-{at.name}", f"{at.name}: Alice uses Helix."),
    "retain": lambda b, at: b.retain([f"W @Bob: runs {at.name}."], digest=f"Bob runs {at.name}.", project_id=at.name),
    "link": lambda b, at: b.link(at.one, at.two, "supports", evidence_ref="the minutes"),
    "unlink": lambda b, at: (b.link(at.one, "supports", at.two), b.unlink(at.one, at.two, "supports"))[1],
    "contradict": lambda b, at: b.contradict(at.two, at.proposed, reason="they disagree entirely"),
    "archive": lambda b, at: b.archive(at.one, reason="done with"),
    "restore": lambda b, at: (b.archive(at.one), b.restore(at.one))[1],
    "forget": lambda b, at: b.forget(at.one, reason="never true"),
    "write-personal": lambda b, at: b.write_personal(at.one, "Mine.", authorisation="Ann said so"),
    "purge": lambda b, at: b.purge(at.one, reason="asked to"),
    "get": lambda b, at: b.get(at.one),
    "list": lambda b, at: (at.one, at.proposed) and b.list(statuses="all", types=("project", "profile"), limit=50),
    "search": lambda b, at: b.search(f"{at.one and at.name} which port", project="atlas", limit=3),
    "context": lambda b, at: b.context_for(project="atlas", task=f"{at.one and at.name} API", root=str(at.folder)),
    "receipts": lambda b, at: (at.receipt, b.receipts(memory=at.one, limit=3))[1],
    "explain": lambda b, at: (at.receipt, b.explain(at.one), b.explain(at.receipt)),
    "links": lambda b, at: (b.link(at.one, at.two, "supports"), b.links(memories=at.one, limit=5))[1],
    "history": lambda b, at: b.history(at.one),
    "journal": lambda b, at: at.one and b.journal(actor="alice", limit=20),
    "revert": lambda b, at: b.revert(b.history(at.one)[0], reason="undone"),
    "inbox": lambda b, at: at.proposed and b.inbox(types="profile", limit=1000),
    "inbox-accept": lambda b, at: b.inbox_accept(at.proposed, reason="true"),
    "inbox-edit": lambda b, at: b.inbox_edit(at.proposed, f"{at.name}: Alice likes green tea.", reason="closer"),
    "inbox-reject": lambda b, at: b.inbox_reject(at.proposed, reason="hearsay"),
    "inbox-merge": lambda b, at: b.inbox_merge(at.proposed, at.other),
    "inbox-defer": lambda b, at: b.inbox_defer(at.proposed, _LATER),
    "inbox-apply": lambda b, at: b.inbox_apply(at.policy(), dry_run=True),
    "consolidate": lambda b, at: b.consolidate(dry_run=True, ids=[at.one, at.two]),
    "promote": lambda b, at: b.promote(at.proposed, reason="confirmed"),
    "conflicts": lambda b, at: at.dispute and b.conflicts(memory=at.one),
    "resolve": lambda b, at: b.resolve(at.dispute, loser=at.one, reason="the calendar says so"),
    "confirm": lambda b, at: b.confirm(at.proposed, rationale="seen"),
    "reject": lambda b, at: b.reject(at.proposed),
    "capture-session": lambda b, at: b.capture_session(f"{SESSION}User: {at.name}, again.\n", project_id="atlas"),
    "capture-conversation": lambda b, at: b.capture_conversation(
        [{"role": "user", "content": f"{at.name} is fine."}], capture_mode="transcript", title="Chat"
    ),
    "import-source": lambda b, at: b.import_source(Path(at.policy()), kind="document"),
    "process": lambda b, at: b.process_pending(limit=1),
    "work": lambda b, at: b.work(status=True),
    "queue": lambda b, at: b.work_status(),
    "event": lambda b, at: b.event(at.event),
    "retry": lambda b, at: b.retry(at.event),
    "index": lambda b, at: b.index_pending(limit=1),
    "stats": lambda b, at: at.one and b.stats(),
    "verify": lambda b, at: at.one and b.verify(),
    "doctor": lambda b, at: at.one and b.doctor(),
    "scan": lambda b, at: at.one and b.scan(),
    "backup": lambda b, at: at.one and b.backup(at.path("backup")),
    "export": lambda b, at: at.one and b.export(at.path("out.jsonl")),
    "import": lambda b, at: b.import_(at.exported(b)),
    "copy": lambda b, at: b.copy(f"jsonl:{at.path('copy')}"),
}  # fmt: skip
"""Asked as `alice`, each on what was begun for it alone."""
CAPTURE = ("capture-session", "capture-conversation", "import-source", "process", "work", "queue", "event", "retry")
"""What the daemon's worker takes up by itself: told in a book where nothing else is looked at."""

WRONG: dict[str, Callable[[Book, Begun], Any]] = {
    "a memory that nobody has": lambda b, at: b.get("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    "no id at all": lambda b, at: b.history("what is this"),
    "a secret": lambda b, at: b.save("The token is ghp_" + "0aB1cD2eF3" * 4, type="task_hint"),
    "a secret for an id": lambda b, at: b.get("ghp_" + "0aB1cD2eF3" * 4),
    "nothing to keep": lambda b, at: b.save("  ", type="episode"),
    "a word outside the list": lambda b, at: b.save("x", type="thought"),
    "a moment without a zone": lambda b, at: b.list(since=datetime(2026, 1, 1)),
    "too long": lambda b, at: b.save("x", type="episode", title="word " * 1_000),
    "more than a body holds": lambda b, at: b.save("word " * 1_000_000, type="episode"),
    "no number": lambda b, at: b.save("x", type="episode", confidence=float("nan")),
    "half a character": lambda b, at: b.save("\ud800", type="episode"),
    "a stale fingerprint": lambda b, at: b.archive(at.one, expect="sha256:something-else"),
    "a link to itself": lambda b, at: b.link(at.one, at.one),
    "not in the inbox": lambda b, at: b.reject(at.two),
    "no such conflict": lambda b, at: b.resolve("01ARZ3NDEKTSV4RRFFQ69G5FAV", loser=at.one, reason="x"),
    "a page after nobody": lambda b, at: b.list(after="01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    "no such source": lambda b, at: b.capture_session(""),
    "no policy there": lambda b, at: b.inbox_apply(at.path("missing.toml")),
    "an unknown profile": lambda b, at: b.search("x", profile="nonsense"),
    "no such operation": lambda b, at: b.revert("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
}  # fmt: skip
"""Refused, and nothing is changed by it."""


def answer_of(book: Book, story: Callable[[Book, Begun], Any], begun: Begun) -> Any:
    """What comes of it; of an error all that a caller can see."""
    try:
        return story(book, begun)
    except CommonplaceError as error:
        return {"raised": type(error), **error.to_dict(), "code": error.code}


def alike(answer: Any) -> str:
    """The answer without what is new each time: ids, moments, hashes, durations and folders."""
    plain = json.dumps(_plain(answer), sort_keys=True, default=str)
    for pattern, word in _NEW_EACH_TIME:
        plain = re.sub(pattern, word, plain)
    return plain


_NEW_EACH_TIME = (
    (r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b", "ID"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)", "AT"),
    (r"\b[0-9a-f]{64}\b", "HASH"),
    (r'/[^"\s]*/(?=[^/"\s]+)', "/.../"),
    (r"-twin|(?<=memory )[a-z0-9]{20}", ""),
    (r'"(seconds|timings|bytes|score|scores|terms|tokens)": (\{[^}]*\}|[-\d.e]+)', r'"\1": 0'),
)


def _plain(answer: Any) -> Any:
    if isinstance(answer, Noun):
        return {"is": type(answer).__name__, **answer.to_dict()}
    if isinstance(answer, (list, tuple)):
        return [type(answer).__name__, *(_plain(one) for one in answer)]
    return answer
