"""A cold process pays for what it uses: nothing heavy at import, words without numpy, and the first answer soon."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import commonplace

HEAVY = ("numpy", "onnxruntime", "asyncio", "ssl", "http.client", "inspect")
REPORT = """
import resource, sys
print(",".join(name for name in {heavy!r} if name in sys.modules), sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cold")
    with commonplace.open(f"sqlite:{folder}/book.sqlite", embedder="e5-small-v2", reranker="none") as book:
        for n in range(20):
            book.save(f"The port of service {n}.", type="project", project_id="p", aliases=[f"m-{n}"])
        book.index_pending()
        book.search("settle")
        return book.url


def cold(script, url, **env):
    """What was loaded, and the processor seconds it took, in a process of its own."""
    said = subprocess.run(
        [sys.executable, "-c", script + REPORT.format(heavy=HEAVY), url],
        env={**os.environ, "COMMONPLACE_RERANKER": "none", "COMMONPLACE_BOOK": url, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    loaded, seconds = said.stdout.splitlines()[-1].rsplit(" ", 1)
    return {*filter(None, loaded.split(","))}, float(seconds)


SEARCH = """
import sys, commonplace
with commonplace.open(sys.argv[1], create=False) as book:
    results = book.search("which port")
    assert len(results) == 10
    assert any(stream.searched for stream in results.streams if stream.name == {stream!r})
"""


def test_importing_loads_nothing_heavy(url):
    loaded, seconds = cold("import commonplace\n", url)
    print(f"import: {seconds:.3f} CPU-s")
    assert loaded == set()


@pytest.mark.parametrize("words", [["get", "m-3"], ["list"], ["search", "port", "--json"], ["receipts"]])
def test_a_command_that_needs_no_model_loads_nothing_heavy(url, words):
    """The interpreter tells what it imports: a command may end its process without going back to us."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "commonplace", *words],
        env={**os.environ, "COMMONPLACE_EMBEDDER": "none", "COMMONPLACE_RERANKER": "none", "COMMONPLACE_BOOK": url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "commonplace" in loaded
    assert not loaded & {"numpy", "onnxruntime", "ssl"}


def test_the_first_answer_by_words_comes_soon(url):
    """<= 0.15 CPU-s on a quiet machine; asserted generously, because others use this one."""
    loaded, seconds = cold(SEARCH.format(stream="lexical"), url, COMMONPLACE_EMBEDDER="none")
    print(f"first answer by words: {seconds:.3f} CPU-s")
    assert not loaded & {"numpy", "onnxruntime", "ssl"}
    assert seconds < 0.45


def test_the_first_answer_by_meaning_comes_soon(url):
    """<= 0.7 CPU-s on a quiet machine."""
    loaded, seconds = cold(SEARCH.format(stream="semantic"), url, COMMONPLACE_EMBEDDER="e5-small-v2")
    print(f"first answer by meaning: {seconds:.3f} CPU-s")
    assert "onnxruntime" in loaded
    assert seconds < 2.1
