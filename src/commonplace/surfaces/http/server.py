"""The process: sockets, one instance per user, a worker inside, and an orderly end.

It listens on loopback and on a Unix socket that is the user's alone, never anywhere else. A second start finds the first and says
so. On SIGTERM no new connection is taken, what was begun is answered, and the books are closed.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from commonplace import __version__
from commonplace.errors import CommonplaceError, UnavailableError
from commonplace.places import config_path
from commonplace.surfaces.http import places, tokens
from commonplace.surfaces.http.app import App
from commonplace.surfaces.http.books import Books, Threads, configured_books
from commonplace.surfaces.http.client import in_full
from commonplace.surfaces.http.environment import settings_here
from commonplace.surfaces.http.metrics import Metrics
from commonplace.surfaces.http.reviving import is_back
from commonplace.surfaces.http.state import Running, Single, found_running
from commonplace.surfaces.http.worker import Worker

if TYPE_CHECKING:
    from uvicorn import Server

Log = Callable[..., None]
Told = Callable[[Running, bool], None]

# Two hundred agents with a few connections each; a browser page that opens thousands is turned away.
_MOST_CONNECTIONS = 1_024
_KEEP_ALIVE_SECONDS = 30
_GRACE_SECONDS = 10


def serve(port: int, log: Log, told: Told) -> None:
    """Run until told to stop. `told` hears where it listens, and whether this start found one that ran already."""
    single = Single()
    if not single.take():
        running = found_running()
        if running is None:
            raise UnavailableError("another daemon is starting or does not answer", hint="Try again in a moment.")
        told(running, True)
        return
    try:
        _prepare_tokens(log)
        _serve_alone(single, port, log, told)
    finally:
        single.leave()


def _prepare_tokens(log: Log) -> None:
    """The file is there from the first start on, for the user alone, also if somebody was careless with it."""
    if not os.path.lexists(places.tokens_path()):
        tokens.begin()
    for path in (places.tokens_path(), places.folder()):
        if places.exposed(path):
            log("exposed", what=os.path.basename(path))
    with suppress(OSError):
        os.chmod(places.tokens_path(), 0o600)
    tokens.read()  # a file that cannot be read stops the start rather than every request


def _must_stand() -> None:
    """Said before a book is opened and a model is fetched."""
    try:
        import uvicorn  # noqa: F401

        from commonplace.surfaces.http import guarded  # noqa: F401
    except ImportError as cause:
        raise UnavailableError(
            "what the daemon stands on is not installed", hint="In the clone: pip install -e '.[serve]'"
        ) from cause


def _serve_alone(single: Single, port: int, log: Log, told: Told) -> None:
    _must_stand()
    own, secret = tokens.made("own", "operator", actor="operator", books=(tokens.EVERY,), speaks_for_others=True)
    books, threads, metrics = Books(configured_books()), Threads(), Metrics()
    listening, path = [_tcp(port), _unix(places.socket_path())], places.socket_path()
    url = f"http://127.0.0.1:{listening[0].getsockname()[1]}"
    served = {name: in_full(where) for name, where in books.urls.items()}
    running = Running(
        pid=os.getpid(),
        url=url,
        socket=path,
        token=secret,
        books=served,
        version=__version__,
        config=config_path(),
        settings=settings_here(),
    )
    worker = Worker(books, log)
    try:
        _open_all(books, log)
        worker.start()
        app = App(tokens.Keyring(own=(own,)), books, threads, metrics, log)

        def ready() -> None:
            single.say(running)
            is_back()
            told(running, False)

        _run(app, listening, log, ready)
    finally:
        worker.stop()
        finished = threads.close()
        with suppress(OSError):
            os.unlink(path)
        if not finished:
            # A change is whole or not at all, also when its process ends here: nobody waits an hour for a long one to end.
            log("unfinished", pid=os.getpid())
            single.leave()
            os._exit(0)
        books.close()


def _open_all(books: Books, log: Log) -> None:
    """Opened before the first request; one that cannot be is told, and looked at again when it is asked for."""
    for name in books.urls:
        try:
            books.owned(name)
        except CommonplaceError as cause:
            log("book", book=name, kind=cause.kind, code=cause.code)


def _run(app: App, listening: list[socket.socket], log: Log, ready: Callable[[], None]) -> None:
    server = _server(app)
    # The server passes a signal on when it has ended: then it is only noted, so that the books are closed in order.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    started = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await started(sockets=sockets)
        ready()

    server.startup = startup  # type: ignore[method-assign]
    log("started", pid=os.getpid(), version=__version__)
    server.run(sockets=listening)
    log("stopped", pid=os.getpid())


def _server(app: App) -> Server:
    import uvicorn

    from commonplace.surfaces.http.guarded import GuardedProtocol
    from commonplace.surfaces.http.logs import take_over

    take_over("uvicorn")
    config = uvicorn.Config(
        app,
        http=GuardedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        limit_concurrency=_MOST_CONNECTIONS,
        proxy_headers=False,
    )
    return uvicorn.Server(config)


def _tcp(port: int) -> socket.socket:
    """On loopback only: there is no option to listen anywhere else."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
    except OSError as cause:
        made.close()
        raise UnavailableError(
            f"port {port} cannot be had ({cause.strerror})", hint="Something else uses it; choose another with --port."
        ) from cause
    return made


def _unix(path: str) -> socket.socket:
    """The lock is ours, so what lies there is of one that was killed."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        made.bind(path)
    finally:
        os.umask(before)
    return made
