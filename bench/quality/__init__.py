"""How well is the right memory found? Public sets with known answers, baselines in the same run, no LLM, no network.

`python -m bench quality --set locomo --system bm25 --system commonplace --limit 200`. COMMONPLACE_DATA names the folder
of the sets. Per-question results go to `--out` as JSON lines; tables per category, with 95 % intervals, to the screen.
"""

from __future__ import annotations


def main(argv: list[str]) -> None:
    from bench.quality.command import run

    for line in run(argv):
        print(line, flush=True)
