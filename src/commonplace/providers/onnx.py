"""A transformer on this machine: an ONNX file, run on the processor, one text at a time.

One at a time on purpose. These models quantise what flows through them by the largest number in the whole batch, so in a batch
a text's vector would depend on its neighbours (cosine 0.992 to its own at worst) and the same book would not give the
same answers twice. Alone, a vector depends on its text and nothing else, nothing is wasted on padding, and the price is a
seventh more processor time than the best batch. Several texts are spread over the cores instead.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from commonplace.errors import UnavailableError
from commonplace.providers.weights import Weights, not_here, sha256_of
from commonplace.providers.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float32]

Pieces = tuple[list[int], list[int]]
"""The pieces of a text, and to which of its two parts each belongs."""


class OnnxModel:
    """One file of weights with its vocabulary, loaded when it is first used; safe to use from several threads."""

    def __init__(self, weights: Weights, threads: int | None = None) -> None:
        self.weights = weights
        self._threads = threads or _cores()
        self._loading = Lock()
        self._loaded: tuple[WordPiece, Any] | None = None

    def load(self) -> tuple[WordPiece, Any]:
        """The tokenizer and the session; the first caller pays, others who come meanwhile wait for it."""
        with self._loading:
            if self._loaded is None:
                self._loaded = read_vocabulary(self.weights), _session(self.weights)
            return self._loaded

    def run(self, pieces: Pieces) -> Numbers:
        """The model's first output for one text."""
        import numpy as np

        _, session = self.load()
        ids, parts = (np.array([row], dtype=np.int64) for row in pieces)
        asked = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": parts}
        try:
            answer: Numbers = session.run(None, asked)[0]
        except Exception as cause:  # the runtime's errors have no common family; most often there is no memory left
            raise UnavailableError(f"the model {self.weights.name} could not be run", code="no_model") from cause
        return answer

    def run_all(self, texts: Sequence[Pieces]) -> list[Numbers]:
        """The same for many, spread over the cores; the longest first, so that no core is left with it at the end."""
        if len(texts) < 2 or self._threads < 2:
            return [self.run(pieces) for pieces in texts]
        from concurrent.futures import ThreadPoolExecutor

        order = sorted(range(len(texts)), key=lambda n: -len(texts[n][0]))
        with ThreadPoolExecutor(min(self._threads, len(texts)), "commonplace-model") as pool:
            answers = dict(zip(order, pool.map(lambda n: self.run(texts[n]), order), strict=True))
        return [answers[n] for n in range(len(texts))]


def read_vocabulary(weights: Weights) -> WordPiece:
    """The model's vocabulary, checked: a wrong one would give vectors that look right and mean nothing."""
    if not weights.is_here():
        raise not_here(weights)
    path = weights.path("vocab.txt")
    if sha256_of(path) != next(file.sha256 for file in weights.files if file.name == "vocab.txt"):
        raise not_here(weights, "its vocabulary is damaged")
    with open(path, encoding="utf-8", newline="\n") as file:
        return WordPiece(file.read())


def _session(weights: Weights) -> Any:
    try:
        import onnxruntime
    except ImportError as cause:
        raise not_here(weights, "onnxruntime is not installed") from cause
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # we spread texts, not parts of one text
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # a plan for every length of text takes a third more memory and saves no time
    # The levels above this one differ between processors, and with them the vectors.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    # A processor without VNNI adds up products of bytes in sixteen bits, and what is too large for those is cut off: vectors
    # come out at a cosine of 0.99 to the right ones. So asked it takes the exact way, a quarter slower; others do anyway.
    options.add_session_config_entry("session.x64quantprecision", "1")
    open_session = partial(onnxruntime.InferenceSession, sess_options=options, providers=["CPUExecutionProvider"])
    try:
        return open_session(weights.path("model.onnx"))
    except Exception as cause:  # the runtime's errors have no common family
        raise not_here(weights, "its file cannot be loaded; it may be damaged") from cause


def _cores() -> int:
    """How many cores this process may use, which is not how many there are."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
