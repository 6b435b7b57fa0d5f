"""`commonplace serve`: the daemon in the foreground; where it listens is said on stdout, everything else is a log on stderr."""

from __future__ import annotations

import gc
import json
import sys
from typing import TYPE_CHECKING

from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError

if TYPE_CHECKING:
    from commonplace.surfaces.http.state import Running

OPTIONS = (
    Option(("--port",), "port", "PORT", "on 127.0.0.1; 7821 if not said, 0 for any that is free"),
    Option(("--stop",), "stop", help="stop the one that runs; it stays stopped until it is started again"),
    Option(("--log",), "log", "WHAT", "requests, or only what went wrong", choices=("requests", "troubles")),
)


def run(parsed: Parsed) -> int:
    if parsed.arguments:
        raise UsageError("serve takes no arguments")
    if "stop" in parsed.options:
        return _stop(as_json="json" in parsed.everywhere)
    from commonplace.surfaces.http import logs
    from commonplace.surfaces.http.server import serve

    gc.enable()  # this process lives long; starting it was quick
    wanted = parsed.options.get("log", ["requests"])[-1]
    if wanted not in ("requests", "troubles"):
        raise UsageError("--log is one of: requests, troubles")
    book = parsed.everywhere_last("book")
    if book is not None:
        import os

        os.environ["COMMONPLACE_BOOK"] = book

    def told(running: Running, already: bool) -> None:
        sys.stdout.write(_said(running, already=already, as_json="json" in parsed.everywhere))
        sys.stdout.flush()

    serve(_port(parsed), logs.log if wanted == "requests" else logs.only_troubles, told)
    return 0


def _stop(*, as_json: bool) -> int:
    from commonplace.surfaces.http.state import stop

    stopped = stop()
    if as_json:
        said = json.dumps({"stopped": stopped is not None, "pid": stopped.pid if stopped else None})
    else:
        said = f"commonplace has stopped (process {stopped.pid})" if stopped else "commonplace is not running"
    sys.stdout.write(f"{said}\n")
    return 0


def _port(parsed: Parsed) -> int:
    from commonplace.surfaces.http.places import DEFAULT_PORT

    text = parsed.options.get("port", [str(DEFAULT_PORT)])[-1]
    if not text.isdecimal() or int(text) > 65_535:
        raise UsageError("--port: a number from 0 to 65535")
    return int(text)


def _said(running: Running, *, already: bool, as_json: bool) -> str:
    """Never with its token."""
    if as_json:
        told = {"url": running.url, "socket": running.socket, "pid": running.pid, "already": already}
        return json.dumps({**told, "books": [*running.books]}) + "\n"
    how = "is running already" if already else "is listening"
    lines = [f"commonplace {how}: {running.url} (process {running.pid})"]
    if not already:
        lines.append(f"socket: {running.socket}")
        lines.append(f"books: {', '.join(running.books)}")
        lines.append("a token for a client: commonplace token add NAME --scope write")
    return "\n".join(lines) + "\n"
