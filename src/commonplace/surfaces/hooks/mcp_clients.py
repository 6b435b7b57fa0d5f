"""Where each agent keeps its list of MCP servers, and in which form. One table; `mcp_entry.py` does the writing.

The forms were taken from the agents' documentation in 2026. A project's file is shared with others, so the program is named there
and not where it lies on this machine.
"""

from __future__ import annotations

import os
from typing import Any

from commonplace.surfaces.hooks.hosts import HOSTS
from commonplace.surfaces.hooks.recipes import home_of

NAME = "commonplace"
"""What the server is called everywhere."""


class Client:
    """One agent. `user` and `project` are its files, the first it has is meant if nothing is said; `inside` leads to the list."""

    def __init__(
        self,
        name: str,
        *,
        user: str = "",
        project: str = "",
        inside: tuple[str, ...] = ("mcpServers",),
        toml: bool = False,
        stdio: bool = False,
        note: str,
        instead: str = "",
    ) -> None:
        self.name, self.inside, self.toml, self._stdio = name, inside, toml, stdio
        self._files = {"user": user, "project": project}
        self.note, self.instead = note, instead
        """What its user should know; and how it is done where it has no such file."""

    @property
    def levels(self) -> list[str]:
        return [level for level, file in self._files.items() if file]

    def path(self, level: str) -> str:
        if level == "project":
            return os.path.join(os.getcwd(), self._files[level])
        home = home_of(HOSTS[self.name]) if self.name in HOSTS else os.path.expanduser("~")
        return os.path.join(home, self._files[level])

    def entry(self, command: list[str]) -> dict[str, Any]:
        """What the list says of our server."""
        sort = {"type": "stdio"} if self._stdio else {}
        return {**sort, "command": command[0], "args": command[1:]}


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            project=".mcp.json",
            note="Claude Code asks once whether it may start the servers of a project; `/mcp` shows them.",
            instead="For all your projects: claude mcp add --scope user commonplace -- commonplace mcp",
        ),
        Client("codex", user="config.toml", inside=("mcp_servers",), toml=True, note="`codex mcp list` shows it."),
        Client(
            "gemini",
            user="settings.json",
            project=os.path.join(".gemini", "settings.json"),
            note="`gemini mcp list` shows it.",
        ),
        Client(
            "cursor",
            user="mcp.json",
            project=os.path.join(".cursor", "mcp.json"),
            note="Cursor shows its servers in its settings, under MCP.",
        ),
        Client(
            "openclaw",
            user="openclaw.json",
            inside=("mcp", "servers"),
            note="Not certain: written from OpenClaw's documentation.",
        ),
        Client(
            "vscode",
            project=os.path.join(".vscode", "mcp.json"),
            inside=("servers",),
            stdio=True,
            note="VS Code asks whether it may start it; `MCP: List Servers` shows it.",
        ),
    )
}
