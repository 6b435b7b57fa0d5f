"""`commonplace web`: the address of the inspector, with a token of a day that opens it.

The token stands behind the `#`, which a browser sends nowhere, and the page takes it out of the address bar. It is only printed:
a program that is started with it as an argument would show it to everybody who lists processes.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError

if TYPE_CHECKING:
    from commonplace.surfaces.http.state import Running

OPTIONS = (
    Option(("--scope",), "scope", "SCOPE", "how far the page may go; operator if not said",
           choices=("read", "write", "operator")),
)  # fmt: skip
_NAME = "web"
_VALID = timedelta(days=1)


def run(parsed: Parsed) -> int:
    if parsed.arguments:
        raise UsageError("web takes no arguments")
    scope = parsed.options.get("scope", ["operator"])[-1]
    if scope not in ("read", "write", "operator"):
        raise UsageError("--scope is one of: read, write, operator")
    running, until = _running(), datetime.now(UTC) + _VALID
    address = f"{running.url}/web/#token={_fresh_token(parsed, scope, until)}&books={','.join(running.books)}"
    if "json" in parsed.everywhere:
        sys.stdout.write(json.dumps({"url": address, "expires_at": until.isoformat()}) + "\n")
        return 0
    sys.stdout.write(address + "\n")
    sys.stdout.flush()
    sys.stderr.write("open it in a browser; it lets you in until tomorrow, or until the next `commonplace web`\n")
    return 0


def _running() -> Running:
    from commonplace.errors import UnavailableError
    from commonplace.surfaces.http.state import found_running

    running = found_running(seconds=0.2)
    if running is None:
        raise UnavailableError(
            "no daemon runs", hint="Start it in another terminal, `commonplace serve`, and try again."
        )
    return running


def _fresh_token(parsed: Parsed, scope: str, until: datetime) -> str:
    """There is one at a time: what an earlier call printed is void."""
    from contextlib import suppress

    from commonplace.errors import NotFoundError
    from commonplace.surfaces.cli.program import actor_of
    from commonplace.surfaces.http import tokens

    token, secret = tokens.made(_NAME, scope, actor=actor_of(parsed), books=(tokens.EVERY,), expires_at=until)
    with suppress(NotFoundError):
        tokens.revoke(_NAME)
    tokens.add(token)
    return secret
