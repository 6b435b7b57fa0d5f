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
    try:
        from commonplace.surfaces.cli.program import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # Ctrl-C while still loading
        code = 130
    # Everything is flushed and the book is closed: taking the interpreter apart would only cost what a `get` costs.
    os._exit(code)
