"""A real book beside a plain dictionary: all verbs in any order, three actors, reopening, moving house; always the same.

Books in files live the same lives, with people at their files and somebody who clears the cache.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from by_hand import HANDS
from hypothesis import Phase, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from plain_book import PlainBook, normal

import commonplace
from commonplace.engine.scribe import must_find
from commonplace.errors import CommonplaceError
from commonplace.model.filter import Filter
from commonplace.model.fingerprint import fingerprint
from commonplace.model.record import MemoryRecord
from commonplace.testing.clocks import EPOCH, TickingClock
from commonplace.testing.state import state_of

ACTORS = {"operator": "alice", "curated": "curated:bob", "agent": "agent:claude"}
TEXTS = (
    "Tabs.",
    " TABS.\r\n",
    "Spaces.",
    "Port 8080",
    "port  8080",
    "Port 9090.",
    "Straße",
    "日本語 text",
    "Tea.",
    "Rain.",
)
RELATIONS = ("supports", "derived_from", "supersedes", "related_to")

actors = st.sampled_from(["operator", "operator", "agent", "curated"])
picks = st.integers(0, 12)
texts = st.sampled_from(TEXTS)
expects = st.sampled_from([None, None, None, "current", "stale"])
tags = st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True)


def _said(content):
    """A statement without what weighs nothing in it, as a search compares them."""
    from commonplace.retrieve.diversity import said_in

    return said_in(content)


class LiveClock:
    """The machine's own clock, which never stands still: what people do to files has its time from there."""

    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def now(self) -> datetime:
        self.moment = max(datetime.now(UTC), self.moment + timedelta(microseconds=1))
        return self.moment


