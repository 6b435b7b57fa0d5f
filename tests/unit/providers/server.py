"""A server of embeddings that does as it is told: right, wrong, late, or not at all."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def vectors(asked, dimensions=4):
    """A right answer, in the wrong order, of vectors that are not of length one."""
    rows = [
        {"object": "embedding", "index": n, "embedding": [len(text) + 1.0, n, 2.0, 3.0][:dimensions]}
        for n, text in enumerate(asked["input"])
    ]
    return {"object": "list", "data": rows[::-1], "model": asked["model"]}


class Server(ThreadingHTTPServer):
    """Answers each request with the next of its `replies`, the last one again and again."""

    daemon_threads = True

    def __init__(self, *replies):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = [*replies] or [vectors]
        self.seen = []
        self.done = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        """A client that went away is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        reply = self.server.replies.pop(0) if len(self.server.replies) > 1 else self.server.replies[0]
        if callable(reply):
            reply = reply(body)
        getattr(self, f"_{type(reply).__name__}")(reply)

    def _dict(self, reply):
        self._bytes(json.dumps(reply).encode())

    def _bytes(self, raw, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _int(self, status):
        self._bytes(b'{"error": {"message": "wrong key sk-test-1234567890"}}', status)

    def _tuple(self, reply):
        status, headers = reply
        self._bytes(b"", status, headers)

    def _str(self, how):
        if how == "hang":
            self.server.done.wait(30)
        elif how == "drip":
            self._drip()
        elif how == "close":
            self.connection.close()

    def _drip(self):
        """One byte now and then: a time limit for each read would never strike."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not self.server.done.is_set():
            self.wfile.write(b"X")
            self.wfile.flush()
            time.sleep(0.05)

    def log_message(self, *_):
        pass
