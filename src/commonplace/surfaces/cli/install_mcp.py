"""`commonplace install mcp --client AGENT`: our MCP server in the agent's list of servers, and out of it again."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Any

from commonplace.errors import ConflictError
from commonplace.surfaces.cli.arguments import Parsed, UsageError
from commonplace.surfaces.cli.install import with_how_to_name_it
from commonplace.surfaces.hooks import mcp_entry
from commonplace.surfaces.hooks.installing import Change, to_put, to_take
from commonplace.surfaces.hooks.mcp_clients import CLIENTS, NAME, Client

if TYPE_CHECKING:
    from commonplace.surfaces.hooks.installing import Part


class Server:
    """Our entry in a client's list, as a part of its file."""

    ending = "before-commonplace-mcp"

    def __init__(self, client: Client, entry: dict[str, Any]) -> None:
        self._client, self._entry = client, entry

    def fresh(self) -> str:
        return mcp_entry.fresh(self._client, self._entry)

    def put(self, text: str) -> str:
        standing = mcp_entry.entry_in(text, self._client)
        if standing is not None and not mcp_entry.is_ours(standing):
            raise ConflictError(
                f"another server is called {NAME} there", hint="Give it another name, or put ours in by hand: --print."
            )
        return mcp_entry.with_entry(text, self._client, self._entry)

    def take(self, text: str) -> str:
        return mcp_entry.without_entry(text, self._client)

    def as_in(self, text: str) -> Part | None:
        standing = mcp_entry.entry_in(text, self._client)
        return Server(self._client, standing) if standing is not None and mcp_entry.is_ours(standing) else None


class Mcp:
    """What `install mcp` does, for the client and the level that were named."""

    def __init__(self, parsed: Parsed) -> None:
        self._client = _client(parsed)
        self._level = _level(parsed, self._client)
        self._server = Server(self._client, self._client.entry(_command(parsed, self._level)))
        self.note = with_how_to_name_it(self._client.note, self._level, parsed)

    def to_install(self) -> list[Change]:
        return [to_put(self._server, self._client.path(self._level))]

    def to_uninstall(self) -> list[Change]:
        return [to_take(self._server, self._client.path(self._level))]

    def snippet(self) -> str:
        return self._server.fresh()


def _client(parsed: Parsed) -> Client:
    name = parsed.options.get("client", ["claude-code"])[-1]
    if name not in CLIENTS:
        raise UsageError(f"--client is one of: {', '.join(CLIENTS)}")
    return CLIENTS[name]


def _level(parsed: Parsed, client: Client) -> str:
    level = parsed.options.get("level", client.levels)[-1 if "level" in parsed.options else 0]
    if level not in client.levels:
        raise UsageError(
            f"{client.name} has a list of servers for the {' and the '.join(client.levels)} only", client.instead
        )
    return level


def _command(parsed: Parsed, level: str) -> list[str]:
    """How the agent starts it. It waits for it anyway, so it is the program that people know."""
    book = parsed.everywhere_last("book")
    named = parsed.options.get("program", [""])[-1]
    return [*(shlex.split(named) or _program(level)), "mcp", *([f"--book={book}"] if book else [])]


def _program(level: str) -> list[str]:
    if level == "project":
        return ["commonplace"]
    beside = os.path.join(os.path.dirname(sys.executable), "commonplace")
    found = beside if os.access(beside, os.X_OK) else shutil.which("commonplace")
    return [found] if found else [sys.executable, "-P", "-m", "commonplace"]
