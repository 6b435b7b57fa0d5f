"""The section about memory in an agent's system prompt (G39). It guides; nothing is stored because of a phrase (G40)."""

from __future__ import annotations

from commonplace.surfaces.tools.settings import DELETE, STORE, ToolSettings

_STORE = """You have persistent memory tools. Use memory_store when:
- The user explicitly asks you to remember something
- You learn a stable fact about the user or project that will be useful across sessions
Do NOT store: transient task context, secrets/tokens, or information already in files."""
_DELETE = "Use memory_delete to remove outdated memories."
_SURFACED = "Memories are automatically surfaced in your context when relevant."


def memory_section(settings: ToolSettings) -> str:
    """What to tell the model of the tools it has; of one that is switched off it is told nothing."""
    last = [
        said
        for said, holds in ((_DELETE, settings.is_enabled(DELETE)), (_SURFACED, settings.inject_mode != "off"))
        if holds
    ]
    said = [_STORE if settings.is_enabled(STORE) else "", " ".join(last)]
    return "\n".join(filter(None, said))


def with_section(prompt: str, settings: ToolSettings) -> str:
    """A system prompt with the section behind it."""
    return "\n\n".join(filter(None, (prompt, memory_section(settings))))
