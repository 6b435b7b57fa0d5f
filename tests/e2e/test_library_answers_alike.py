"""The library through the daemon and the library on the file: every operation and every error is answered alike.

"the CLI and library use the daemon when it runs and the file directly when it does not, with the same results" (issue 6; rfc 44).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace import Book
from commonplace.surfaces.operations import OPERATIONS
from e2e.serving import Daemon
from e2e.stories import CAPTURE, STORIES, WRONG, Begun, alike, answer_of

CANONS = ("sqlite", "vault")
AT_HOME = {"copy", "consolidate", "inbox-apply", "purge", "write-personal"} | {
    one.name for one in OPERATIONS if one.takes_progress
}
"""What is done on the file whoever serves the book: it takes long, asks a person, or names a file."""
TAKEN_UP = {"process", "work", "queue", "event", "retry"}
"""The daemon's own worker may have been there before."""


class Pair:
    """A book that the daemon serves and its twin that nobody serves, written with the same words."""

    def __init__(self, canon: str, daemon: Daemon, is_captured: bool) -> None:
        self.daemon, self.folder = daemon, daemon.home
        self.url = f"{canon}:{daemon.home / 'books' / canon}{'-captured' * is_captured}"
        self.twin = f"{self.url}-twin"
        self._open: dict[tuple[str, str], Book] = {}

    def begun(self, name: str, url: str) -> Begun:
        alice, agent = (self._opened(url, actor) for actor in ("alice", "agent:claude"))
        folder = self.folder / "files" / url.replace("/", "-") / name.replace(" ", "-")
        folder.mkdir(parents=True)
        return Begun(name.replace(" ", "-"), alice, agent, folder)

    def _opened(self, url: str, actor: str) -> Book:
        if (url, actor) not in self._open:
            self._open[url, actor] = commonplace.open(url, actor=actor, direct=True)
        return self._open[url, actor]

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def asked_of_the_daemon(self, since: int) -> list[str]:
        """Which operations were asked of it; all of them, because the log has come to what is asked last."""
        with commonplace.open(self.url, actor="the-last") as book:
            book.list(limit=1)
        until = time.monotonic() + 30
        while (found := [*_operations(self.daemon.log[since:])])[-1:] != ["list"]:
            assert time.monotonic() < until, found
            time.sleep(0.01)
        return found[:-1]


def _operations(log: list[str]) -> Iterator[str]:
    """What was asked; upkeep, which comes when it is due, is told in the log too."""
    return (asked for line in log if (asked := line.partition('"operation": "')[2].partition('"')[0]))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("served")
    (home / "config" / "commonplace").mkdir(parents=True)
    made = Daemon(home)
    books = [Pair(canon, made, is_captured).url for canon in CANONS for is_captured in (False, True)]
    lines = [f'b{number} = "{url}"' for number, url in enumerate(books)]
    (home / "config" / "commonplace" / "config.toml").write_text("\n".join(("[serve.books]", *lines)))
    made.start()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in made.environment.items():
            if name.startswith("XDG_"):
                patch.setenv(name, value)
        for name in ("COMMONPLACE_TOKEN", "COMMONPLACE_BOOK", "COMMONPLACE_CONFIG", "RECALL_TOKEN_BUDGET"):
            patch.delenv(name, raising=False)
        yield made
    made.stop()


@pytest.fixture(params=CANONS, scope="module")
def both(request: pytest.FixtureRequest, daemon: Daemon) -> Iterator[tuple[Pair, Pair]]:
    made = Pair(request.param, daemon, False), Pair(request.param, daemon, True)
    yield made
    for pair in made:
        pair.close()


@pytest.fixture
def pair(both: tuple[Pair, Pair]) -> Pair:
    return both[0]


@pytest.mark.parametrize("name", [operation.name for operation in OPERATIONS])
def test_every_operation_is_answered_alike(both: tuple[Pair, Pair], name: str) -> None:
    """Asked of the daemon and asked of the file, answer and journal are the same but for ids and moments."""
    pair = both[name in CAPTURE]
    answers, journals, since = [], [], len(pair.daemon.log)
    for url, direct in ((pair.url, False), (pair.twin, True)):
        begun = pair.begun(name, url)
        with commonplace.open(url, actor="alice", direct=direct) as book:
            answers.append(answer_of(book, STORIES[name], begun))
            journals.append(_journal_of(book, begun))
    assert type(answers[0]) is type(answers[1])
    assert journals[0] == journals[1]
    if name not in TAKEN_UP:
        assert alike(answers[0]) == alike(answers[1])
    assert (name in _as_asked(pair.asked_of_the_daemon(since))) == (name not in AT_HOME)


