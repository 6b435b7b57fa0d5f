"""Commonplace, through `open`, `save`, `import_`, `index_pending` and `search`. The default search, but without reranking."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from serve import Embedder, Found, Item, Peer, serve

import commonplace


class Commonplace(Peer):
    searches_words = True

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        self.book = commonplace.open(f"sqlite:{folder / 'book.sqlite'}", actor="bench")

    def warm(self) -> None:
        # Until the first request there may be nothing but the real model: a cold start must not pass here.
        self.book._scribe._models = lambda: _Handed(self.embedder)

    def prepare(self, items: Sequence[Item]) -> Path:
        """Lines of JSON, as another program would hand them over; the item's id becomes an alias."""
        from commonplace.engine.exchange import End, Manifest, line_of

        with tempfile.NamedTemporaryFile("wb", suffix=".jsonl", delete=False) as file:
            file.write(line_of("manifest", Manifest(book_id="bench", exported_at=datetime.now(UTC))))
            for item in items:
                file.write(line_of("memory", _record(item)))
            file.write(line_of("end", End(lines=len(items) + 1, sha256="")))
        return Path(file.name)

    def add(self, prepared: Path) -> None:
        self.book.import_(str(prepared))
        self.book.index_pending()
        prepared.unlink()

    def put(self, item: Item) -> None:
        id, text, _ = item
        self.book.save(text, type="episode", aliases=(id,))

    def search(self, text: str, k: int) -> Found:
        return _found(self.book.search(text, limit=k, rerank=False))

    def search_words(self, text: str, k: int) -> Found:
        return _found(self.book.search(text, limit=k, profile="words", rerank=False))

    def search_meaning(self, text: str, k: int) -> Found:
        results = self.book.search(text, limit=k, rerank=False)
        if "embedder" not in self.book.explain(results.receipt_id).receipt.models:
            raise RuntimeError("this was answered without vectors")
        return _found(results)

    def close(self) -> None:
        self.book.close()


def _found(results: Any) -> Found:
    return [(result.record.aliases[0], result.score) for result in results]


def _record(item: Item) -> Any:
    from commonplace.model.fingerprint import fingerprint
    from commonplace.model.ids import new_id
    from commonplace.model.record import MemoryRecord

    id, text, when = item
    now = datetime.now(UTC)
    return MemoryRecord(
        id=new_id(),
        type="episode",  # type: ignore[arg-type]
        scope="global",  # type: ignore[arg-type]
        status="active",  # type: ignore[arg-type]
        content=text,
        created_at=now,
        updated_at=now,
        observed_at=datetime.fromisoformat(when).replace(tzinfo=UTC) if when else None,
        kind="episode",
        aliases=(id,),
        fingerprint=fingerprint(text),
        trust="operator",  # type: ignore[arg-type]
        tier="T2",  # type: ignore[arg-type]
    )


class _Handed:
    """`seam.embedder.Models` and its embedder: a lookup for what was handed over, the real model for the rest."""

    def __init__(self, known: Embedder) -> None:
        self.known = known

    def embedder(self) -> _Handed:
        return self

    def reranker(self) -> None:
        return None

    def fetch(self, progress: Any = None) -> bool:  # noqa: ARG002 (part of the promise)
        return False

    @property
    def model(self) -> str:
        real = self.known.model()
        return "handed over" if real is None else str(real.model)

    @property
    def dimensions(self) -> int:
        return 384

    @property
    def max_tokens(self) -> int:
        return 512

    def documents(self, texts: Sequence[str]) -> Any:
        import numpy as np

        return np.array([self.known.document(text) for text in texts], np.float32)

    def query(self, text: str) -> Any:
        import numpy as np

        return np.array(self.known.query(text), np.float32)


if __name__ == "__main__":
    serve(Commonplace)
