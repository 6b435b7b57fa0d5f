"""MCP over stdin and stdout, for an agent that starts its servers itself: one message a line, until the input ends.

Nothing but answers may come out of stdout, so its descriptor is taken aside at the start and whatever else in this process prints
goes to stderr. The book is looked for with the first question: starting must be quick, and a book that is not there is an answer
to a call, not a server that does not start.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import BinaryIO

from commonplace.surfaces.mcp.conversation import Conversation
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.envelope import MOST_BYTES
from commonplace.surfaces.mcp.reach import OwnBook

DEFAULT_ACTOR = "agent:mcp"


def serve(book: OwnBook, *, project: str | None, agent: str) -> None:
    """Answer until the input ends or the process is asked to stop."""
    came, out = sys.stdin.buffer, _answers_only()
    desk = Desk(book.ask, project=project, agent=agent)
    signal.signal(signal.SIGTERM, _stop)
    try:
        converse(came, out, desk)
    except _StoppedError:
        pass
    finally:
        book.close()


class _StoppedError(Exception):
    """Asked to stop: what was begun is answered first, and what only waited is never begun."""


def _stop(*_: object) -> None:
    raise _StoppedError


def _answers_only() -> BinaryIO:
    """The real stdout; from now on a stray `print` goes to stderr."""
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out


def converse(came: BinaryIO, out: BinaryIO, desk: Desk) -> None:
    """Line by line, until there are no more; what was asked is answered before this returns."""
    talk, finish = Conversation(out, desk), False
    try:
        while line := came.readline(MOST_BYTES + 1):
            if len(line) > MOST_BYTES:
                _pass_over(came, line)
            if line.strip():
                talk.hear(line)
        finish = True
    finally:
        talk.end(finish=finish)


def _pass_over(came: BinaryIO, line: bytes) -> None:
    """The rest of a line that is too long: not kept, so that it costs no room."""
    while line and not line.endswith(b"\n"):
        line = came.readline(65_536)
