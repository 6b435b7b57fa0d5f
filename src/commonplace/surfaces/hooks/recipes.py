"""What each agent's settings should say so that it runs our hooks: which file, which form, and what its user should know.

Each form was taken from the agent's documentation in 2026. Where that left doubts a note says so, and `install --print` shows
what would be written, for whoever would rather put it in by hand.
"""

from __future__ import annotations

import os
import shlex
from typing import Any

from commonplace.surfaces.hooks.hosts import HOSTS, MOMENTS, Host

LEVELS = ("user", "project")
_SECONDS = 5  # A75: how long the agent waits


class Recipe:
    """One agent's file. `flat`: an event lists commands; else it lists groups, and a group lists commands."""

    def __init__(
        self, host: str, file: str, *, flat: bool = False, milliseconds: bool = False, version: bool = False, note: str
    ) -> None:
        self.host, self.file, self.flat = HOSTS[host], file, flat
        self.timeout = _SECONDS * 1000 if milliseconds else _SECONDS
        self.fresh: dict[str, Any] = {"version": 1} if version else {}
        """What a file begins with that is not there yet."""
        self.note = note

    def path(self, level: str) -> str:
        """Where the settings lie: with the user, or with the project in this folder."""
        if level == "project":
            return os.path.join(os.getcwd(), self.host.home[2:], self.file)
        return os.path.join(home_of(self.host), self.file)

    def item(self, moment: str, command: str) -> dict[str, Any]:
        """What stands in the list of an event."""
        run: dict[str, Any] = {"command": command, "timeout": self.timeout}
        if self.flat:
            return run
        named = {"name": f"commonplace-{moment}"} if self.host.name == "gemini" else {}
        return {"hooks": [{"type": "command", **named, **run}]}


RECIPES = {
    recipe.host.name: recipe
    for recipe in (
        Recipe(
            "claude-code",
            "settings.json",
            note="Claude Code reads its hooks when a session starts; `/hooks` shows them.",
        ),
        Recipe(
            "codex",
            "hooks.json",
            note="Codex runs a new hook after you have reviewed it (`/hooks`). Versions before May 2026 also want "
            "`codex_hooks = true` under `[features]` in config.toml. It has no event for the end of a session.",
        ),
        Recipe(
            "gemini",
            "settings.json",
            milliseconds=True,
            note="Gemini CLI has hooks since 0.26; before, they had to be switched on in its settings.",
        ),
        Recipe(
            "cursor",
            "hooks.json",
            flat=True,
            version=True,
            note="Not certain: Cursor documents added context for the start of a session only; with a prompt it may be "
            "passed over, and some versions do not know sessionStart.",
        ),
    )
}


def home_of(host: Host) -> str:
    return os.environ.get(host.home_variable or "") or os.path.expanduser(host.home)


def commands_for(host: Host, program: str, options: list[str], *, capture: bool) -> dict[str, str]:
    """The command for each event of the agent."""
    tail = " ".join(shlex.quote(option) for option in options)
    found = {}
    for moment in MOMENTS:
        if moment in host.events:
            kept = " --capture" if capture and moment != "prompt" else ""
            found[moment] = f"{program} hook {moment} --host {host.name}{kept}{f' {tail}' if tail else ''}"
    return found


def is_ours(command: object, host: Host) -> bool:
    """Did `install` write this command, for this agent? Also if somebody has added options to it."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    at = words.index("hook") if "hook" in words else -1
    named = f"--host={host.name}" in words or any(
        words[place : place + 2] == ["--host", host.name] for place in range(len(words))
    )
    return 0 < at < len(words) - 1 and words[at + 1] in MOMENTS and named and "commonplace" in " ".join(words[:at])
