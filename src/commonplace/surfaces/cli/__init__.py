"""How does a person at a terminal, or a script, use a book? The command line: parse, call, render.

Commands are made from the table in `surfaces/operations.py`. Starting is part of the promise: `--help` and a cold `get`
must cost about as little as Python itself (docs/adr/0007), so nothing is imported here before it is needed.
"""


def main() -> None:
    """The console script. Ends the process."""
    import gc
    import os
    import sys

    gc.disable()  # while modules are loaded there is nothing to collect; `perform` switches it on again
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us: `commonplace ... >&-`
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - stays open until the end
    words = sys.argv[1:]
    if _is_hook(words):
        from commonplace.surfaces.hooks.program import run as run_hook

        run_hook(words)
    try:
        from commonplace.surfaces.cli.program import run

        code = run(words)
    except KeyboardInterrupt:  # Ctrl-C while still loading
        code = 130
    # Everything is flushed and the book is closed: taking the interpreter apart would only cost what a `get` costs.
    os._exit(code)


def _is_hook(words: list[str]) -> bool:
    """Hooks are started with every prompt and must never be refused: they have a way in of their own."""
    at = 2 if words[:1] in (["-b"], ["--book"]) else 1 if words[:1] and words[0].startswith("--book=") else 0
    return words[at : at + 1] == ["hook"] and "--help" not in words and "-h" not in words
