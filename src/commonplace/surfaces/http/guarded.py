"""The HTTP protocol of the server, with limits of our own: who may connect, how large a head may be, how long it may take."""

from __future__ import annotations

import asyncio
import os
import socket
import struct

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# A head comes in one piece from any real client.
HEAD_SECONDS = 5.0
_MOST_HEAD_BYTES = 64 * 1024
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class GuardedProtocol(HttpToolsProtocol):
    """One connection. Until a request's head is complete, its size and its time are counted."""

    _timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not _is_ours(transport.get_extra_info("socket")):
            transport.abort()
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _MOST_HEAD_BYTES:
                self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_came()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._head_came()
        self._in_head, self._head_bytes = True, 0
        self._timer = self.loop.call_later(HEAD_SECONDS, self._refuse, _TOO_SLOW)

    def _head_came(self) -> None:
        self._in_head = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()


def _is_ours(connected: socket.socket | None) -> bool:
    """Over the Unix socket only the user's own processes may come, whatever its permissions have become (row 106)."""
    if connected is None or connected.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return uid in (os.getuid(), 0)
