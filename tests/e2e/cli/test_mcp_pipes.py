"""An MCP client that has stopped reading can still end its server with a signal, as a shutdown may have to."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import termios
import threading
import time
from contextlib import suppress
from typing import IO

from e2e.cli.shell import PROGRAM, Shell


def test_a_client_that_does_not_read_its_answers_can_end_it(shell: Shell) -> None:
    server = subprocess.Popen(
        [*PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment
    )
    assert server.stdin is not None
    assert server.stdout is not None
    asking = threading.Thread(target=_ask_and_ask, args=(server.stdin,))
    asking.start()
    _wait_until_full(server.stdout)
    server.send_signal(signal.SIGTERM)
    try:
        assert server.wait(30) == 0
    finally:
        server.kill()
        server.communicate()
        asking.join()


def _ask_and_ask(stdin: IO[bytes]) -> None:
    call = {"name": "memory_search", "arguments": {"query": "x"}}
    with suppress(OSError, ValueError):
        for id in range(2_000):
            stdin.write(
                json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}).encode() + b"\n"
            )
            stdin.flush()


def _wait_until_full(stdout: IO[bytes]) -> None:
    """No more comes, although nothing was read."""
    waiting, deadline = [0, 1], time.monotonic() + 60
    while (waiting[-1] < 30_000 or waiting[-1] != waiting[-2]) and time.monotonic() < deadline:
        time.sleep(0.3)
        said = fcntl.ioctl(stdout.fileno(), termios.FIONREAD, b"\0\0\0\0")
        waiting.append(int.from_bytes(said, "little"))
    assert waiting[-1] >= 30_000
