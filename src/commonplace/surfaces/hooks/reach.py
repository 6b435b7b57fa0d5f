"""How a hook's question reaches the book. Today by opening its file, on words, without a model.

This is the one seam: a `Question` goes in, what is to be handed over comes out, and nobody else here knows what a book is. A
daemon's socket, when there is one, is asked here first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from commonplace.surfaces.lightly import import_lightly

if TYPE_CHECKING:
    from commonplace.engine.book import Book


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


class Handed:
    """What came back: a text that is ready to inject, and how much it is."""

    def __init__(
        self, text: str, memories: int, tokens: int, moment: str, after: Callable[[], None] | None = None
    ) -> None:
        self.text, self.memories, self.tokens, self.moment = text, memories, tokens, moment
        self.after = after
        """What is left to begin when the agent has its answer."""


def ask(question: Question) -> Handed:
    """What should be in the agent's context now? Writes a receipt and nothing else."""
    book = _opened(question)
    moment = _moment(book, question)
    _wait_for_receipts(min(_RECEIPT_SECONDS, max(0.02, question.seconds / 4)))
    found = book.context_for(
        question.project,
        question.repo,
        question.host,
        None if moment == "session_start" else question.task,
        moment=moment,
        session=question.session,
    )
    return Handed(found.text, len(found.citations), found.tokens, moment, _closed(book, question))


def capture(question: Question, material: bytes, name: str) -> str:
    """Keep a transcript that has ended; returns the id of the event. Reading it is for later."""
    with _opened(question) as book:
        return book.capture_session(
            material, project_id=question.project, repo_id=question.repo, agent_id=question.host, uri=name
        ).id


def _opened(question: Question) -> Book:
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
    )


def _moment(book: Book, question: Question) -> str:
    """The first prompt of a session is its goal; what came before is in the receipts. Of a session without a name nothing is
    known: it is treated as one that is under way, because repeating everything with each prompt is worse than saying less."""
    if question.moment == "session-start":
        return "session_start"
    if question.session is None:
        return "prompt"
    known = book.receipts(session=question.session, limit=_LOOKED_BACK)
    return "prompt" if any(receipt.moment in ("goal", "prompt") for receipt in known) else "goal"


# A session that is resumed again and again without a prompt in between.
_LOOKED_BACK = 20


def _closed(book: Book, question: Question) -> Callable[[], None] | None:
    """Close the book. If the receipt still waits behind a busy writer, that is left for later: the agent must not wait for it,
    and without the receipt nobody would know what it was handed."""
    waiting = [receipt.to_json() for receipt in book._scribe.unkept]
    book._scribe.unkept.clear()
    book.close()
    if not waiting:
        return None

    def keep_later() -> None:
        from commonplace.surfaces.hooks import apart

        apart.start(["keep", f"--host={question.host}", f"--book={question.url}"], "\n".join(waiting).encode())

    return keep_later


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
