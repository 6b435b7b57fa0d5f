"""CPU of the command line beside `python -c pass`: least of fifteen starts each, in turn, user and system, bytecode compiled."""

from __future__ import annotations

import sys
from pathlib import Path

import commonplace
from bench.measure import cpu_of, verdict


def run(folder: Path) -> list[str]:
    url = f"sqlite:{folder / 'startup.sqlite'}"
    with commonplace.open(url, actor="bench") as book:
        id = book.save("A memory to get.", type="episode").id
    command = str(Path(sys.executable).with_name("commonplace"))
    floor, shows, gets, imports = cpu_of(
        [sys.executable, "-c", "pass"],
        [command, "--help"],
        [command, "-b", url, "get", id],
        [sys.executable, "-c", "import commonplace"],
    )
    lines = [f"  python -c pass: {floor * 1e3:.1f} ms"]
    for name, spent in (("--help", shows), ("get", gets)):
        lines.append(f"        commonplace {name}: {spent * 1e3:.1f} ms")
        lines.append(verdict(f"commonplace {name} / python -c pass", spent / floor, 4))
    lines.append(f"        import commonplace: {imports / floor:.2f} x python -c pass")
    return lines
