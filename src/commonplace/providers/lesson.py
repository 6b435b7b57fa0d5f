"""What we taught a model, put into the file that carries it.

A lesson is a small file that comes with us: for each matrix of a model two thin ones whose product is added to it, and the few
rows of single numbers that changed. The model itself comes from its own package, checked; the two together are the taught
model. The sums are of whole numbers, and what is not is done number by number in one order, so the outcome is the same
file on every machine, and is known by its hash like any other.

The matrices of the model are whole numbers with one scale for each. What a lesson adds is finer than that scale, so the
taught ones have a scale for each column. docs/guide/models.md says what was taught, and bench/teaching how.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

_LEFT, _RIGHT, _STEP = ".left", ".right", ".step"
_MOST = 127  # of a whole number in a matrix; -128 is left out, so that all is even on both sides
# Where things lie in an ONNX file, by the numbers of its format.
_GRAPH, _TENSOR = 7, 5
_DIMENSIONS, _SORT, _FLOATS, _NAME, _RAW = 1, 2, 4, 8, 9
_FLOAT, _INT8 = 1, 3
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def taught(raw: bytes, lesson: str) -> bytes:
    """The model's file with the lesson of this file put in."""
    import numpy as np

    with np.load(lesson, allow_pickle=False) as pages:
        learnt = {name: pages[name] for name in pages.files}
    before = dict(_tensors(raw))
    changed: dict[str, Array] = {}
    for name, numbers in learnt.items():
        if name.endswith(_LEFT):
            changed |= _matrix(name.removesuffix(_LEFT), learnt, before)
        elif not name.endswith((_RIGHT, _STEP)):
            changed[name] = numbers
    return _written(raw, changed)


def _matrix(name: str, learnt: dict[str, Array], before: dict[str, Array]) -> dict[str, Array]:
    """A matrix and what was learnt of it, in whole numbers with a scale for each column."""
    import numpy as np

    quantized, scale, zero = (f"{name}_{part}" for part in ("quantized", "scale", "zero_point"))
    # Products of whole numbers this small are exact in doubles, in whichever order they are summed.
    added = learnt[name + _LEFT].astype(np.float64) @ learnt[name + _RIGHT].astype(np.float64)
    base = before[quantized].astype(np.float64) * np.float64(before[scale])
    weights = base + added * np.float64(learnt[name + _STEP])
    steps = (np.abs(weights).max(axis=0) / _MOST).astype(np.float32)
    whole = np.clip(np.rint(weights / steps.astype(np.float64)), -_MOST, _MOST).astype(np.int8)
    return {quantized: whole, scale: steps, zero: np.zeros(len(steps), np.int8)}


def _written(raw: bytes, changed: dict[str, Array]) -> bytes:
    """The file again, with other numbers under some names."""
    out = []
    for number, kind, value, whole in _fields(raw):
        if number == _GRAPH and kind == _BYTES:
            out.append(_field(_GRAPH, _graph(value, changed)))
        else:
            out.append(whole)
    return b"".join(out)


def _graph(graph: bytes, changed: dict[str, Array]) -> bytes:
    out = []
    for number, kind, value, whole in _fields(graph):
        name = _name_of(value) if number == _TENSOR and kind == _BYTES else None
        out.append(_field(_TENSOR, _tensor(name, changed[name])) if name in changed else whole)
    return b"".join(out)


def _tensors(raw: bytes) -> Iterator[tuple[str, Array]]:
    """The named numbers of a file, as far as a lesson can change them: bytes with a sign, and floats."""
    import numpy as np

    sorts: dict[int, Any] = {_FLOAT: np.dtype("<f4"), _INT8: np.dtype("i1")}
    graph = next(value for number, _, value, _ in _fields(raw) if number == _GRAPH)
    for number, kind, value, _ in _fields(graph):
        if number != _TENSOR or kind != _BYTES:
            continue
        parts = list(_fields(value))
        sort = next(int.from_bytes(got, "little") for at, _, got, _ in parts if at == _SORT)
        if sort in sorts:
            shape = [size for at, kind, got, _ in parts if at == _DIMENSIONS for size in _sizes(kind, got)]
            held = b"".join(got for at, _, got, _ in parts if at in (_RAW, _FLOATS))
            if held:
                yield _name_of(value), np.frombuffer(held, sorts[sort]).reshape(shape)


def _tensor(name: str, numbers: Array) -> bytes:
    import numpy as np

    sort = _INT8 if numbers.dtype == np.int8 else _FLOAT
    raw = numbers.astype(np.int8 if sort == _INT8 else "<f4", copy=False).tobytes()
    sizes = b"".join(_varint(_DIMENSIONS << 3 | _VARINT) + _varint(size) for size in numbers.shape)
    return sizes + _varint(_SORT << 3 | _VARINT) + _varint(sort) + _field(_NAME, name.encode()) + _field(_RAW, raw)


def _name_of(tensor: bytes) -> str:
    return next(value for number, _, value, _ in _fields(tensor) if number == _NAME).decode()


def _sizes(kind: int, value: bytes) -> Iterator[int]:
    """The dimensions: one a field, or several packed into one."""
    if kind == _VARINT:
        yield int.from_bytes(value, "little")
        return
    at = 0
    while at < len(value):
        size, at = _read_varint(value, at)
        yield size


def _fields(message: bytes) -> Iterator[tuple[int, int, bytes, bytes]]:
    """The fields of one message: number, kind, value, and the whole field as it lies there."""
    at = 0
    while at < len(message):
        begin = at
        key, at = _read_varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            told, at = _read_varint(message, at)
            value = told.to_bytes(10, "little")
        else:
            if kind == _BYTES:
                size, at = _read_varint(message, at)
            else:
                size = {_FIXED64: 8, _FIXED32: 4}[kind]
            value = message[at : at + size]
            at += size
        yield number, kind, value, message[begin:at]


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = message[at]
        found |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return found, at


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
