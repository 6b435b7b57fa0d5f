"""A gate in front of the daemon, for tools that cannot send a token: it adds one, and changes nothing else.

Whoever speaks to the gate names the gate's port in Host and Origin; there the daemon's own is put in. Every other Host and Origin
goes through as it is, so that what the daemon says to strangers is seen too.
"""

from __future__ import annotations

import http.client

from conformance.local import Handler, Local

_PER_CONNECTION = ("connection", "keep-alive", "transfer-encoding", "date", "server", "content-length")


class Gate(Local):
    """`with Gate(port, token) as url:` opens it; it is closed at the end."""

    def __init__(self, port: int, token: str) -> None:
        super().__init__(type("Handler", (_Passing,), {"behind": self}))
        self.port, self.token = port, token


class _Passing(Handler):
    behind: Gate

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        inside = http.client.HTTPConnection("127.0.0.1", self.behind.port, timeout=60)
        try:
            inside.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in (*_PER_CONNECTION, "authorization"):
                    inside.putheader(name, self._named(name, value))
            inside.putheader("Authorization", f"Bearer {self.behind.token}")
            inside.putheader("Content-Length", str(len(body)))
            inside.endheaders(body)
            self._give_back(inside.getresponse())
        finally:
            inside.close()

    do_GET = do_DELETE = do_PUT = do_OPTIONS = do_POST

    def _named(self, name: str, value: str) -> str:
        own, theirs = f":{self.server.server_port}", f":{self.behind.port}"  # type: ignore[attr-defined]
        return value.replace(own, theirs) if name.lower() in ("host", "origin") and value.endswith(own) else value

    def _give_back(self, answer: http.client.HTTPResponse) -> None:
        body = answer.read()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _PER_CONNECTION:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