def _as_asked(names: list[str]) -> set[str]:
    """What accepts and rejects in the inbox is `confirm` and `reject` by its other name."""
    also = {"confirm": "inbox-accept", "reject": "inbox-reject"}
    return {*names, *(also[name] for name in names if name in also)}


def _journal_of(book: Book, begun: Begun) -> list[str]:
    entries = [one for id in (begun.one, begun.two, begun.proposed) for one in book.history(id)]
    return [alike([entry.verb, entry.actor, entry.surface, entry.trust, entry.reason]) for entry in entries]


@pytest.mark.parametrize("name", [one.name for one in OPERATIONS if not one.writes and one.name not in AT_HOME])
def test_what_is_read_through_the_daemon_equals_what_is_read_from_the_file(both: tuple[Pair, Pair], name: str) -> None:
    """Not only alike: the same objects, field by field and type by type."""
    pair = both[name in CAPTURE]
    begun = pair.begun(f"equal {name}", pair.url)
    if name in CAPTURE:
        _let_the_worker_rest(pair, begun)
    with (
        commonplace.open(pair.url, actor="alice") as served,
        commonplace.open(pair.url, actor="alice", direct=True) as direct,
    ):
        through, read = (STORIES[name](book, begun) for book in (served, direct))
        assert type(through) is type(read)
        if name in ("search", "context"):  # each has a receipt of its own
            through, read = (alike(one) for one in (through, read))
        assert through == read


def _let_the_worker_rest(pair: Pair, begun: Begun) -> None:
    until = time.monotonic() + 60
    with commonplace.open(pair.url, direct=True) as book:
        while book.event(begun.event).state == "pending":
            book.process_pending()
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("actor", ["alice", "agent:claude"])
def test_every_error_is_told_alike(pair: Pair, name: str, actor: str) -> None:
    """Its class, kind, message, hint, place and code."""
    begun = pair.begun(f"{name} {actor[:5]}", pair.url)
    told = []
    for direct in (False, True):
        with commonplace.open(pair.url, actor=actor, direct=direct) as book:
            told.append(answer_of(book, WRONG[name], begun))
    assert told[0] == told[1]
    assert isinstance(told[0], dict), "it was to go wrong"


def test_a_lesser_trust_may_not_overrule_through_the_daemon_either(pair: Pair) -> None:
    """R10."""
    begun = pair.begun("overruled", pair.url)
    with commonplace.open(pair.url, actor="agent:claude") as agent:
        for verb in (agent.archive, agent.forget):
            with pytest.raises(commonplace.CommonplaceError) as refused:
                verb(begun.one)
            assert (refused.value.kind, refused.value.where) == ("denied", begun.one)


def test_who_it_is_and_where_it_lies_is_known_without_opening_it(pair: Pair) -> None:
    with (
        commonplace.open(pair.url, actor="agent:claude") as served,
        commonplace.open(pair.url, actor="agent:claude", direct=True) as direct,
    ):
        for name in ("url", "actor", "trust", "id"):
            assert getattr(served, name) == getattr(direct, name)
        assert repr(served) == repr(direct)
        assert isinstance(served, Book)


def test_no_file_of_the_book_is_open_in_this_process(both: tuple[Pair, Pair]) -> None:
    pair = both[0]
    known = pair.begun("no handle", pair.url).one
    for one in both:
        one.close()
    with commonplace.open(pair.url, actor="alice") as book:
        book.save("no handle: said and read.", type="episode")
        assert book.get(known).id == known
        assert len(book.search("no handle"))
        assert book.id
        assert _handles_on(pair) == []
        assert book.verify().ok, "what takes long is done here"
        assert _handles_on(pair) != []
    assert _handles_on(pair) == []


def _handles_on(pair: Pair) -> list[str]:
    """The book's files, and those of its catalog."""
    seen: list[str] = []
    for number in os.listdir("/proc/self/fd"):
        try:
            seen.append(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            continue
    mine = str(Path(pair.folder))
    return [path for path in seen if path.startswith(mine) and "twin" not in path]


def test_a_budget_in_the_environment_is_that_of_whoever_asks(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """A73: the daemon's own environment does not count."""
    begun = pair.begun("budget", pair.url)
    found: list[Any] = []
    for budget in ("25", "60"):
        monkeypatch.setenv("RECALL_TOKEN_BUDGET", budget)
        for direct in (False, True):
            with commonplace.open(pair.url, actor="alice", direct=direct) as book:
                bundle = book.context_for(project="atlas", task=f"{begun.name} release")
                found.append((bundle.budget, alike(bundle.text)))
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert [budget for budget, _ in found] == [25, 25, 60, 60]
