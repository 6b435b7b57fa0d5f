"""CPU of the command line beside `python -c pass`: least of fifteen starts each, user and system time, bytecode compiled."""

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
    floor = cpu_of([sys.executable, "-c", "pass"])
    lines = [f"  python -c pass: {floor * 1e3:.1f} ms"]
    for name, arguments in (("--help", ["--help"]), ("get", ["-b", url, "get", id])):
        spent = cpu_of([command, *arguments])
        lines.append(f"        commonplace {name}: {spent * 1e3:.1f} ms")
        lines.append(verdict(f"commonplace {name} / python -c pass", spent / floor, 4))
    spent = cpu_of([sys.executable, "-c", "import commonplace"])
    lines.append(f"        import commonplace: {spent / floor:.2f} x python -c pass")
    return lines
