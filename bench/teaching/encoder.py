"""The models' transformer again, in torch: read from their ONNX files, with what is to be learnt beside each matrix.

The matrices themselves stay as they are. Beside each lie two thin ones, whose product is added (low-rank adaptation); those, the
biases and the norms learn. What is learnt ends up in whole numbers with a scale for each column. An encoder that `rounds` does
each step with such numbers, and the gradient passes as if nothing had been rounded; one that does not is twice as fast. It can
begin with what an earlier lesson says, and go on from there.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, DEPTH = 384, 12, 12
RANK, GAIN, MOST = 16, 2.0, 127
MATRICES = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)  # fmt: skip
Batch = tuple[Tensor, Tensor, Tensor]


class Numbers:
    """The numbers of a model's file, by the names that the transformer's parts have."""

    def __init__(self, path: Path) -> None:
        graph = onnx.load(path).graph
        self.held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.prefix = "bert." if any(name.startswith("bert.") for name in self.held) else ""
        self.stored: dict[str, str] = {}
        """Under which name the file holds a matrix: its exporter gave most of them numbers."""
        for node in graph.node:
            if node.op_type == "MatMulInteger":
                part = node.name.removesuffix("/MatMul_quant").removesuffix("/Gemm_MatMul_quant")
                self.stored[part.strip("/").removeprefix("bert/").replace("/", ".")] = node.input[1].removesuffix(
                    "_quantized"
                )

    def matrix(self, part: str) -> np.ndarray:
        return self._plain(self.stored[part])

    def table(self, part: str) -> np.ndarray:
        return self._plain(f"{self.prefix}embeddings.{part}.weight")

    def row(self, part: str) -> np.ndarray:
        return self.held[self.prefix + part] if self.prefix + part in self.held else self.held[part]

    def _plain(self, name: str) -> np.ndarray:
        zero, scale = float(self.held[f"{name}_zero_point"]), float(self.held[f"{name}_scale"])
        return (self.held[f"{name}_quantized"].astype(np.float32) - zero) * scale


class Linear(nn.Module):
    def __init__(self, weights: np.ndarray, bias: np.ndarray, *, rounds: bool, rank: int = RANK) -> None:
        super().__init__()
        rows, columns = weights.shape
        self.is_rounded = rounds
        self.register_buffer("base", torch.tensor(weights), persistent=False)
        self.bias = nn.Parameter(torch.tensor(bias.copy()))
        self.left = nn.Parameter(torch.randn(rows, rank) / math.sqrt(rows))
        self.right = nn.Parameter(torch.zeros(rank, columns))

    def forward(self, states: Tensor) -> Tensor:
        flat = states.reshape(-1, states.shape[-1])
        if not self.right.requires_grad:
            said = torch.addmm(self.bias, flat, self.base)
        elif self.is_rounded:
            said = torch.addmm(self.bias, flat, self._rounded())
        else:
            said = torch.addmm(self.bias, flat, self.base) + GAIN * ((flat @ self.left) @ self.right)
        return said.reshape(*states.shape[:-1], -1)

    def _rounded(self) -> Tensor:
        weights = self.base + GAIN * (self.left @ self.right)
        with torch.no_grad():
            step = weights.abs().amax(0, keepdim=True) / MOST
            rounded = (weights / step).round().clamp(-MOST, MOST) * step
        return weights + (rounded - weights).detach()


class Encoder(nn.Module):
    def __init__(self, path: Path, *, rounds: bool = True, settled: int = 0) -> None:
        """The first `settled` layers stay as they are, which saves going back through them."""
        super().__init__()
        numbers = Numbers(path)
        self.register_buffer("words", torch.tensor(numbers.table("word_embeddings")), persistent=False)
        self.register_buffer("places", torch.tensor(numbers.table("position_embeddings")), persistent=False)
        self.register_buffer("parts", torch.tensor(numbers.table("token_type_embeddings")), persistent=False)
        self.norm = _norm(numbers, "embeddings.LayerNorm")
        self.layers = nn.ModuleList(_layer(numbers, f"encoder.layer.{n}.", rounds=rounds) for n in range(DEPTH))
        for part in (self.norm, *self.layers[:settled]) if settled else ():
            part.requires_grad_(False)

    def states(self, ids: Tensor, mask: Tensor, parts: Tensor) -> Tensor:
        states = self.norm(self.words[ids] + self.parts[parts] + self.places[: ids.shape[1]])
        seen = mask[:, None, None, :].bool()
        for layer in self.layers:
            query, key, value = (
                _heads(layer[_flat(f"attention.self.{each}")](states)) for each in ("query", "key", "value")
            )
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
            states = layer["first"](states + layer[_flat("attention.output.dense")](_joined(mixed)))
            inner = functional.gelu(layer[_flat("intermediate.dense")](states))
            states = layer["second"](states + layer[_flat("output.dense")](inner))
        return states

    def rounds(self, *, now: bool) -> None:
        for each in self.modules():
            if isinstance(each, Linear):
                each.is_rounded = now

    def go_on_from(self, learnt: dict[str, Tensor]) -> None:
        missing = self.load_state_dict(learnt, strict=False).unexpected_keys
        if missing:
            raise ValueError(f"the lesson speaks of what this model does not have: {missing[0]}")

    def vectors(self, batch: Batch) -> Tensor:
        states, mask = self.states(*batch).float(), batch[1][:, :, None].float()
        return functional.normalize((states * mask).sum(1) / mask.sum(1), dim=-1)


class Judge(Encoder):
    """An encoder that says of a question and a passage how well the one answers the other."""

    def __init__(self, path: Path, *, rounds: bool = True, settled: int = 0) -> None:
        super().__init__(path, rounds=rounds, settled=settled)
        numbers = Numbers(path)
        self.pool = Linear(numbers.matrix("pooler.dense"), numbers.row("pooler.dense.bias"), rounds=rounds)
        self.register_buffer("last", torch.tensor(numbers.matrix("classifier")[:, 0]), persistent=False)
        self.even = nn.Parameter(torch.tensor(numbers.row("classifier.bias").copy()))

    def says(self, batch: Batch) -> Tensor:
        return torch.tanh(self.pool(self.states(*batch)[:, 0])) @ self.last + self.even


def batch_of(rows: list[list[int]], parts: list[list[int]] | None = None) -> Batch:
    longest = max(map(len, rows))
    ids, mask, of = (torch.zeros(len(rows), longest, dtype=torch.long) for _ in range(3))
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
        mask[number, : len(row)] = 1
        if parts:
            of[number, : len(row)] = torch.tensor(parts[number])
    return ids, mask, of


def _layer(numbers: Numbers, prefix: str, *, rounds: bool) -> nn.ModuleDict:
    made: dict[str, nn.Module] = {
        _flat(part): Linear(numbers.matrix(prefix + part), numbers.row(f"{prefix}{part}.bias"), rounds=rounds)
        for part in MATRICES
    }
    made["first"] = _norm(numbers, f"{prefix}attention.output.LayerNorm")
    made["second"] = _norm(numbers, f"{prefix}output.LayerNorm")
    return nn.ModuleDict(made)


def _norm(numbers: Numbers, name: str) -> nn.LayerNorm:
    norm = nn.LayerNorm(WIDTH, eps=1e-12)
    norm.weight.data = torch.tensor(numbers.row(f"{name}.weight").copy())
    norm.bias.data = torch.tensor(numbers.row(f"{name}.bias").copy())
    return norm


def _flat(part: str) -> str:
    return part.replace(".", "_")  # torch keeps the dot for itself


def _heads(states: Tensor) -> Tensor:
    return states.view(*states.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)


def _joined(states: Tensor) -> Tensor:
    return states.transpose(1, 2).reshape(states.shape[0], states.shape[2], WIDTH)
