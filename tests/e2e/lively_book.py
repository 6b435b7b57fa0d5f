"""A book as it looks after five months of work: projects, changed minds, disputes, captures, an inbox, and receipts.

Everything in it came in through verbs, each at its own moment on a clock that is moved by hand; nothing is written behind the
book's back. The same seed makes the same book, so that what is seen on a page can be looked up here.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import commonplace
from commonplace import Book
from commonplace.testing.clocks import TickingClock

SEED = 6
MONTHS = 5
_NOW = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)

_SERVICES = ("payments", "ledger", "search", "mailer", "gateway", "scheduler")
_FACTS = (
    "The {s} service listens on port {p}.",
    "The {s} service keeps its settings in `config/{s}.toml`.",
    "Nightly backups of {s} go to the vault bucket and are kept for {d} days.",
    "{S} retries a failed call {r} times, with a pause that doubles.",
    "The {s} dashboard is at the top of the operations folder.",
    "Migrations of {s} run before the new version is started, never after.",
    "{S} writes one JSON object per log line; the field `trace` joins them.",
    "The on-call rota for {s} changes on Mondays at nine.",
    "Load tests of {s} use the anonymised orders of last March.",
)  # fmt: skip
_DECISIONS = (
    ("We keep orders in SQLite with write-ahead logging.", "one writer, many readers, no server to run"),
    ("Atlas speaks JSON over HTTP to partners, not gRPC.", "two of three partners cannot open long connections"),
    ("Every public endpoint is versioned in its path.", "a header was forgotten by three clients in a month"),
    ("Feature flags live in the repository.", "a flag without a review once switched payments off"),
    ("We ship on Tuesdays and Thursdays.", "Fridays cost two weekends last year"),
    ("Tests may not sleep; they wait for a condition.", "sleeping tests were slow and still flaky"),
    ("Search answers within 200 ms or says that it could not look.", "a slow answer was taken for no answer"),
    ("Customer names never reach the logs.", "support shares logs with vendors"),
)  # fmt: skip
_PERSON = (
    "Alice prefers tabs over spaces.", "Alice reads diffs side by side, on the left what was.",
    "Alice wants commit messages that say what is different now.", "Alice works from Lisbon and starts at eight.",
    "Alice likes short answers first, reasons after.", "Alice reviews every migration herself.",
)  # fmt: skip
_PROPOSED = (
    "Alice prefers to be called Ali in chat.", "Alice is on holiday in the second week of August.",
    "Alice likes mermaid diagrams in design notes.", "Alice never merges her own pull requests.",
    "Alice uses a Dvorak keyboard.", "Alice has asked twice for shorter stand-ups.",
)  # fmt: skip
_ASKED = (
    "which port does payments use", "when do we ship", "how does alice like her diffs", "why sqlite for orders",
    "where are backups kept", "who is on call for the gateway", "what happened in the outage",
)  # fmt: skip
SESSION = """User: Before we start, remember that the gateway certificate is renewed by hand every 90 days.
Assistant: Noted. I will look at the timeout first.
User: We decided to raise the gateway timeout to 30 seconds because uploads from Brazil were cut off.
Assistant: Done. The change is in config/gateway.toml and the tests are green.
User: I always want the release notes before the tag, not after.
Assistant: Understood.
"""


class Lively:
    """The book while it is being written, and the ids that a test may want to open."""

    def __init__(self, path: Path, *, size: int = 90) -> None:
        self.chance = random.Random(SEED)
        self.clock = TickingClock(_NOW - timedelta(days=30 * MONTHS))
        self.ids: dict[str, str] = {}
        self._url = f"sqlite:{path}"
        self._books: dict[str, Book] = {}
        self._made: list[str] = []
        self._step = 30 * MONTHS / (1.25 * size + 62)
        self._size = size
        for part in (self._person, self._facts, self._minds, self._disputes, self._taken_in, self._asked):
            part()
        for book in self._books.values():
            book.close()

    def _as(self, actor: str) -> Book:
        """The book as this actor has it open; some hours have gone by since anything happened."""
        self.clock.move(days=self._step * self.chance.uniform(0.4, 1.4))
        self.clock.moment = min(self.clock.moment, _NOW - timedelta(minutes=30))
        if actor not in self._books:
            self._books[actor] = commonplace.open(
                self._url, actor=actor, clock=self.clock, embedder="none", reranker="none"
            )
        return self._books[actor]

    def _person(self) -> None:
        for text in _PERSON:
            self._as("alice").save(text, type="profile", tags=["how-we-work"])
        self._as("alice").save("Answer in British English.", type="profile", always_load=True)
        for text, why in _DECISIONS:
            saved = self._as("alice").save(text, type="decision", project_id="atlas", rationale=why, tags=["decided"])
            self._made.append(saved.id)
        self.ids["decision"] = self._made[0]

    def _facts(self) -> None:
        for number in range(self._size):
            service = self.chance.choice(_SERVICES)
            text = _FACTS[number % len(_FACTS)].format(
                s=service, S=service.capitalize(), p=8000 + number, d=7 * (1 + number % 6), r=2 + number % 5
            )
            actor = self.chance.choice(("alice", "agent:claude", "agent:codex"))
            tags = self.chance.sample(("infra", "ops", "onboarding", "release", service), 2)
            project = self.chance.choice(("atlas", "atlas", "harbour"))
            sort = self.chance.choice(("artifact", "project", "artifact"))
            saved = self._as(actor).save(text, type=sort, project_id=project, tags=tags)
            self._made.append(saved.id)
            if number % 4 == 1:
                relation = self.chance.choice(("related_to", "supports", "applies_to", "derived_from"))
                other = self.chance.choice([one for one in self._made[-60:] if one != saved.id])
                self._as("agent:claude").link(saved.id, other, relation)

    def _minds(self) -> None:
        """One statement that changed three times, and some that were put away."""
        id = (
            self._as("alice").save("The gateway waits 5 seconds for an answer.", type="artifact", project_id="atlas").id
        )
        for seconds, why in ((10, "mobile clients"), (15, "uploads"), (20, "partners far away")):
            text = f"The gateway waits {seconds} seconds for an answer before it gives up."
            id = self._as("alice").evolve(id, text, reason=why).id
        self.ids["changed"] = id
        for other in self._made[8:13]:
            self._as("agent:claude").link(other, id, "supports")
            self._as("alice").link(id, other, "related_to")
        for gone in self._made[-4:-1]:
            self._as("alice").archive(gone, reason="the service was folded into ledger")
        self._as("alice").forget(self._made[-1], reason="it was never true")

    def _disputes(self) -> None:
        pairs = (
            ("The release branch is cut on Wednesday.", "The release branch is cut on Monday.", "two days"),
            ("Harbour stores times in local time.", "Harbour stores times in UTC.", "they cannot both hold"),
            ("The staging password rotates weekly.", "The staging password rotates monthly.", "two intervals"),
        )
        for left, right, why in pairs:
            one = self._as("alice").save(left, type="project", project_id="harbour")
            other = self._as("agent:codex").save(right, type="project", project_id="harbour")
            self.ids["dispute"] = self._as("agent:claude").contradict(one.id, other.id, reason=why).id
        settled = next(one for one in self._as("alice").conflicts() if one.reason == "two days")
        self._as("alice").resolve(settled.id, loser=settled.left_id, reason="the calendar says Monday")

    def _taken_in(self) -> None:
        for text in _PROPOSED:
            self._as("agent:claude").save(text, type="profile", tags=["heard"])
        self._as("agent:codex").save("Use Redis for the session cache.", type="decision", project_id="atlas")
        self._as("agent:codex").evolve(
            self.ids["changed"],
            "The gateway waits 30 seconds for an answer before it gives up.",
            reason="heard it said",
        )
        self._as("alice").capture_session(SESSION, project_id="atlas", title="Tuesday with the gateway")
        self._as("alice").process_pending()

    def _asked(self) -> None:
        for question in _ASKED:
            asker = self._as(self.chance.choice(("alice", "agent:claude", "agent:codex")))
            asker.search(question, project="atlas")
        self._as("agent:claude").context_for(project="atlas", task="raise the gateway timeout")
