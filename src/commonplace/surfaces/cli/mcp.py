"""`commonplace mcp`: MCP on stdin and stdout, for an agent that starts its servers itself."""

from __future__ import annotations

from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError

OPTIONS = (Option(("--project",), "project", "NAME", "the project that is meant where a call names none"),)


def run(parsed: Parsed) -> int:
    if parsed.arguments:
        raise UsageError("mcp takes no arguments", "Agents start it and speak to it; see docs/guide/mcp.md.")
    import gc

    from commonplace import settings
    from commonplace.guard.trust import check_actor
    from commonplace.surfaces.cli.options import number
    from commonplace.surfaces.lightly import import_lightly

    import_lightly()
    from commonplace.surfaces.mcp.reach import OwnBook
    from commonplace.surfaces.mcp.stdio import DEFAULT_ACTOR, serve

    actor = check_actor(parsed.everywhere_last("actor") or DEFAULT_ACTOR)
    asked = parsed.everywhere_last("timeout")
    timeout = settings.BUSY_TIMEOUT_SECONDS if asked is None else number(asked, "--timeout")
    gc.enable()  # this process lives long; starting it was quick
    project = parsed.options.get("project", [None])[-1]
    direct = "direct" in parsed.everywhere or asked is not None
    book = OwnBook(parsed.everywhere_last("book"), actor, timeout, direct=direct)
    serve(book, project=project, agent=_name_of(actor))
    return 0


def _name_of(actor: str) -> str:
    """The agent's own name, under which it keeps things to itself: `claude` for `agent:claude`."""
    return actor.partition(":")[2] or actor
