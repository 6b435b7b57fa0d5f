"""Which embedder and which reranker does this book use? Asked of the settings and of what is here; never of the network.

`$COMMONPLACE_EMBEDDER`, else the config file's `[embedder]`, else `auto`: the best model whose files are here. When there is none
the answer is None and everything works on words. A name or an address that cannot be meant is an error, not a demotion.

    [embedder]
    use = "http://localhost:11434/v1"   # or auto, none, commonplace-e5, e5-small-v2, bge-small, potion-base-8m
    model = "nomic-embed-text"
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commonplace.errors import InvalidError
from commonplace.providers.weights import E5, POTION, RERANKER, TAUGHT, TAUGHT_RERANKER, Weights, known, not_here

if TYPE_CHECKING:
    from commonplace.seam.embedder import Embedder, Reranker

_LOCAL = frozenset(("use", "threads"))


def choose(config: Mapping[str, Any], named: str | None = None) -> Embedder | None:
    """The embedder that the caller names or the settings ask for. `config` is the whole config file, parsed."""
    asked = _asked(config, "embedder", named)
    use = asked["use"]
    if use == "none":
        return None
    if use.startswith(("http:", "https:")):
        from commonplace.providers.endpoint import endpoint_of

        return endpoint_of(asked)
    _refuse_others(asked, "embedder")
    weights = _best(TAUGHT, E5, POTION) if use == "auto" else _here(known(use, "embedder"))
    return None if weights is None else _local(weights, asked.get("threads"))


def choose_reranker(config: Mapping[str, Any], named: str | None = None) -> Reranker | None:
    """The reranker that the caller names or the settings ask for; `auto` is the best whose files are here."""
    asked = _asked(config, "reranker", named)
    use = asked["use"]
    _refuse_others(asked, "reranker")
    if use == "none":
        return None
    weights = _best(TAUGHT_RERANKER, RERANKER) if use == "auto" else _here(known(use, "reranker"))
    if weights is None:
        return None
    from commonplace.providers.reranker import CrossEncoder

    return CrossEncoder(weights, asked.get("threads"))


def _asked(config: Mapping[str, Any], table: str, named: str | None) -> dict[str, Any]:
    """What the caller names, else the environment, else the table. Never mixed: a key must not go to another address."""
    wanted = named or os.environ.get(f"COMMONPLACE_{table.upper()}") or config.get(table) or "auto"
    asked: dict[str, Any] = {"use": "auto", **wanted} if isinstance(wanted, Mapping) else {"use": wanted}
    if not isinstance(asked["use"], str):
        raise InvalidError(f"[{table}] use: this is not a name or an address", where=table)
    threads = asked.get("threads")
    if threads is not None and (type(threads) is not int or threads < 1):
        raise InvalidError(f"[{table}] threads: this is not a number of threads", where=table)
    return asked


def _refuse_others(asked: Mapping[str, Any], table: str) -> None:
    if others := sorted(asked.keys() - _LOCAL):
        raise InvalidError(
            f"[{table}] does not take: {', '.join(others)}",
            where=table,
            hint="These are for an http(s) address in `use`.",
        )


def _best(*some: Weights) -> Weights | None:
    """The first whose files are here. Who fetched the models of an earlier version goes on with those."""
    return next((weights for weights in some if _runs(weights)), None)


def _runs(weights: Weights) -> bool:
    """Are its files here, and is there what runs them?"""
    needed = "numpy" if weights is POTION else "onnxruntime"
    return weights.is_here() and importlib.util.find_spec(needed) is not None


def _here(weights: Weights) -> Weights:
    if not weights.is_here():
        raise not_here(weights)
    return weights


def _local(weights: Weights, threads: int | None) -> Embedder:
    if weights is POTION:
        from commonplace.providers.static import StaticEmbedder

        return StaticEmbedder(weights)
    from commonplace.providers.transformer import TransformerEmbedder

    return TransformerEmbedder(weights, threads)
