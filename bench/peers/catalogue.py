"""Who is measured: ours, two floors, and the peers; each with its worker and what it needs to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKERS = Path(__file__).parent / "workers"


@dataclass(frozen=True)
class Entry:
    """One row of the tables. Without `needs` it runs in the project's own environment."""

    name: str
    worker: str
    needs: str = ""
    """`python`: an environment of its own; `extensions`: one whose SQLite loads extensions; `3.12`; `node`."""
    package: str = ""
    """What is installed: whose version is told."""
    takes_vectors: bool = True
    note: str = ""


OURS = Entry("commonplace", "ours", note="hybrid search, no reranking")
FLOORS = (
    Entry("FTS5", "fts5", takes_vectors=False, note="floor: words only"),
    Entry("int8 scan", "scan", note="floor: vectors only, exact, numpy"),
)
PEERS = (
    Entry(
        "mem0",
        "mem0_",
        "python",
        "mem0ai",
        note="local Qdrant, infer=False; vectors only (its keyword extras need a hub)",
    ),
    Entry("langgraph", "langgraph_", "extensions", "langgraph-checkpoint-sqlite", note="SqliteStore with index"),
    Entry("chromadb", "chroma", "python", "chromadb", note="PersistentClient, HNSW, cosine"),
    Entry("basic-memory", "basic_memory_", "3.12", "basic-memory", False, "MCP; words only (its model needs a hub)"),
    Entry(
        "server-memory",
        "server_memory",
        "node",
        "@modelcontextprotocol/server-memory",
        False,
        "MCP reference server; substring of the whole question",
    ),
)
NPM_VERSION = "2026.8.31"
ALL = (OURS, *FLOORS, *PEERS)


def requirements(name: str) -> list[str]:
    """The lines below a heading of requirements/peers.in."""
    lines = (ROOT / "requirements" / "peers.in").read_text(encoding="utf-8").splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith("# ") and line.split()[1] == name]
    below = lines[heads[-1] + 1 :]
    return below[: below.index("")] if "" in below else below
