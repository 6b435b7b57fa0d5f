"""Books in files: opening a vault of ten thousand notes beside looking at its files, building its catalog, a save in each canon.

Yardstick of opening: `os.scandir` and one `stat` for each file, nothing else. Ours: `commonplace.open` and a first page. Cold is
the first call without a catalog: read, parse, journal, index by words; no embeddings. All in processor time of this process, the
best of a few, because others share this machine and only ever add. Saves are timed in turns, on the same disk.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import commonplace
from bench.measure import sentences, verdict

NOTES = 10_000
ROUNDS = 5
SAVES = 200


def run(folder: Path) -> Iterator[str]:
    os.environ.update({"XDG_CACHE_HOME": str(folder / "cache"), "COMMONPLACE_EMBEDDER": "none"})
    vault = folder / "vault"
    _write_notes(vault)
    url = f"vault:{vault}"
    cold = _used(lambda: _open(url))
    looks = [_used(lambda: _look(str(vault))) for _ in range(ROUNDS)]
    warm = [_used(lambda: _open(url)) for _ in range(ROUNDS)]
    yield f"  {NOTES:,} notes: stat {min(looks) * 1e3:.0f} ms, warm open {min(warm) * 1e3:.0f} ms, cold {cold:.1f} s"
    yield verdict("        warm open / stat of every file", min(warm) / min(looks), 2)
    yield verdict("        milliseconds to take in one note", cold / NOTES * 1e3, 0.5)
    yield from _saves(folder)


def _write_notes(vault: Path) -> None:
    for n, text in enumerate(sentences(NOTES)):
        place = vault / "Agent" / "Memory" / ("fix", "note", "workflow", "idea")[n % 4]
        place.mkdir(parents=True, exist_ok=True)
        said = f"kind: fix\nstatus: active\ncreated: 2026-01-01\nupdated: 2026-01-01\ntags: [a, b]\nslug: n{n}"
        (place / f"n{n}.md").write_text(f"---\n{said}\n---\n\n# Note {n}\n\n{text}\n\nSee [[n{n - 1}]].\n")


def _look(top: str) -> None:
    folders = [top]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    entry.stat(follow_symlinks=False)
                elif entry.name[0] != ".":
                    folders.append(entry.path)


def _open(url: str) -> None:
    with commonplace.open(url) as book:
        book.list(limit=5)


def _saves(folder: Path) -> Iterator[str]:
    urls = {one: f"{one}:{folder / f'of-{one}'}" for one in ("sqlite", "jsonl", "ledger", "vault")}
    books = {name: commonplace.open(url) for name, url in urls.items()}
    took: dict[str, list[float]] = {name: [] for name in books}
    for n in range(SAVES):
        for name, book in books.items():
            began = time.perf_counter()
            book.save(f"Saved as number {n} of {SAVES}.", type="project", scope="global")
            took[name].append(time.perf_counter() - began)
    for book in books.values():
        book.close()
    middle = {name: sorted(times)[len(times) // 2] * 1e3 for name, times in took.items()}
    yield "  a save, median milliseconds: " + ", ".join(f"{name} {value:.2f}" for name, value in middle.items())
    shutil.rmtree(folder / "cache", ignore_errors=True)


def _used(call: Callable[[], None]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began
