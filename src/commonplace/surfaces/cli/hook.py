"""`commonplace hook MOMENT` for whoever asks for its help; agents come in by `surfaces/hooks/program.py`."""

from __future__ import annotations

from commonplace.surfaces.cli.arguments import Option, Parsed
from commonplace.surfaces.hooks.hosts import HOSTS

OPTIONS = (
    Option(
        ("--host",), "host", "AGENT", "whose payload it is; by default that is told by the payload", choices=(*HOSTS,)
    ),
    Option(("--project",), "project", "NAME", "the project, instead of what the folder says"),
    Option(("--capture",), "capture", help="keep the transcript when the session ends or is compacted"),
    Option(("--within",), "within", "SECONDS", "when to give up; 0.5 for session-start, 0.3 for prompt, 4 at the end"),
)


def run(parsed: Parsed) -> int:
    from commonplace.surfaces.hooks.program import run as run_hook

    own = [f"{name}={value}" for name, field in _GIVEN for value in parsed.options.get(field, ())]
    flags = ["--capture"] if "capture" in parsed.options else []
    book = parsed.everywhere_last("book")
    run_hook([*parsed.arguments, *own, *flags, *([f"--book={book}"] if book else [])])


_GIVEN = (("--host", "host"), ("--project", "project"), ("--within", "within"))
