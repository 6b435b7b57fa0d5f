"""A library that lives long while daemons come and go: nothing is lost, done twice, or waited for in vain.

Rfc 44, A28; rows 69 and 106 for whose daemon it is.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import PROGRAM, Client, Daemon

import commonplace
from commonplace import Book, CommonplaceError
from commonplace.agent import Agent, Host
from commonplace.errors import DeniedError
from commonplace.testing.clocks import TickingClock
from commonplace.tools import Toolset


@pytest.fixture(autouse=True)
def _as_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process has the same home as the daemon."""
    for name, value in Daemon(tmp_path).environment.items():
        if name.startswith(("XDG_", "HOME")):
            monkeypatch.setenv(name, value)
    for name in ("COMMONPLACE_TOKEN", "COMMONPLACE_BOOK", "COMMONPLACE_CONFIG", "COMMONPLACE_RECEIPT_QUERIES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path).start()
    yield made
    if made.process.returncode is None:
        made.stop()
    subprocess.run([*PROGRAM, "serve", "--stop"], env=made.environment, capture_output=True, check=True, timeout=60)


@pytest.fixture
def book(daemon: Daemon) -> Iterator[Book]:
    with commonplace.open(actor="alice") as opened:
        yield opened


def is_here(book: Book) -> bool:
    """Is a file of the book open in this process?"""
    path = book.url.partition(":")[2]
    seen = []
    for number in os.listdir("/proc/self/fd"):
        try:
            seen.append(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            continue
    return any(one.startswith(path) for one in seen)


def requests_of(daemon: Daemon, operation: str) -> int:
    """How often it was asked, by its own count."""
    client = Client(int(json.loads((daemon.data / "daemon.json").read_text())["url"].rpartition(":")[2]), daemon.token)
    text = client("GET", "/metrics")[1].decode()
    client.close()
    counted = [line for line in text.splitlines() if f'requests_total{{operation="{operation}"' in line]
    return sum(int(line.rpartition(" ")[2]) for line in counted)


def until(is_so: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def pid_of(daemon: Daemon) -> int | None:
    try:
        return int(json.loads((daemon.data / "daemon.json").read_text())["pid"])
    except FileNotFoundError:
        return None


def test_the_daemon_is_really_asked(daemon: Daemon, book: Book) -> None:
    saved = book.save("Asked over the socket.", type="episode")
    assert book.get(saved.id) == saved
    assert (requests_of(daemon, "save"), requests_of(daemon, "get")) == (1, 1)
    assert not is_here(book)


def test_one_that_was_stopped_stays_stopped_and_the_file_goes_on(daemon: Daemon, book: Book) -> None:
    saved = book.save("Before it was stopped.", type="episode")
    daemon.stop()
    assert book.get(saved.id) == saved
    book.save("After it was stopped.", type="episode")
    assert is_here(book)
    time.sleep(0.5)
    assert pid_of(daemon) is None
    assert not (daemon.data / "daemon.log").exists(), "nobody tried to bring it back"


def test_one_that_is_stopped_while_it_is_asked_all_the_time_stays_stopped(daemon: Daemon, book: Book) -> None:
    """Between its last answer and its end there is a moment in which it does not listen and is still known."""
    saved = book.save("Asked all the time.", type="episode")
    ends = threading.Event()
    failed: list[BaseException] = []

    def ask() -> None:
        with commonplace.open(actor="alice") as own:
            while not ends.is_set():
                try:
                    assert own.get(saved.id) == saved
                except BaseException as cause:
                    failed.append(cause)

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    time.sleep(0.3)
    daemon.stop()
    time.sleep(1.5)
    ends.set()
    for thread in asking:
        thread.join()
    assert failed == []
    assert pid_of(daemon) is None
    assert not (daemon.data / "daemon.log").exists()


def test_one_that_was_killed_comes_back_and_is_asked_again(daemon: Daemon, book: Book) -> None:
    """What it acknowledged is there, from the file at once and from the next daemon later (A28)."""
    saved = [book.save(f"Acknowledged, number {number}.", type="episode") for number in range(20)]
    former = pid_of(daemon)
    daemon.kill()
    assert [book.get(one.id) for one in saved] == saved
    more = book.save("Said while it was away.", type="episode")
    until(lambda: pid_of(daemon) not in (None, former), "it comes back")
    began = requests_of(daemon, "get")
    assert [book.get(one.id) for one in (*saved, more)] == [*saved, more]
    assert requests_of(daemon, "get") == began + 21
    assert book.verify().ok


def test_one_that_comes_later_is_used_by_the_next_call(tmp_path: Path) -> None:
    with commonplace.open(actor="alice") as book:
        saved = book.save("There was no daemon yet.", type="episode")
        later = Daemon(tmp_path).start()
        try:
            assert book.get(saved.id) == saved
            assert requests_of(later, "get") == 1
        finally:
            later.stop()
        assert book.get(saved.id) == saved


def test_a_killed_daemon_under_load_loses_nothing_that_was_acknowledged(daemon: Daemon) -> None:
    """Writers in threads; whoever was cut off is told so and does not know, everybody else does (A28)."""
    acknowledged: list[Any] = []
    unsure: list[tuple[str, CommonplaceError]] = []
    stops = threading.Event()

    def write(number: int) -> None:
        with commonplace.open(actor="alice") as own:
            for n in range(100_000):
                if stops.is_set():
                    return
                text = f"Writer {number} said {n}."
                try:
                    acknowledged.append(own.save(text, type="episode"))
                except CommonplaceError as cause:
                    unsure.append((text, cause))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in writers:
        thread.start()
    until(lambda: len(acknowledged) >= 40, "the load is on")
    os.kill(daemon.process.pid, signal.SIGKILL)
    until(lambda: len(acknowledged) >= 80, "they go on without it")
    stops.set()
    for thread in writers:
        thread.join(60)
    daemon.kill()
    # A process that is being killed takes connections until it is gone: a writer may be cut off more than once.
    assert len(unsure) <= 3 * len(writers)
    assert {(cause.kind, cause.hint) for _, cause in unsure} <= {
        ("unavailable", "Look whether it was done, then ask again.")
    }
    with commonplace.open(actor="alice", direct=True) as file:
        kept = {one.id: one for one in _all_of(file)}
        assert [kept.get(one.id) for one in acknowledged] == acknowledged
        said = [one.content for one in kept.values()]
        assert len(said) == len({*said}), "nothing was done twice"
        assert {*said} - {one.content for one in acknowledged} <= {text for text, _ in unsure}
        assert file.verify().ok


def _all_of(book: Book) -> list[Any]:
    found = [*book.list(limit=1000)]
    while len(page := book.list(limit=1000, after=found[-1].id)):
        found += page
    return found


def test_threads_share_one_book(daemon: Daemon, book: Book) -> None:
    """Each answer goes to whoever asked for it."""
    wrong: list[Any] = []

    def work(number: int) -> None:
        for n in range(15):
            text = f"Thread {number}, turn {n}."
            saved = book.save(text, type="episode")
            if book.get(saved.id).content != text or not len(book.search(text, limit=1)):
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert wrong == []
    assert requests_of(daemon, "save") == 180
    assert not is_here(book)


def test_a_forked_child_leaves_its_parents_connection_alone(daemon: Daemon, book: Book) -> None:
    """Both ask at once; neither reads what was meant for the other."""
    mine = book.save("Said before the fork.", type="episode")
    children = []
    for number in range(3):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                texts = [f"Child {number}, turn {n}." for n in range(10)]
                code = int([book.get(book.save(text, type="episode").id).content for text in texts] != texts)
            finally:
                os._exit(code)
        children.append(child)
    for _ in range(30):
        assert book.get(mine.id) == mine
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert book.get(mine.id) == mine
    assert requests_of(daemon, "save") == 31


def test_several_processes_ask_at_once(daemon: Daemon, book: Book) -> None:
    code = (
        "import commonplace, sys\n"
        "with commonplace.open(actor=sys.argv[1]) as book:\n"
        "    for n in range(10):\n"
        "        said = book.save(f'{sys.argv[1]} said {n}.', type='episode')\n"
        "        assert book.get(said.id) == said\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, f"agent:{number}"], env=daemon.environment) for number in range(4)
    ]
    assert [writer.wait(120) for writer in writers] == [0] * 4
    assert len(book.list(limit=100)) == 40
    assert {entry.actor for entry in book.journal(limit=100)} == {f"agent:{number}" for number in range(4)}
    assert requests_of(daemon, "save") == 40


@pytest.mark.parametrize(
    "options",
    [
        {"direct": True},
        {"clock": TickingClock()},
        {"embedder": "none"},
        {"reranker": "none"},
        {"extractor": "rules"},
        {"briefly": True},
        {"timeout": 3.0},
        {"trust": "agent"},
        {"surface": "tools"},
        {"actor": " alice"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_what_only_this_process_has_keeps_it_to_the_file(daemon: Daemon, options: dict[str, Any]) -> None:
    with commonplace.open(**{"actor": "alice", **options}) as book:
        saved = book.save("Kept at the file.", type="episode")
        assert book.get(saved.id) == saved
        assert str(book.journal()[-1].surface) == options.get("surface", "library")
        assert book.actor == options.get("actor", "alice")
    assert requests_of(daemon, "save") == 0


def test_a_clients_token_in_the_environment_is_not_spoken_with(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names another actor than the program does, and may do less than it could at the file."""
    monkeypatch.setenv("COMMONPLACE_TOKEN", daemon.run("token", "add", "codex", "--scope", "read")["token"])
    with commonplace.open(actor="alice") as book:
        book.save("Said by alice.", type="episode")
        assert book.journal()[-1].actor == "alice"
    assert requests_of(daemon, "save") == 0


def test_questions_of_which_only_a_hash_is_kept_are_not_asked_elsewhere(
    daemon: Daemon, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_RECEIPT_QUERIES", "hash")
    book.search("what nobody should read")
    assert book.receipts()[0].query is None


def test_a_book_that_it_does_not_serve_is_opened_here(daemon: Daemon, tmp_path: Path) -> None:
    with commonplace.open(f"sqlite:{tmp_path / 'other.sqlite'}", actor="alice") as other:
        other.save("Elsewhere.", type="episode")
        assert is_here(other)
    assert requests_of(daemon, "save") == 0


def test_another_users_daemon_and_another_version_are_not_asked(daemon: Daemon, book: Book) -> None:
    """Rows 69 and 106: only the user's own, and only the same program."""
    state = daemon.data / "daemon.json"
    said = json.loads(state.read_text())
    for odd in ({"version": "0.0.1"}, {"config": "/elsewhere.toml"}):
        state.write_text(json.dumps({**said, **odd}))
        with commonplace.open(actor="alice") as other:
            other.list()
            assert is_here(other), odd
    state.write_text(json.dumps(said))
    book.list()
    assert requests_of(daemon, "list") == 1


def test_a_name_that_is_not_ascii_reaches_the_journal_as_it_is(book: Book) -> None:
    with commonplace.open(actor="Žofie Ångström") as zofie:
        saved = zofie.save("Said by Žofie: příliš žluťoučký kůň 🐎.", type="episode")
        assert zofie.get(saved.id).content.endswith("🐎.")
    assert book.history(saved.id)[0].actor == "Žofie Ångström"


def test_any_text_is_a_legal_question_also_one_that_json_cannot_say(book: Book) -> None:
    for query in ("\ud800", "a\0b", "", " ", '"; DROP', "\u202e" * 40):
        assert len(book.search(query)) == 0


def test_trust_is_by_the_name_through_the_daemon_too(book: Book) -> None:
    """R10."""
    said = book.save("Alice says so.", type="profile")
    with commonplace.open(actor="agent:claude") as agent:
        assert agent.trust == "agent"
        with pytest.raises(DeniedError):
            agent.archive(said.id)
        assert agent.save("Alice likes tea.", type="profile").status == "inbox"


def test_a_wrong_url_fails_beside_a_daemon_as_without_one(daemon: Daemon) -> None:
    for url in ("nonsense", "sqlite:", "sqlite:a\0b", "dropbox:x", f"sqlite:{daemon.home}"):
        with pytest.raises(CommonplaceError) as beside:
            commonplace.open(url)
        with pytest.raises(CommonplaceError) as alone:
            commonplace.open(url, direct=True)
        assert beside.value.to_dict() == alone.value.to_dict()


def test_a_book_that_was_taken_away_is_missed_and_not_begun_anew(daemon: Daemon, book: Book) -> None:
    book.save("Here.", type="episode")
    path = Path(book.url.partition(":")[2])
    daemon.stop()
    path.rename(path.with_suffix(".away"))
    with pytest.raises(CommonplaceError) as missed:
        book.save("Where?", type="episode")
    assert missed.value.code == "missing"
    assert not path.exists()


def test_a_relative_path_is_the_same_book_wherever_the_process_goes(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(daemon.data)
    with commonplace.open("sqlite:book.sqlite", actor="alice") as book:
        saved = book.save("Here.", type="episode")
        assert not is_here(book)
        monkeypatch.chdir(tmp_path)
        daemon.stop()
        assert book.get(saved.id) == saved
    assert not (tmp_path / "book.sqlite").exists()


def test_closing_twice_is_closing_once_and_a_closed_book_opens_again(daemon: Daemon) -> None:
    book = commonplace.open(actor="alice")
    saved = book.save("Closed.", type="episode")
    book.close()
    book.close()
    assert book.get(saved.id) == saved
    book.close()


def test_vectors_in_the_background_are_made_here(book: Book) -> None:
    indexer = book.index_in_background()
    assert book.index_in_background() is indexer
    assert is_here(book)
    book.close()
    assert not indexer._thread.is_alive()


def test_tools_and_agents_work_beside_it_as_without_it(tmp_path: Path) -> None:
    """They have surfaces and clocks of their own, and so keep to the file; the library sees what they wrote (G1, V57)."""
    workspace = tmp_path / "workspace"
    (workspace / ".aegis" / "memory").mkdir(parents=True)
    memory, ledger = f"jsonl:{workspace / '.aegis' / 'memory'}", f"ledger:{workspace / '.vvm' / 'memory' / 'me'}"
    config = tmp_path / "config" / "commonplace" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[serve.books]\ntools = "{memory}"\nagent = "{ledger}"\n')
    daemon = Daemon(tmp_path).start()
    patch = '```vvm-memory\n{"digest": "Alice likes tea.", "retain": ["W @Alice: likes tea."]}\n```\n'
    try:
        with Toolset(workspace) as tools:
            assert tools.dispatch("memory_store", {"text": "User prefers tabs"}) == {"ok": True, "id": "m-1"}
            with commonplace.open(memory) as book:
                assert book.get("m-1").content == "User prefers tabs"
        helper = Agent(
            model=lambda prompt: patch, memory={"scope": "project", "key": "me"}, host=Host(project=str(workspace))
        )
        helper("Help.")
        with commonplace.open(ledger) as book:
            assert "Alice likes tea." in [one.content for one in book.list(statuses="all")]
            assert {str(entry.surface) for entry in book.journal()} == {"agent"}
        assert requests_of(daemon, "get") == 1
        assert requests_of(daemon, "retain") == 0
    finally:
        daemon.stop()
