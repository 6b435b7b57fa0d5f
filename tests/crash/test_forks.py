"""Processes and threads that share one open book (rows 61, 62; R5): whoever is born of a writer does not disturb it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

from commonplace import Book, CommonplaceError
from commonplace.wiring import open_canon

from . import children
from .books import Template, every_memory, on_every_canon, open_book, url_in, what_is_wrong
from .children import Child, Say


def _save(book: Book, text: str) -> str:
    return book.save(text, type="project", project_id="atlas").id


@on_every_canon
def test_a_child_that_outlives_the_holder_does_not_keep_the_lock(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")

    def hold_with_children(say: Say) -> None:
        with open_canon(url_in(folder)).writing(10.0):
            sleeper = subprocess.Popen(["sleep", "20"])
            forked = os.fork()
            if forked == 0:
                time.sleep(20)
                os._exit(0)
            say({"held": [sleeper.pid, forked]})
            time.sleep(60)

    holder = Child(hold_with_children)
    assert holder.listen(bool, 10.0)
    os.kill(holder.pid, signal.SIGKILL)
    started = time.monotonic()
    with open_book(folder, timeout=5.0) as book:
        _save(book, "The children are still there.")
    waited = time.monotonic() - started
    for pid in holder.said[0]["held"]:
        os.kill(pid, signal.SIGKILL)
    holder.finish(5.0)
    holder.close()
    assert waited < 1.0


FORKED = """
    import os, sys
    sys.path.insert(0, {src!r})
    import commonplace
    book = commonplace.open(sys.argv[1])
    book.save("Before the fork.", type="project", project_id="atlas")
    pid = os.fork()
    me = "child" if pid == 0 else "parent"
    for n in range(25):
        book.save(f"{{me}} {{n}}", type="project", project_id="atlas")
    if pid:
        _, status = os.waitpid(pid, 0)
        book.save("After the child was gone.", type="project", project_id="atlas")
        assert status == 0, status
        assert book.verify().ok
    book.close()
    sys.exit(0)
"""


@on_every_canon
def test_after_a_fork_both_sides_go_on_with_the_same_book(place: Path) -> None:
    """In a process of its own, so that both sides also end the ordinary way, with everything Python does at its end."""
    import commonplace

    src = str(Path(commonplace.__file__).parents[1])
    script = textwrap.dedent(FORKED.format(src=src))
    done = subprocess.run([sys.executable, "-W", "error", "-c", script, url_in(place)], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    with open_book(place) as book:
        assert len(every_memory(book)) == 52
        assert what_is_wrong(book) == []


@on_every_canon
def test_a_fork_while_a_thread_is_writing_is_answered_in_time_and_harms_nobody(place: Path, template: Template) -> None:
    """SQLite in the child believes that the lost thread still writes. So the child may be refused; but then at once, and
    without keeping others from writing while it waits for nobody."""
    folder = template.copy(place / "book")

    def work(say: Say) -> None:
        book = open_book(folder, timeout=1.0)
        inside, leave = threading.Event(), threading.Event()

        def write() -> None:
            with book._scribe.canon.writing(10.0):
                inside.set()
                leave.wait(10)

        thread = threading.Thread(target=write)
        thread.start()
        inside.wait(10)
        child = os.fork()
        if child == 0:
            os._exit(_saves_or_is_told(book))
        leave.set()
        thread.join()
        time.sleep(0.2)  # the child tries first
        started = time.monotonic()
        _save(book, "From the parent.")
        say({"waited": time.monotonic() - started, "child": os.waitpid(child, 0)[1]})

    said = children.run(work, timeout=20.0)
    assert children.troubles(said) == []
    assert said[0]["child"] == 0
    assert said[0]["waited"] < 0.5
    with open_book(folder) as book:
        assert len(every_memory(book)) - len(template.truth) in (1, 2)
        assert what_is_wrong(book) == []


def _saves_or_is_told(book: Book) -> int:
    try:
        _save(book, "From the child.")
    except CommonplaceError as cause:
        return 0 if cause.kind in ("locked", "unavailable") else 2
    return 0


@on_every_canon
def test_threads_of_one_process_share_one_book(place: Path) -> None:
    problems: list[BaseException] = []
    with open_book(place, timeout=30.0) as book:

        def write(n: int) -> None:
            try:
                for k in range(40):
                    _save(book, f"Thread {n} says {k}.")
            except BaseException as cause:
                problems.append(cause)

        threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        assert len(every_memory(book)) == 320
        assert what_is_wrong(book) == []
