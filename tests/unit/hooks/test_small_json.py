"""The JSON that hooks read and write is the JSON of everybody else; only what is loaded for it is less."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import places
from commonplace.surfaces import small_json

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
)


@given(PLAIN)
def test_it_writes_what_json_writes_and_reads_it_back(value: object) -> None:
    assert small_json.write(value) == json.dumps(value)
    assert small_json.read(small_json.write(value).encode()) == value


@given(
    PLAIN,
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"]),
    st.sampled_from(["", " ", "\r\n\t"]),
)
def test_it_reads_every_encoding_that_json_reads(value: object, encoding: str, space: str) -> None:
    raw = f"{space}{json.dumps(value)}{space}".encode(encoding)
    try:
        expected = json.loads(raw)
    except ValueError:
        with pytest.raises(ValueError):
            small_json.read(raw)
    else:
        assert small_json.read(raw) == expected


@given(st.binary(max_size=40) | st.text(alphabet='{}[]",:0123456789.eE+-tfnulrasNIiy \\u', max_size=30).map(str.encode))
def test_it_refuses_what_json_refuses(raw: bytes) -> None:
    try:
        expected = json.loads(raw)
    except ValueError:
        with pytest.raises(ValueError):
            small_json.read(raw)
    else:
        assert repr(small_json.read(raw)) == repr(expected)


def test_what_is_too_deep_or_no_object_is_no_trouble() -> None:
    with pytest.raises(ValueError):
        small_json.read(b"[" * 100_000)
    assert small_json.read_object(b"[1]") == {}
    assert small_json.read_object(b"") == {}
    assert small_json.write({"share": 0.5, "all": [True, None]}) == '{"share": 0.5, "all": [true, null]}'
    assert math.isinf(small_json.read(b"-Infinity"))  # type: ignore[arg-type]


def test_a_hook_that_the_daemon_answers_loads_nothing_that_costs() -> None:
    """Everything on its way: no `json`, `typing`, `re`, `contextlib`, `msgspec`, nor anything of the book."""
    code = (
        "import sys; before = {*sys.modules}\n"
        "import commonplace.surfaces.hooks.program, commonplace.surfaces.hooks.moments, commonplace.surfaces.http.client\n"
        "print(*sorted({*sys.modules} - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {_paths()!r}\n{code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {name for name in done.stdout.split() if not name.startswith("commonplace")}
    basic = {"os", "stat", "_stat", "posixpath", "genericpath", "_collections_abc", "abc", "_abc", "io", "os.path"}
    assert loaded - basic <= {"__future__", "_json", "_socket"}
    assert not [name for name in done.stdout.split() if name.startswith(("commonplace.engine", "commonplace.model"))]


def _paths() -> list[str]:
    return [os.path.dirname(os.path.dirname(os.path.abspath(places.__file__)))]
