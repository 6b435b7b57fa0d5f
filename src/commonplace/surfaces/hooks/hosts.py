"""The programs that run hooks: what each calls its moments and its fields, and how it wants context back. One table.

What they send and take was read from their documentation in 2026; `surely` is false where that was thin. A field is named by a
path with dots; the first one that holds a text counts. `answer` makes of our text what the program reads on stdout.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Fields = tuple[str, ...]
    Answer = Callable[[str, str, str], object]

MOMENTS = ("session-start", "prompt", "pre-compact", "session-end")
"""What hooks are for, in the order of a session."""


class Host:
    """One program. A plain class: hooks are started with every prompt, and a NamedTuple is dearer to make."""

    def __init__(
        self,
        name: str,
        *,
        events: Mapping[str, str],
        answer: Answer | None,
        session: Fields,
        cwd: Fields,
        prompt: Fields = ("prompt",),
        transcript: Fields = ("transcript_path",),
        home: str,
        home_variable: str = "",
        surely: bool = True,
    ) -> None:
        self.name, self.events, self.answer = name, events, answer
        self.session, self.cwd, self.prompt, self.transcript = session, cwd, prompt, transcript
        self.home, self.home_variable = home, home_variable
        """Where it keeps its settings and its transcripts, and the variable that says otherwise."""
        self.surely = surely


def _in_gemini(text: str, moment: str, event: str) -> object:
    """Gemini takes everything on stdout for JSON; only these two moments may add context."""
    if not text or moment not in ("session-start", "prompt"):
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _in_cursor(text: str, moment: str, event: str) -> object:  # noqa: ARG001 (part of the shape)
    """Cursor documents context for a session's start only; with a prompt it is offered and may be passed over."""
    said: dict[str, object] = {"continue": True} if moment == "prompt" else {}
    return said | ({"additional_context": text} if text else {})


HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            events={
                "session-start": "SessionStart",
                "prompt": "UserPromptSubmit",
                "pre-compact": "PreCompact",
                "session-end": "SessionEnd",
            },
            answer=None,
            session=("session_id",),
            cwd=("cwd",),
            home="~/.claude",
            home_variable="CLAUDE_CONFIG_DIR",
        ),
        Host(
            "codex",  # it has no event for the end of a session: the idle sweep sees to that
            events={"session-start": "SessionStart", "prompt": "UserPromptSubmit", "pre-compact": "PreCompact"},
            answer=None,
            session=("session_id",),
            cwd=("cwd",),
            home="~/.codex",
            home_variable="CODEX_HOME",
        ),
        Host(
            "gemini",
            events={
                "session-start": "SessionStart",
                "prompt": "BeforeAgent",
                "pre-compact": "PreCompress",
                "session-end": "SessionEnd",
            },
            answer=_in_gemini,
            session=("session_id",),
            cwd=("cwd",),
            home="~/.gemini",
        ),
        Host(
            "cursor",
            events={
                "session-start": "sessionStart",
                "prompt": "beforeSubmitPrompt",
                "pre-compact": "preCompact",
                "session-end": "sessionEnd",
            },
            answer=_in_cursor,
            session=("conversation_id", "session_id"),
            cwd=("workspace_roots.0", "cwd"),
            home="~/.cursor",
            surely=False,
        ),
        Host(
            "openclaw",  # its hooks are JavaScript inside its gateway; ours passes this on (see openclaw.py)
            events={
                "session-start": "agent:bootstrap",
                "pre-compact": "session:compact:before",
                "session-end": "command:new",
            },
            answer=None,
            session=("sessionId", "context.sessionId", "sessionKey"),
            cwd=("workspaceDir", "context.workspaceDir"),
            prompt=("prompt", "content", "context.content"),
            transcript=("sessionFile", "context.sessionFile", "context.previousSessionEntry.sessionFile"),
            home="~/.openclaw",
            home_variable="OPENCLAW_STATE_DIR",
            surely=False,
        ),
    )
}


def host_of(payload: Mapping[str, object], named: str | None) -> Host:
    """The program that is named, else the one that sends such payloads, else the one whose form most others took over."""
    return HOSTS.get(named or "") or HOSTS[_guessed(payload)]


def _guessed(payload: Mapping[str, object]) -> str:
    if "sessionKey" in payload:
        return "openclaw"
    if "conversation_id" in payload or "workspace_roots" in payload:
        return "cursor"
    transcript = payload.get("transcript_path")
    for host in HOSTS.values():
        if isinstance(transcript, str) and f"/{host.home[2:]}/" in transcript:
            return host.name
    if "turn_id" in payload:
        return "codex"
    return "gemini" if payload.get("hook_event_name") in ("BeforeAgent", "PreCompress") else "claude-code"


def text_at(payload: object, paths: Fields) -> str | None:
    """The first text at one of these paths. Whatever has another shape than expected has no text there."""
    for path in paths:
        found = payload
        for step in path.split("."):
            found = _step(found, step)
        if isinstance(found, str) and found:
            return found
    return None


def _step(inside: object, step: str) -> object:
    if isinstance(inside, dict):
        return inside.get(step)
    if isinstance(inside, list) and step.isdigit() and int(step) < len(inside):
        return inside[int(step)]
    return None
