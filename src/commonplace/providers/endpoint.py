"""An embedder behind an address: any server that answers `POST {base}/embeddings` in the shape that OpenAI's API made common.

Ollama, LM Studio, llama.cpp, vLLM and the hosted ones speak it. What they differ in is said in `[embedder]`: prefixes or extra
fields for questions and documents, and how many dimensions to ask for. What comes back is not trusted: it must be the
right number of rows of the same length, finite and not nothing, and it is made unit length here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.model.base import taken_apart
from commonplace.providers.addresses import EMBEDDER
from commonplace.providers.server import Count, Seconds, Server, ServerSettings, settings_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from commonplace.seam.embedder import Vector, Vectors

_FEW = 8
KEY_VARIABLE = "COMMONPLACE_EMBEDDER_KEY"


class EndpointSettings(ServerSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `[embedder]` may say when `use` is an address."""

    api_key_env: str = KEY_VARIABLE
    query_prefix: str = ""
    document_prefix: str = ""
    query_extra: dict[str, Any] = {}
    document_extra: dict[str, Any] = {}
    dimensions: Count | None = None  # as many are asked for, and no other number is accepted
    dimensions_field: str = "dimensions"
    max_tokens: Count = 512
    batch_size: Count = 64
    timeout: Seconds = 60.0  # for a batch of documents, all attempts together
    query_timeout: Seconds = 5.0  # for a question: somebody waits for it


def endpoint_of(asked: Mapping[str, Any]) -> EndpointEmbedder:
    """The embedder that a table of settings describes."""
    return EndpointEmbedder(settings_of(EndpointSettings, EMBEDDER, asked))


class EndpointEmbedder:
    """`seam.embedder.Embedder` over a server. Making one calls nobody."""

    def __init__(self, settings: EndpointSettings, seconds: float = inf) -> None:
        """`seconds` is for all batches of documents together, beside the time limit of each."""
        self._settings, self._seconds = settings, seconds
        self._server = Server(settings, EMBEDDER)
        self._dimensions = settings.dimensions

    def __repr__(self) -> str:
        return f"<embedder {self.model} at {self._server}>"

    @property
    def model(self) -> str:
        """The server's name for it, and a hash of all that shapes its vectors. Not the address: servers move."""
        shaping = ("model", "query_prefix", "document_prefix", "query_extra", "document_extra", "dimensions")
        said = [getattr(self._settings, field) for field in shaping]
        return f"{self._settings.model}/endpoint/{sha256(msgspec.json.encode(said, order='sorted')).hexdigest()[:8]}"

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            self.query("how many dimensions?")
        assert self._dimensions is not None
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        return self._settings.max_tokens

    def in_haste(self) -> EndpointEmbedder:
        """The same for who has a question waiting: documents get no longer than that, and go a few at a time."""
        said = self._settings
        few = msgspec.structs.replace(said, batch_size=min(said.batch_size, _FEW))
        hurried = EndpointEmbedder(few, min(said.query_timeout, said.timeout))
        hurried._dimensions = self._dimensions
        return hurried

    def documents(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        said, size, until = self._settings, self._settings.batch_size, monotonic() + self._seconds
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        rows = [
            self._ask(said.document_prefix, batch, said.document_extra, min(said.timeout, until - monotonic()))
            for batch in batches
        ]
        return np.concatenate(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32)

    def query(self, text: str) -> Vector:
        said = self._settings
        vector: Vector = self._ask(said.query_prefix, [text], said.query_extra, said.query_timeout)[0]
        return vector

    def _ask(self, prefix: str, texts: Sequence[str], extra: Mapping[str, Any], seconds: float) -> Vectors:
        asked = [_sendable(prefix + text, self.max_tokens) for text in texts]
        body: dict[str, Any] = {"model": self._settings.model, "input": asked}
        if self._settings.dimensions:
            body[self._settings.dimensions_field] = self._settings.dimensions
        raw = self._server.post("/embeddings", {**body, **extra}, seconds)
        return self._checked(raw, len(texts))

    def _checked(self, raw: bytes, count: int) -> Vectors:
        """The rows of an answer in their order, each of length one; anything else is refused, not repaired."""
        import numpy as np

        rows = self._rows(raw, count)
        wanted = self._dimensions or len(rows[0])
        if wanted == 0 or any(len(row) != wanted for row in rows):
            raise self._server.failed(f"its vectors do not all have {wanted} dimensions")
        found: npt.NDArray[np.float64] = np.array(rows, dtype=np.float64)
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise self._server.failed("some of its vectors are nothing or no numbers")
        self._dimensions = wanted
        unit: Vectors = (found / lengths).astype(np.float32)
        return unit

    def _rows(self, raw: bytes, count: int) -> list[list[float]]:
        try:
            data = msgspec.json.decode(raw, type=taken_apart(_Answer)).data
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise self._server.failed("its answer is not understood") from None
        places = [n if row.index is None else row.index for n, row in enumerate(data)]
        if sorted(places) != [*range(count)]:
            raise self._server.failed(f"it gave {len(data)} vectors for {count} texts")
        by_place = dict(zip(places, data, strict=True))
        return [by_place[n].embedding for n in range(count)]


def _sendable(text: str, max_tokens: int) -> str:
    """The text as a server takes it: not empty, no half characters, not longer than what its model reads.

    Three bytes to a token: less than English has, so that its end may be lost, and what Chinese has, so that none is refused.
    """
    return text.encode("utf-8", "replace")[: max_tokens * 3].decode("utf-8", "ignore") or " "


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int | None = None  # some servers leave it out and keep the order


class _Answer(msgspec.Struct):
    data: list[_Row]
