"""A real daemon in a process of its own, with a home of its own, and a plain HTTP client for it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-m", "commonplace"]


class Daemon:
    """Starts `commonplace serve` and waits until it says where it listens."""

    program = PROGRAM

    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        self.data = home / "share" / "commonplace"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "XDG_DATA_HOME": str(home / "share"),
            "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config"), "COMMONPLACE_ACTOR": "alice",
            "COMMONPLACE_EMBEDDER": "none", "COMMONPLACE_RERANKER": "none", **environment,
        }  # fmt: skip
        self.log: list[str] = []
        self.token = ""
        self._clients: list[Client] = []

    def start(self, *words: str) -> Daemon:
        self.process = subprocess.Popen(
            [*self.program, "serve", "--json", *(words or ("--port", "0"))], env=self.environment, cwd=self.home,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        line = self.process.stdout.readline()
        assert line, "".join(self.log)
        self.said = json.loads(line)
        self.port = int(self.said["url"].rpartition(":")[2])
        if not self.token:
            self.token = self.run("token", "add", "alice", "--scope", "operator", "--as", "alice", "--books", "*")[
                "token"
            ]
        return self

    def _read(self) -> None:
        for line in self.process.stderr:
            self.log.append(line)

    def run(self, *words: str) -> Any:
        """A command beside it."""
        done = subprocess.run(
            [*PROGRAM, *words, "--json"], env=self.environment, cwd=self.home, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def client(self, token: str | None = None) -> Client:
        self._clients.append(Client(self.port, self.token if token is None else token))
        return self._clients[-1]

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(20)
        self._close()
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)
        self._close()

    def _close(self) -> None:
        self._reader.join(5)
        for client in self._clients:
            client.close()
        self.process.stdout.close()
        self.process.stderr.close()

    def raw(self, sent: bytes, seconds: float = 20.0) -> bytes:
        """Bytes as they are; returns all that comes until the other side closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            came = b""
            try:
                connection.sendall(sent)
                while piece := connection.recv(65_536):
                    came += piece
            except OSError:
                pass
            return came


class Client:
    """One kept connection."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        sent = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, sent, {**self._headers, **headers})
        answer = self._connection.getresponse()
        came = answer.read()
        return answer.status, json.loads(came) if "json" in (answer.getheader("content-type") or "") and came[
            :1
        ] in b"[{" else came

    def post(self, operation: str, **fields: Any) -> Any:
        status, said = self("POST", f"/v1/{operation}", fields)
        assert status == 200, said
        return said

    def close(self) -> None:
        self._connection.close()