class BookMachine(RuleBasedStateMachine):
    """Every rule performs one verb on both and compares the answers; the invariants compare everything else."""

    scheme = "sqlite"

    @initialize(
        first=st.lists(
            st.tuples(actors, texts, st.sampled_from(["episode", "profile", "decision"])), min_size=2, max_size=6
        )
    )
    def open(self, first) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="commonplace-machine-"))
        self.clock, self.model, self.houses = self.make_clock(), PlainBook(), 0
        self.books: dict[str, Any] = {}
        self.move_in()
        for trust, content, type in first:
            self.say(trust, content, type, ["a"])

    def make_clock(self) -> Any:
        return TickingClock()

    @property
    def house(self) -> Path:
        return self.folder / f"book{self.houses}"

    def move_in(self) -> None:
        url = f"{self.scheme}:{self.house}"
        self.books = {t: commonplace.open(url, actor=a, clock=self.clock) for t, a in ACTORS.items()}

    def teardown(self) -> None:
        for book in getattr(self, "books", {}).values():
            book.close()
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def book(self) -> Any:
        return self.books["operator"]

    # -- how a verb is performed on both -------------------------------------------------------------------------------

    def perform(self, trust: str, call: Any, expected: Any, verb: str | None = None) -> Any:
        """Ask the real book, then the model, and compare: the kind of error, and how many operations were signed."""
        before = self.book.stats().operations
        try:
            answer, kind = call(), None
        except CommonplaceError as error:
            answer, kind = None, error.kind
        self.model.begin()
        wanted = expected(answer)
        event(f"{verb or 'write'}: {kind or ('done' if self.model.changes else 'nothing to do')}")
        assert kind == wanted, f"the book said {kind}, the model {wanted}"
        signed = self.book.journal(limit=1000)[before:]
        changed = kind is None and bool(self.model.changes)
        assert len(signed) == changed, f"{len(signed)} operations for {self.model.changes}"
        if changed:
            (operation,) = signed
            assert (operation.trust, verb in (None, operation.verb)) == (trust, True)
            self.model.done(operation.id, str(operation.verb), trust)
            self.remember()
        return answer

    def remember(self) -> None:
        held = {id: dict(thing) for id, thing in self.model.memories().items()}
        self.model.snapshots.append((self.book.journal(limit=1)[-1].at, held))

    def id(self, pick: int) -> str:
        """One of the memories, or nobody."""
        ids = self.model.order
        return ids[pick % len(ids)] if ids and pick < 12 else "nobody"

    def expectation(self, id: str, expect: str | None) -> tuple[str | None, str | None]:
        """The fingerprint to send, and what the model compares."""
        held = self.model.memory(id)
        if expect == "current" and held:
            return fingerprint(held["content"]), held["words"]
        return ("sha256:stale", "stale") if expect else (None, None)

    # -- the verbs -----------------------------------------------------------------------------------------------------

    @rule(
        trust=actors, content=texts, type=st.sampled_from(["episode", "profile", "decision"]), tags=tags,
        project=st.sampled_from([None, "p"]), rationale=st.sampled_from([None, "why"]),
        key=st.sampled_from([None, None, "k1", "k2"]), supersedes=st.none() | picks,
    )  # fmt: skip
    def save(self, trust, content, type, tags, project, rationale, key, supersedes):
        self.say(trust, content, type, tags, project, rationale, key, supersedes)

    @rule(trust=actors, content=texts, type=st.sampled_from(["episode", "profile", "decision"]))
    def say(self, trust, content, type, tags=(), project=None, rationale=None, key=None, supersedes=None):
        tags = [*tags]
        asked = {"content": content, "type": type, "tags": tags, "project": project, "rationale": rationale, "key": key,
                 "supersedes": None if supersedes is None else self.id(supersedes)}  # fmt: skip
        call = lambda: self.books[trust].save(  # noqa: E731
            content, type=type, tags=tags, project_id=project, rationale=rationale, idempotency_key=key,
            supersedes=asked["supersedes"],
        )  # fmt: skip
        self.perform(trust, call, lambda made: self.model.save(trust, asked, made.id if made else "?"))

    @rule(trust=actors, pick=picks, content=texts, expect=expects)
    def evolve(self, trust, pick, content, expect):
        id = self.id(pick)
        send, compare = self.expectation(id, expect)
        call = lambda: self.books[trust].evolve(id, content, reason="r", expect=send)  # noqa: E731
        self.perform(
            trust, call, lambda made: self.model.evolve(trust, id, content, "r", compare, made.id if made else "?")
        )

    @rule(trust=actors, one=picks, other=picks, relation=st.sampled_from(RELATIONS))
    def link_any(self, trust, one, other, relation):
        self.link(trust, one, other, relation)

    def link(self, trust, one, other, relation):
        ends = self.id(one), self.id(other)
        self.perform(
            trust,
            lambda: self.books[trust].link(*ends, relation),
            lambda _: self.model.link(ends[0], relation, ends[1]),
        )

    @rule(one=picks, other=picks)
    def derive(self, one, other):
        """The relation that reverting and purging follow."""
        self.link("operator", one, other, "derived_from")

    @rule(trust=actors, pick=picks)
    def unlink(self, trust, pick):
        known = sorted(self.model.links()) or [("nobody", "supports", "nothing")]
        f, relation, t = known[pick % len(known)]
        self.perform(
            trust, lambda: self.books[trust].unlink(f, t, relation), lambda _: self.model.unlink(trust, f, relation, t)
        )

    @rule(trust=actors, one=picks, other=picks)
    def contradict(self, trust, one, other):
        ends = self.id(one), self.id(other)
        self.perform(
            trust,
            lambda: self.books[trust].contradict(*ends),
            lambda made: self.model.contradict(*ends, made.id if made else "?"),
        )

    @rule(trust=actors, pick=picks, verb=st.sampled_from(["archive", "forget"]), expect=expects,
          reason=st.sampled_from([None, "why"]))  # fmt: skip
    def put_away(self, trust, pick, verb, expect, reason):
        id, status = self.id(pick), {"archive": "archived", "forget": "deleted"}[verb]
        send, compare = self.expectation(id, expect)
        call = lambda: getattr(self.books[trust], verb)(id, reason=reason, expect=send)  # noqa: E731
        self.perform(trust, call, lambda _: self.model.put_away(trust, id, status, reason, compare), verb)

    @rule(trust=actors, pick=picks, expect=expects)
    def restore(self, trust, pick, expect):
        id = self.id(pick)
        send, compare = self.expectation(id, expect)
        call = lambda: self.books[trust].restore(id, expect=send)  # noqa: E731
        self.perform(trust, call, lambda _: self.model.restore(trust, id, compare), "restore")

    @rule(trust=actors, pick=picks, rationale=st.sampled_from([None, "why"]), expect=expects)
    def confirm(self, trust, pick, rationale, expect):
        waiting = [id for id, held in self.model.memories().items() if held["status"] == "inbox"]
        id = waiting[pick % len(waiting)] if waiting and pick % 4 else self.id(pick)
        send, compare = self.expectation(id, expect)
        call = lambda: self.books[trust].confirm(id, rationale=rationale, expect=send)  # noqa: E731
        self.perform(trust, call, lambda _: self.model.confirm(trust, id, rationale, compare), "promote")

    @rule(trust=actors, pick=picks, expect=expects)
    def reject(self, trust, pick, expect):
        waiting = [id for id, held in self.model.memories().items() if held["status"] == "inbox"]
        id = waiting[pick % len(waiting)] if waiting and pick % 4 else self.id(pick)
        send, compare = self.expectation(id, expect)
        call = lambda: self.books[trust].reject(id, expect=send)  # noqa: E731
        self.perform(trust, call, lambda _: self.model.reject(trust, id, compare), "reject")

    @precondition(lambda self: self.model.ops)
    @rule(trust=actors, back=st.integers(0, 6))
    def revert_any(self, trust, back):
        self.revert(trust, back)

    def revert(self, trust, back):
        target = self.model.ops[-1 - back % len(self.model.ops)]
        call = lambda: self.books[trust].revert(target.id)  # noqa: E731
        self.perform(trust, call, lambda _: self.model.revert(trust, [target]), "revert")

    @precondition(lambda self: self.model.ops)
    @rule(back=st.integers(0, 2))
    def revert_lately(self, back):
        self.revert("operator", back)

    @precondition(lambda self: self.model.order)
    @rule(trust=actors, pick=picks)
    def revert_the_making(self, trust, pick):
        """The operation that made a memory, however long ago."""
        made = ("memory", self.model.order[pick % len(self.model.order)])
        makers = (n for n, op in enumerate(self.model.ops) if any(c[0] == made and c[1] is None for c in op.changes))
        first = next(makers, None)
        if first is not None:
            self.revert(trust, len(self.model.ops) - 1 - first)

    @precondition(lambda self: any(op.run for op in self.model.ops))
    @rule(trust=actors, pick=picks)
    def revert_run(self, trust, pick):
        runs = sorted({op.run for op in self.model.ops if op.run})
        run = runs[pick % len(runs)]
        call = lambda: self.books[trust].revert(run)  # noqa: E731
        self.perform(trust, call, lambda _: self.model.revert_run(trust, run), "revert")

    @rule(trust=actors, pick=picks)
    def purge(self, trust, pick):
        id = self.id(pick)
        lineage = self.model.lineage(id)
        report = self.perform(
            trust, lambda: self.books[trust].purge(id), lambda _: self.model.purge(trust, id), "purge"
        )
        if report:
            assert {*report.purged} == lineage

    # -- files ---------------------------------------------------------------------------------------------------------

    @rule()
    def reopen(self):
        for book in self.books.values():
            book.close()
        self.move_in()

    @precondition(lambda self: self.model.ops)
    @rule()
    def move_house(self):
        """Export, adopt into a new book, and live on there. Idempotency keys belong to the old address."""
        path = self.folder / f"move{self.houses}.jsonl"
        self.book.export(str(path))
        old, before = self.books, state_of(self.book._scribe.canon)
        self.houses += 1
        self.move_in()
        report = self.book.import_(str(path))
        assert (report.complete, report.kept_aside) == (True, ())
        assert state_of(self.book._scribe.canon) == before
        for book in old.values():
            book.close()
        self.model.keys.clear()

    @precondition(lambda self: self.model.ops)
    @rule()
    def import_its_own_export(self):
        path = self.folder / f"own{self.clock.moment.timestamp()}.jsonl"
        self.book.export(str(path))
        before = state_of(self.book._scribe.canon)
        report = self.book.import_(str(path))
        assert (report.added, report.kept_aside) == ({}, ())
        assert state_of(self.book._scribe.canon) == before

    @precondition(lambda self: self.model.ops)
    @rule(content=texts)
    def import_from_elsewhere(self, content):
        """Another book's memory is merged in, in a run of its own."""
        name = f"else{self.clock.moment.timestamp()}"
        with commonplace.open(f"sqlite:{self.folder / name}.sqlite", actor="carol", clock=self.clock) as other:
            made = other.save(f"{content} {name}", type="episode", tags=["a"])
            other.export(str(self.folder / f"{name}.jsonl"))
        before = self.book.stats().operations
        report = self.book.import_(str(self.folder / f"{name}.jsonl"))
        assert report.added["memory"] == 1
        for operation in self.book.journal(limit=1000)[before:]:
            self.model.begin()
            if made.id in operation.subjects():
                asked = {"content": made.content, "type": "episode", "project": None, "tags": ["a"], "rationale": None}
                self.model.adopt(made.id, self.model.described("operator", asked))
            self.model.done(operation.id, "import", "operator", report.run)
        self.remember()

    # -- looking -------------------------------------------------------------------------------------------------------

    @rule(statuses=st.none() | st.lists(st.sampled_from(["active", "inbox", "superseded", "archived", "deleted"]), max_size=3),
          types=st.none() | st.lists(st.sampled_from(["episode", "profile", "decision"]), max_size=2),
          project=st.sampled_from([None, "p", "q"]), tags=st.none() | tags, trusts=st.none() | st.just(["agent"]),
          limit=st.integers(1, 4))  # fmt: skip
    def list(self, statuses, types, project, tags, trusts, limit):
        """Every page of every filter is what `Filter.matches` says of the model."""
        asked = {"types": types, "project_id": project, "tags": tags, "trusts": trusts}
        given = {name: value for name, value in asked.items() if value is not None}
        where = Filter(**given, **({} if statuses is None else {"statuses": statuses}))
        wanted = [id for id, held in self.model.memories().items() if where.matches(as_record(id, held))]
        pages, after = [], None
        while page := self.book.list(**asked, statuses=statuses, limit=limit, after=after):
            pages += [record.id for record in page]
            after = pages[-1]
        assert sorted(pages) == sorted(wanted)
        assert pages == [record.id for record in self.book.list(**asked, statuses=statuses, limit=1000)]

    @precondition(lambda self: self.model.snapshots)
    @rule(back=st.integers(0, 30))
    def as_of(self, back):
        moment, held = self.model.snapshots[-1 - back % len(self.model.snapshots)]
        then = self.book.list(as_of=moment, statuses="all", limit=1000)
        assert {record.id: shown(record) for record in then} == {id: plain(thing) for id, thing in held.items()}

    @rule(word=st.sampled_from(["tabs", "spaces", "port", "日本語"]))
    def search(self, word):
        found = {result.record.id for result in self.book.search(word, limit=1000)}
        wanted = {
            id
            for id, held in self.model.memories().items()
            if held["status"] == "active" and word in held["content"].lower()
        }
        # Who says the same as a better one takes no place of its own; who is linked to a hit comes into view with it.
        said = {_said(self.model.memories()[id]["content"]) for id in found}
        assert all(_said(self.model.memories()[id]["content"]) in said for id in wanted - found)
        linked = {id for one, _, other in self.model.links() if {one, other} & found for id in (one, other)}
        assert found - wanted <= linked

    @invariant()
    def both_hold_the_same(self):
        if not self.books:
            return
        records = self.book.list(statuses="all", limit=1000)
        assert {r.id: shown(r) for r in records} == {id: plain(held) for id, held in self.model.memories().items()}
        with self.book._scribe.canon.reading() as view:
            links = {
                (link.from_id, str(link.relation), link.to_id) for id in self.model.order for link in view.links(id)
            }
            conflicts = {
                (frozenset((one.left_id, one.right_id)), one.resolved_at is None)
                for id in self.model.order
                for one in view.conflicts_of(id)
            }
        assert links == self.model.links()
        assert conflicts == self.model.conflicts()
        assert [op.id for op in self.book.journal(limit=1000)] == [op.id for op in self.model.ops]

    @invariant()
    def it_verifies(self):
        if self.books:
            examined = self.book.verify()
            assert examined.ok, examined.findings


