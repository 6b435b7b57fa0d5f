"""A page that tries everything a page may try against a server on this machine, and notes all that it got to read.

It does not stop at what should be impossible: it also holds a true token, as if one had leaked, and asks for every route there
is, in every way that needs no permission and in those that do. `OpenServer` is what it was made for: a server that trusts whoever
reaches it. Against that one the page must succeed, or else its failure elsewhere would prove nothing.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SECRET = "the harbour gate opens to swordfish"
"""What a memory says, and no foreign page may learn."""

_SCRIPT = Path(__file__).with_name("hostile_page.js")


def page(target: str, routes: list[tuple[str, dict[str, Any]]], token: str) -> str:
    """The page itself, with nothing in it but its script."""
    given = {"TARGET": target, "ROUTES": routes, "TOKEN": token}
    script = _SCRIPT.read_text()
    for name, value in given.items():
        script = re.sub(rf"(?<== ){name}\b", lambda _, value=value: json.dumps(value), script, count=1)
    return f"<!doctype html><meta charset=utf-8><title>elsewhere</title><body><script type=module>{script}</script>"


class OpenServer:
    """Answers everybody, does what it is asked, and lets every page read it: what a daemon must not be."""

    def __init__(self) -> None:
        self.effects: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.command != "OPTIONS" and (body or "content=" in self.path):
                    outer.effects.append(f"{self.command} {self.path}")
                self.send_response(200)
                for name in ("Origin", "Headers", "Methods"):
                    self.send_header(
                        f"Access-Control-Allow-{name}", self.headers.get("Origin", "*") if name == "Origin" else "*"
                    )
                self.send_header("Access-Control-Allow-Credentials", "true")
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(SECRET)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(SECRET.encode())

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = _answer

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Site:
    """Where the hostile page lies: a server like any other, which hands it out under every name that leads to it."""

    def __init__(self) -> None:
        self.body = b""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
