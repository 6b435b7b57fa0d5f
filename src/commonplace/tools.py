"""Memory as built-in tools, for people who write agents.

    from commonplace.tools import Toolset

    tools = Toolset(workspace=".")
    tools.schemas(style="openai")                        # what to tell the model
    tools.dispatch("memory_store", {"text": "..."})      # what to answer it
    tools.inject(messages)                               # what to remind it of before each call

`docs/guide/tools.md` goes through all of it.
"""

from __future__ import annotations

from commonplace.surfaces.tools.inject import Injection
from commonplace.surfaces.tools.settings import ToolSettings
from commonplace.surfaces.tools.toolset import Toolset

__all__ = ["Injection", "ToolSettings", "Toolset"]