SHOWN = ("content", "type", "status", "trust", "occurrences", "tags", "supersedes", "superseded_by", "rationale")


def shown(record: MemoryRecord) -> dict[str, Any]:
    """Of a real memory, what the model speaks of."""
    return {name: getattr(record, name) for name in SHOWN} | {
        "project": record.project_id,
        "deleted": record.deleted_at is not None,
    }


def plain(thing: dict[str, Any]) -> dict[str, Any]:
    return {name: thing[name] for name in (*SHOWN, "project")} | {"deleted": thing["deleted"] is not None}


def as_record(id: str, held: dict[str, Any]) -> MemoryRecord:
    """A noun to ask a filter about."""
    return MemoryRecord(
        id=id, type=held["type"], scope="project" if held["project"] else "global", status=held["status"],
        content=held["content"], project_id=held["project"], created_at=EPOCH, updated_at=EPOCH, kind="any",
        tags=held["tags"], trust=held["trust"], fingerprint="sha256:any",
    )  # fmt: skip


class FilesMachine(BookMachine):
    """The same lives in files, with people who edit them behind our back, and somebody who deletes the catalog."""

    def make_clock(self) -> Any:
        self.before = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.acts = 0
        return LiveClock()

    def teardown(self) -> None:
        super().teardown()
        if getattr(self, "before", None) is not None:
            os.environ["XDG_CACHE_HOME"] = self.before

    @property
    def hand(self) -> Any:
        return HANDS[self.scheme]

    def name(self) -> str:
        self.acts += 1
        return f"by-hand-{self.acts}"

    def standing(self, pick: int) -> tuple[str, Any] | None:
        """One of the active memories that stand in a file, and where."""
        with self.book._scribe.canon.reading() as view:
            places = {id: view.inventory().known(id) for id in self.model.order}
        active = [
            id for id, held in self.model.memories().items() if held["status"] == "active" and places[id] is not None
        ]
        return (active[pick % len(active)], places[active[pick % len(active)]].place) if active else None

    def found(self, reader: str, change: Any) -> None:
        """The next call of anybody takes in what was done: as edits by the operator, each of which the model makes too."""
        known = len(self.model.ops)
        self.books[reader].list(limit=1)
        told = [op for op in self.book.journal(limit=1000)[known:] if not only_a_source(op)]
        for operation in self.book.journal(limit=1000)[known:]:
            self.model.begin()
            assert (operation.verb, operation.actor, operation.trust) == ("edit", "operator", "operator")
            if operation in told:
                change(operation)
            self.model.done(operation.id, "edit", "operator")
        if len(self.model.ops) > known:
            self.remember()
        event(f"by hand: {len(told)} edits")

    @rule(pick=picks, reader=actors)
    def change_by_hand(self, pick, reader):
        chosen = self.standing(pick)
        if chosen is None or not self.hand.is_named(chosen[1]):
            return
        id, place = chosen
        new = f"Changed {self.name()}"
        self.hand.change(self.house, place, self.model.memories()[id]["content"], new)
        self.found(reader, lambda _: self.model._change(id, content=new, words=normal(new)))
        assert self.book.get(id).content == new

    @rule(reader=actors)
    def add_by_hand(self, reader):
        name = self.name()
        self.hand.add(self.house, name, f"Added {name}")

        def adopt(operation: Any) -> None:
            (change,) = operation.changes
            made = self.book.get(change.id)
            asked = {"content": f"Added {name}", "type": made.type, "project": made.project_id, "tags": made.tags}
            self.model.adopt(made.id, self.model.described("operator", asked | {"rationale": None}))

        self.found(reader, adopt)
        assert self.model.memories()[self.model.order[-1]]["content"] == f"Added {name}"

    @rule(pick=picks, reader=actors)
    def move_by_hand(self, pick, reader):
        """Nothing becomes of a memory whose note or line is moved; at most its name is another, and that can be undone."""
        chosen, name = self.standing(pick), self.name()
        if chosen is not None:
            self.hand.move(self.house, chosen[1], name)
            self.found(reader, lambda _: self.model._change(chosen[0], name=name))

    @rule(pick=picks, reader=actors)
    def take_out_by_hand(self, pick, reader):
        chosen = self.standing(pick)
        if chosen is None:
            return
        id, place = chosen
        self.hand.take_out(self.house, place)
        away = {"status": "deleted", "deleted": len(self.model.ops), "reason": "taken out"}
        self.found(reader, lambda _: self.model._change(id, **away))
        assert self.book.get(id).status == "deleted"

    @rule(while_open=st.booleans())
    def delete_the_catalog(self, while_open):
        """X-1: it is derived, and can go at any moment, also under those who use it."""
        if not while_open:
            for book in self.books.values():
                book.close()
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        if not while_open:
            self.move_in()


