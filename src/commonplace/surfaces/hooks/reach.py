"""How a hook's question reaches the book: by the daemon if one serves it, else by opening its file, on words, without a model.

This is the one seam: a `Question` goes in, what is to be handed over comes out, and nobody else here knows what a book is.
"""

from __future__ import annotations

from commonplace.surfaces import small_json
from commonplace.surfaces.hooks.afterwards import Afterwards
from commonplace.surfaces.lightly import import_lightly

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from commonplace.engine.book import Book
    from commonplace.surfaces.http.client import Daemon


class Question:
    """What a hook asks for: at which moment, for whom, about what, and how long it may take."""

    def __init__(
        self,
        moment: str,
        *,
        url: str,
        host: str,
        project: str | None = None,
        repo: str | None = None,
        session: str | None = None,
        task: str | None = None,
        seconds: float = 1.0,
    ) -> None:
        self.moment, self.url, self.host = moment, url, host
        self.project, self.repo, self.session = project, repo, session
        self.task, self.seconds = task, seconds
        self.killed: Daemon | None = None
        """The daemon that would have answered."""


class Handed:
    """What came back: a text that is ready to inject, and how much it is."""

    def __init__(
        self, text: str, memories: int, tokens: int, moment: str, after: Callable[[], None] | None = None
    ) -> None:
        self.text, self.memories, self.tokens, self.moment = text, memories, tokens, moment
        self.after = after
        """What is left to begin when the agent has its answer."""
        self.unread = False
        """Does nobody know yet what stands in the book's files?"""


def ask(question: Question) -> Handed:
    """What should be in the agent's context now? Writes a receipt and nothing else."""
    asked = _by_the_daemon(question)
    if isinstance(asked, Handed):
        return asked
    question.killed = asked
    afterwards = Afterwards(question.url, question.host, killed=asked)
    handed = _by_the_file(question, afterwards)
    handed.after = afterwards.begin
    return handed


def _by_the_file(question: Question, afterwards: Afterwards) -> Handed:
    book = _opened(question)
    if _has_many_files(book):
        afterwards.unlooked = question.moment == "session-start" or _is_unread(book)
        if _is_unread(book):
            book.close()
            return _unread()
    moment = _moment(
        question, lambda: [str(one.moment) for one in book.receipts(session=question.session, limit=_LOOKED_BACK)]
    )
    _wait_for_receipts(min(_RECEIPT_SECONDS, max(0.02, question.seconds / 4)))
    found = book.context_for(
        question.project,
        question.repo,
        question.host,
        None if moment == "session_start" else question.task,
        moment=moment,
        session=question.session,
    )
    afterwards.receipts = _closed(book)
    return Handed(found.text, len(found.citations), found.tokens, moment)


def _unread() -> Handed:
    handed = Handed("", 0, 0, "unread")
    handed.unread = True
    return handed


def _has_many_files(book: Book) -> bool:
    """More than there is time to look at: then they are taken as the catalog knows them (`formats.brief`)."""
    return bool(getattr(book._scribe.canon, "has_many", False))


def _is_unread(book: Book) -> bool:
    return bool(getattr(book._scribe.canon, "is_unread", False))


def _by_the_daemon(question: Question) -> Handed | Daemon | None:
    """The daemon's answer; none if no daemon of this version serves this book; the daemon itself if it was killed."""
    from commonplace import __version__
    from commonplace.errors import UnavailableError
    from commonplace.surfaces.http.client import NotThereError, running

    daemon = running(timeout=max(0.05, question.seconds), revives=False)
    name = daemon.serves(question.url) if daemon is not None else None
    if daemon is None or name is None or daemon.version != __version__:
        return None
    try:
        return _asked(daemon, name, question)
    except NotThereError:
        return daemon if daemon.was_killed else None
    except UnavailableError as cause:
        if isinstance(cause.__cause__, TimeoutError):
            raise  # the time is up
        return None  # it ended over the question, which changes nothing: the book itself can be asked
    finally:
        daemon.close()


def _asked(daemon: Daemon, book: str, question: Question) -> Handed:
    def told(operation: str, fields: dict[str, object]) -> Any:
        given = {name: value for name, value in fields.items() if value is not None}
        return small_json.read(daemon.ask(operation, given, book=book, actor=f"agent:{question.host}", surface="hooks"))

    moment = _moment(
        question,
        lambda: [one["moment"] for one in told("receipts", {"session": question.session, "limit": _LOOKED_BACK})],
    )
    asked: dict[str, object] = {
        "project": question.project,
        "repo": question.repo,
        "agent": question.host,
        "session": question.session,
    }
    asked |= {"moment": moment, "task": None if moment == "session_start" else question.task}
    said = told("context", asked)
    return Handed(said["text"], len(said["citations"]), said["tokens"], moment)


def capture(question: Question, material: bytes, name: str) -> str:
    """Keep a transcript that has ended; returns the id of the event. Reading it is for later."""
    with _opened(question) as book:
        return book.capture_session(
            material, project_id=question.project, repo_id=question.repo, agent_id=question.host, uri=name
        ).id


def look(question: Question) -> None:
    """Take in what was edited in the book's files, however many they are."""
    with _opened(question, briefly=False) as book:
        book.list(limit=1)


def _opened(question: Question, *, briefly: bool = True) -> Book:
    import_lightly()
    from commonplace.wiring import open_book

    return open_book(
        question.url,
        actor=f"agent:{question.host}",
        surface="hooks",
        timeout=max(0.01, question.seconds),
        create=False,
        embedder="none",
        reranker="none",
        briefly=briefly,
    )


def _moment(question: Question, before: Callable[[], list[str]]) -> str:
    """The first prompt of a session is its goal; what came before is in the receipts. Of a session without a name nothing is
    known: it is treated as one that is under way, because repeating everything with each prompt is worse than saying less."""
    if question.moment == "session-start":
        return "session_start"
    if question.session is None:
        return "prompt"
    return "prompt" if {"goal", "prompt"} & {*before()} else "goal"


# A session that is resumed again and again without a prompt in between.
_LOOKED_BACK = 20


def _closed(book: Book) -> list[str]:
    """Close the book. A receipt that still waits behind a busy writer is left for later: the agent must not wait for it, and
    without the receipt nobody would know what it was handed."""
    waiting = [receipt.to_json() for receipt in book._scribe.unkept]
    book._scribe.unkept.clear()
    book.close()
    return waiting


def keep(question: Question, receipts: bytes) -> int:
    """Write down receipts that had to wait; returns how many."""
    from commonplace.engine.receipts import keep as keep_one
    from commonplace.model.receipt import Receipt

    _wait_for_receipts(question.seconds)
    lines = receipts.decode().splitlines()
    with _opened(question) as book:
        for line in lines:
            keep_one(book._scribe, Receipt.from_json(line))
    return len(lines)


_RECEIPT_SECONDS = 0.25


def _wait_for_receipts(seconds: float) -> None:
    """How long this process waits to write one down."""
    from commonplace import settings

    settings.RECEIPT_WAIT_SECONDS = seconds
