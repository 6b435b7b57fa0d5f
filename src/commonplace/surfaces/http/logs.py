"""The daemon's log: one JSON object a line on stderr. It knows which operation, how it went and how long; never what was said."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any


def log(event: str, **fields: Any) -> None:
    """Say what happened. A log that cannot be written is no reason to stop."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    try:
        sys.stderr.write(json.dumps({"at": at, "event": event, **fields}) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def only_troubles(event: str, **fields: Any) -> None:
    """The same without the requests that went as they should."""
    if event != "request" or "fault" in fields:
        log(event, **fields)


class _Ours(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        # Not its text: a server's complaint may quote what it was sent.
        log("server", level=record.levelname.lower(), from_=record.name, line=record.lineno)


def take_over(name: str) -> None:
    """What a library logs comes out in the same form, without its words."""
    logger = logging.getLogger(name)
    logger.handlers, logger.propagate = [_Ours(logging.WARNING)], False
    logger.setLevel(logging.WARNING)
