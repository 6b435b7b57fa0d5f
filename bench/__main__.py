"""`make bench`: every number is taken beside its yardstick in the same run, and printed with how it was taken.

`python -m bench saving bulk` runs only those. `COMMONPLACE_BENCH_LARGE=100000` makes the large book smaller.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from bench.measure import machine

BENCHES = ("startup", "saving", "capturing", "bulk", "waiting", "scale", "finding", "files", "hooks", "service",
           "secret_scanner")  # fmt: skip
ON_DATA = ("consolidation", "extraction", "quality")
"""Those that need the public data sets; `$COMMONPLACE_DATA` says where they lie."""
ASKED = ("quality", "peers", "finding")
"""Those that take arguments of their own: `python -m bench quality --help`. `peers` installs others: only if asked."""


def main(asked: list[str]) -> None:
    if asked and asked[0] in ASKED and (len(asked) > 1 or asked[0] != "finding"):
        import_module(f"bench.{asked[0]}").main(asked[1:])
        return
    known = (*BENCHES, *ON_DATA, "peers")
    if asked and asked[0] in ("-h", "--help"):
        sys.exit(print(f"{(__doc__ or '').strip()}\n\nThere are: {', '.join(known)}."))
    if unknown := [name for name in asked if name not in known]:
        sys.exit(f"{(__doc__ or '').strip()}\n\nThere is no {unknown[0]}. There are: {', '.join(known)}.")
    print(f"Commonplace bench: {machine()}\n")
    for name in asked or (*BENCHES, *(ON_DATA if os.environ.get("COMMONPLACE_DATA") else ())):
        _run(name)


def _run(name: str) -> None:
    bench = import_module(f"bench.{name}")
    print(f"{name}: {(bench.__doc__ or '').strip()}\n")
    if name == "quality":
        bench.main([])
        return
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as folder:
        for line in bench.run(Path(folder)):
            print(line, flush=True)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
