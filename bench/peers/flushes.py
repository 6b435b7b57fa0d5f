"""How often does one write ask the disk to keep it? Counted by `strace`, where it is here."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bench.peers.catalogue import Entry
from bench.peers.environments import Home
from bench.peers.process import Worker, WorkerError

_CALLS = "fsync,fdatasync,msync,sync_file_range"
_BEGUN = re.compile(r"\b(?:fsync|fdatasync|msync|sync_file_range)\(")


def flushes_per_put(
    entry: Entry, home: Home, folder: Path, items: Sequence[tuple[str, str, str]], vectors: Mapping[str, np.ndarray]
) -> float:
    """The mean over all but the first five, which may still be creating files. nan if it cannot be seen here."""
    strace = shutil.which("strace")
    if strace is None:
        return math.nan
    trace = folder.with_suffix(".strace")
    under = [strace, "-f", "-qq", "-e", f"trace={_CALLS}", "-o", str(trace)]
    try:
        worker = Worker(entry, home, folder, patience=300, under=under)
        worker.learn(vectors, {})
        worker.ask("put", items=list(items[:5]))
        before = _count(trace)
        worker.ask("put", items=list(items[5:]))
        after = _count(trace)
        worker.close()
    except WorkerError:
        return math.nan
    return (after - before) / (len(items) - 5)


def _count(trace: Path) -> int:
    return len(_BEGUN.findall(trace.read_text(errors="replace"))) if trace.exists() else 0
