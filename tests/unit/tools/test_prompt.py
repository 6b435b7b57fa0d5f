"""What the model is told about its memory."""

from __future__ import annotations

from pathlib import Path

from commonplace.tools import Toolset

_SECTION = """You have persistent memory tools. Use memory_store when:
- The user explicitly asks you to remember something
- You learn a stable fact about the user or project that will be useful across sessions
Do NOT store: transient task context, secrets/tokens, or information already in files.
Use memory_delete to remove outdated memories. Memories are automatically surfaced in your context when relevant."""


def test_the_section_is_the_designs_own(tools: Toolset) -> None:
    """G39."""
    assert tools.system_prompt() == _SECTION
    assert tools.system_prompt("You are Ada.") == f"You are Ada.\n\n{_SECTION}"


def test_it_says_nothing_of_what_is_switched_off(workspace: Path) -> None:
    """G53."""
    off = {"memory": {"inject_mode": "off"}, "tools": {"memory_delete": {"enabled": False}}}
    assert Toolset(workspace, off).system_prompt() == "\n".join(_SECTION.splitlines()[:-1])
    off["tools"] = {"memory_delete": {"enabled": False}, "memory_store": {"enabled": False}}
    assert Toolset(workspace, off).system_prompt("You are Ada.") == "You are Ada."


def test_nothing_is_stored_because_of_a_phrase(tools: Toolset, workspace: Path) -> None:
    """G40: only a call stores; a message that says "remember" does not."""
    tools.inject([{"role": "user", "content": "Remember that I prefer tabs over spaces."}])
    assert [*workspace.iterdir()] == []
