"""The hook that OpenClaw loads: its hooks are JavaScript inside its gateway, so ours is a few lines that start our program.

It lies in a folder of its own below OpenClaw's `hooks`. OpenClaw's configuration is not edited: `openclaw hooks enable
commonplace` does that, and knows its format.
"""

from __future__ import annotations

import json
import os
import shlex

from commonplace.surfaces.hooks.hosts import HOSTS
from commonplace.surfaces.hooks.recipes import home_of

NOTE = (
    "Not certain: written from OpenClaw's documentation. Then run `openclaw hooks enable commonplace`. Its hooks can add "
    "context at the start of a session; with a prompt they cannot."
)
FIRST_LINE = "// Written by `commonplace install openclaw`; `commonplace uninstall openclaw` removes it."


def folder() -> str:
    return os.path.join(home_of(HOSTS["openclaw"]), "hooks", "commonplace")


def files(commands: dict[str, str]) -> dict[str, str]:
    """Each file's path and text."""
    return {os.path.join(folder(), "HOOK.md"): _ABOUT, os.path.join(folder(), "handler.js"): _handler(commands)}


def _handler(commands: dict[str, str]) -> str:
    said = {moment: shlex.split(command) for moment, command in commands.items()}
    return _HANDLER.replace("COMMANDS", json.dumps(said, indent=2)).replace("FIRST_LINE", FIRST_LINE)


_ABOUT = """---
name: commonplace
description: "Hands over what the commonplace book remembers when a session starts; keeps sessions if that is chosen"
metadata:
  { "openclaw": { "events": ["agent:bootstrap", "command:new", "command:reset", "session:compact:before"] } }
---

# commonplace

Written by `commonplace install openclaw`; `commonplace uninstall openclaw` removes it. It starts `commonplace hook`,
which always ends within seconds and never fails.
"""

_HANDLER = """FIRST_LINE
import { spawn } from "node:child_process";
import { join } from "node:path";

const commands = COMMANDS;

const moments = {
  "agent:bootstrap": "session-start",
  "command:new": "session-end",
  "command:reset": "session-end",
  "session:compact:before": "pre-compact",
};

// Whatever goes wrong, the answer is an empty text: a session must not stop because of its memory.
function ask(moment, payload) {
  return new Promise((resolve) => {
    const [program, ...words] = commands[moment];
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: 5000 });
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => { text += piece; });
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(""));
    child.on("close", (code) => resolve(code === 0 ? text.trimEnd() : ""));
    child.stdin.end(JSON.stringify(payload));
  });
}

export default async function handler(event) {
  const moment = moments[`${event.type}:${event.action}`];
  if (!moment || !commands[moment]) return;
  const context = event.context ?? {};
  const ended = context.previousSessionEntry ?? context.sessionEntry ?? {};
  const text = await ask(moment, {
    sessionKey: event.sessionKey,
    sessionId: context.sessionId ?? ended.sessionId,
    sessionFile: context.sessionFile ?? ended.sessionFile,
    workspaceDir: context.workspaceDir,
  });
  if (!text || !Array.isArray(context.bootstrapFiles)) return;
  // A new list: whoever made the old one may keep it for the next turn.
  const files = context.bootstrapFiles;
  const known = files.find((file) => file.name === "MEMORY.md" && !file.missing);
  const path = join(context.workspaceDir ?? ".", "MEMORY.md");
  context.bootstrapFiles = known
    ? files.map((file) => (file === known ? { ...file, content: `${file.content ?? ""}\\n\\n${text}` } : file))
    : [...files, { name: "MEMORY.md", path, content: text, missing: false }];
}
"""