def only_a_source(operation: Any) -> bool:
    return all(change.entity == "source" for change in operation.changes)


class JsonlMachine(FilesMachine):
    scheme = "jsonl"


class LedgerMachine(FilesMachine):
    scheme = "ledger"


class VaultMachine(FilesMachine):
    scheme = "vault"


IN_FILES = (JsonlMachine, LedgerMachine, VaultMachine)


def drive(examples: int, steps: int, machine: type[BookMachine] = BookMachine, **options: Any) -> None:
    """A failure prints the steps, shortened, and a blob that repeats it; COMMONPLACE_SEED repeats a whole run."""
    asked = settings(max_examples=examples, stateful_step_count=steps, report_multiple_bugs=False, **options)
    run_state_machine_as_test(machine, settings=asked)


def test_a_book_and_a_plain_dictionary_agree_whatever_is_done_to_them():
    drive(examples=28, steps=30)


@pytest.mark.parametrize("machine", IN_FILES, ids=lambda machine: machine.scheme)
def test_a_book_in_files_and_a_plain_dictionary_agree_whatever_is_done_to_them(machine):
    drive(examples=8, steps=20, machine=machine)


@pytest.mark.nightly
@pytest.mark.parametrize("machine", [BookMachine, *IN_FILES], ids=lambda machine: machine.scheme)
def test_they_agree_over_many_long_lives(machine):
    drive(examples=2_000, steps=50, machine=machine)


BROKEN = {
    "an agent may put away what the operator said": ("commonplace.engine.archive.refuse_overruling", lambda *_: None),
    "the past is the present": ("commonplace.engine.past._changed_since", lambda *_: set()),
    "what was derived is not undone": ("commonplace.engine.revert._makers_of_derived", lambda *_: []),
    "a stale change is taken": ("commonplace.engine.archive.must_find", lambda view, one, _=None: must_find(view, one)),
}


@pytest.mark.parametrize(("what", "instead"), BROKEN.values(), ids=BROKEN)
def test_the_machine_would_notice(monkeypatch, what, instead):
    """The control: a book with one rule broken does not agree."""
    monkeypatch.setattr(what, instead)
    with pytest.raises(AssertionError):
        drive(examples=300, steps=30, phases=[Phase.generate], derandomize=True, database=None)
