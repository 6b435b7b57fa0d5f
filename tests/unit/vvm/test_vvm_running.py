"""What a program does, without any agent: values, scopes, control flow, errors that are values and errors that are raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vvm_texts import ran

from commonplace.errors import InvalidError, NotFoundError
from commonplace.surfaces.vvm.errors import ProgramRaisedError, ProgramTooLargeError
from commonplace.surfaces.vvm.program import MAX_BYTES, load
from commonplace.surfaces.vvm.values import text_of


def _x(folder: Path, text: str) -> Any:
    return ran(folder, f"x = {text}\nexport x\n")["x"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 - 4", -1),
        ("1.5 + 1", 2.5),
        ("1 < 2 and not 2 <= 1 or false", True),
        ("1 == 1.0", True),
        ("1 == true", False),
        ('1 != "1"', True),
        ("() == ()", True),
        ("[1, {a: [()]}] == [1, {a: [()]}]", True),
        ("{a: 1, b: 2} == {b: 2, a: 1}", True),
        ("{a: 1} == {a: 1, b: 2}", False),
        ("[] == {}", False),
        ("false and never", False),
        ("true or never", True),
        ("{a: [10, 20]}.a[1]", 20),
        ('{"a b": 1}["a b"]', 1),
        ("range(3)", [0, 1, 2]),
        ("range(0)", []),
        ('perm(read=["**"])', {"read": ["**"], "write": [], "execute": [], "bash": "deny", "network": "deny"}),
        ("pack(a=1, b=[2])", {"a": 1, "b": [2]}),
        ("()", None),
    ],
)
def test_expressions_have_the_values_of_the_language(tmp_path: Path, text: str, value: object) -> None:
    assert _x(tmp_path, text) == value


@pytest.mark.parametrize(
    "text",
    ['"a" + "b"', "true + 1", '1 < "2"', "not 1", "1 and true", "missing", "f(1)", "range == range", "[1][1]", "[1][0 - 1]",
     '(1).a', '[1]["a"]', "range(true)", "range(999999999)", "map(1, range)", "map([1], 2)", "reduce([], range)", "range(1, 2)",
     "range(m=1)", "range()", "perm(nothing=1)"],
)  # fmt: skip
def test_what_means_nothing_is_raised_as_thrown(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProgramRaisedError) as caught:
        _x(tmp_path, text)
    assert caught.value.code == "thrown"
    assert "program.vvm:1:" in str(caught.value.where)


def test_blocks_share_the_scope_around_them_and_functions_do_not(tmp_path: Path) -> None:
    text = """\
    y = 1
    def f(a):
      if true:
        y = a
      return y
    def g():
      return y
    for i in [5, 6]:
      last = i
    z = f(2)
    w = g()
    export pack(y, z, w, i, last)
    """
    assert ran(tmp_path, text) == {"y": 1, "z": 2, "w": 1, "i": 6, "last": 6}


def test_a_local_name_without_a_value_is_raised_though_the_module_has_one(tmp_path: Path) -> None:
    text = "y = 1\ndef f():\n  x = y\n  y = 2\n  return x\nz = f()\nexport z\n"
    with pytest.raises(ProgramRaisedError, match="`y` has no value yet"):
        ran(tmp_path, text)


def test_functions_are_hoisted_take_keywords_and_return_nothing_by_themselves(tmp_path: Path) -> None:
    text = """\
    x = f(1, b=2)
    def f(a, b):
      return [a, b]
    def g():
      pass
    def h():
      return
    y = [g(), h()]
    export pack(x, y)
    """
    assert ran(tmp_path, text) == {"x": [1, 2], "y": [None, None]}


@pytest.mark.parametrize("call", ["f()", "f(1, 2, 3)", "f(1, c=2)", "f(1, a=1)", "f(1, 2, b=3)"])
def test_a_call_that_does_not_fit_is_raised(tmp_path: Path, call: str) -> None:
    with pytest.raises(ProgramRaisedError):
        ran(tmp_path, f"def f(a, b):\n  return a\nx = {call}\nexport x\n")


def test_loops_break_continue_and_end(tmp_path: Path) -> None:
    text = """\
    i = 0
    while true:
      i = i + 1
      if i == 2:
        continue
      if i > 4:
        break
      last = i
    n = 0
    for a in [1, 2, 3]:
      for b in [1, 2, 3]:
        if b == 2:
          break
        n = n + 1
    export pack(i, last, n)
    """
    assert ran(tmp_path, text) == {"i": 5, "last": 4, "n": 3}


@pytest.mark.parametrize("text", ["if 1:\n  pass\n", "while ():\n  pass\n", "for x in 3:\n  y = x\n"])
def test_conditions_are_booleans_and_loops_go_through_lists(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProgramRaisedError):
        ran(tmp_path, text)


def test_match_takes_the_first_case_that_fits_and_runs_no_other(tmp_path: Path) -> None:
    """V53: an error value is an object whose `error` is an object, and it changes nothing by itself."""
    text = """\
    def sort(v):
      match v:
        case error(kind="locked"):
          return "locked"
        case error(_):
          return "error"
        case _:
          return it
    locked = sort({error: {kind: "locked", message: "busy"}})
    other = sort({error: {}})
    plain = sort({error: "not an object"})
    text = sort("error")
    export pack(locked, other, plain, text)
    """
    assert ran(tmp_path, text) == {
        "locked": "locked", "other": "error", "plain": {"error": "not an object"}, "text": "error",
    }  # fmt: skip


def test_a_match_without_a_fitting_case_does_nothing(tmp_path: Path) -> None:
    assert ran(tmp_path, "x = 1\nmatch x:\n  case error(_):\n    x = 2\nexport x\n") == {"x": 1}


def test_it_follows_blocks_and_calls_and_comes_back(tmp_path: Path) -> None:
    text = """\
    before = it
    def f():
      return it
    with input "outer":
      a = f()
      match "inner":
        case _:
          b = f()
      c = it
    after = it
    export pack(before, a, b, c, after)
    """
    assert ran(tmp_path, text) == {"before": None, "a": "outer", "b": "inner", "c": "outer", "after": None}


def test_it_comes_back_when_a_block_is_left_by_an_error(tmp_path: Path) -> None:
    text = """\
    try:
      with input "inside":
        raise "out"
    except as err:
      x = it
    export pack(x, err)
    """
    assert ran(tmp_path, text) == {"x": None, "err": {"error": {"kind": "thrown", "message": "out"}}}


def test_try_catches_what_is_raised_and_finally_runs_in_any_case(tmp_path: Path) -> None:
    text = """\
    log = 0
    def f():
      try:
        return 1
      finally:
        done = 2
    x = f()
    try:
      try:
        raise "first"
      finally:
        log = log + 1
    except as err:
      log = log + 10
    try:
      try:
        raise "again"
      except as inner:
        raise
    except as outer:
      same = inner == outer
    try:
      y = 1 + "a"
    except as typed:
      pass
    try:
      raise
    except as empty:
      pass
    for i in [1, 2]:
      try:
        continue
      finally:
        log = log + 100
    export pack(x, log, err, same, typed, empty)
    """
    found = ran(tmp_path, text)
    assert (found["x"], found["log"], found["same"]) == (1, 211, True)
    assert [found[name]["error"]["message"] for name in ("err", "empty")] == ["first", ""]
    assert found["typed"]["error"]["kind"] == "thrown"


def test_an_error_in_finally_replaces_the_one_before(tmp_path: Path) -> None:
    with pytest.raises(ProgramRaisedError, match="second"):
        ran(tmp_path, 'try:\n  raise "first"\nfinally:\n  raise "second"\n')


def test_what_nobody_catches_ends_the_program_and_says_where(tmp_path: Path) -> None:
    with pytest.raises(ProgramRaisedError) as caught:
        ran(tmp_path, 'def f():\n  raise "no"\nx = f()\nexport x\n')
    assert caught.value.value == {"error": {"kind": "thrown", "message": "no"}}
    assert str(caught.value.where).endswith("program.vvm:2:3")


def test_try_does_not_catch_error_values(tmp_path: Path) -> None:
    text = 'try:\n  x = {error: {kind: "timeout"}}\nexcept as e:\n  x = e\nexport x\n'
    assert ran(tmp_path, text) == {"x": {"error": {"kind": "timeout"}}}


def test_the_library_goes_through_lists_and_stops_at_the_first_error_value(tmp_path: Path) -> None:
    """V54: for pmap too, in the order of the items."""
    text = """\
    def double(n):
      return n + n
    def odd(n):
      return n == 1 or n == 3
    def add(a, b):
      return a + b
    def fails(n):
      if n > 1:
        return {error: {kind: "timeout", message: "late", data: {n: n}}}
      return n
    def enough(c, i):
      return c > 10
    def more(c, i):
      return c + c + i
    a = map([1, 2], double)
    b = pmap([3, 1, 2], double)
    c = filter([1, 2, 3], odd)
    d = reduce([1, 2, 3], add)
    e = reduce([1, 2, 3], add, init=10)
    f = map([1, 2, 3], fails)
    g = pmap([1, 3, 2], fails)
    h = filter([1, 2], fails)
    r = refine(1, 9, enough, more)
    s = refine(1, 2, enough, more)
    export pack(a, b, c, d, e, f, g, r, s)
    """
    with pytest.raises(ProgramRaisedError, match="true or false for each item"):
        ran(tmp_path, text)
    found = ran(tmp_path, text.replace("    h = filter([1, 2], fails)\n", ""))
    late = {"error": {"kind": "timeout", "message": "late"}}
    assert found.pop("f") == {"error": {**late["error"], "data": {"n": 2}}}
    assert found.pop("g") == {"error": {**late["error"], "data": {"n": 3}}}
    assert found == {"a": [2, 4], "b": [6, 2, 4], "c": [1, 3], "d": 6, "e": 16, "r": 12, "s": 5}


def test_pmap_raises_the_first_in_the_order_of_the_items(tmp_path: Path) -> None:
    text = 'def f(n):\n  if n == 2:\n    raise "two"\n  raise "other"\nx = pmap([2, 1, 3], f)\nexport x\n'
    with pytest.raises(ProgramRaisedError, match="two"):
        ran(tmp_path, text)


def test_functions_that_never_end_are_stopped(tmp_path: Path) -> None:
    with pytest.raises(ProgramRaisedError, match="deep"):
        ran(tmp_path, "def f(n):\n  return f(n + 1)\nx = f(0)\nexport x\n")
    deep = "def f(n):\n  return " + "[" * 30 + "f(n)" + "]" * 30 + "\nx = f(0)\nexport x\n"
    with pytest.raises(ProgramRaisedError, match="deep"):
        ran(tmp_path, deep)


def test_a_value_that_is_nested_without_end_is_no_crash(tmp_path: Path) -> None:
    text = "x = []\nfor i in range(20000):\n  x = [x]\ny = x == [x]\nexport y\n"
    with pytest.raises(ProgramRaisedError, match="deep"):
        ran(tmp_path, text)


def test_inputs_are_filled_refused_and_asked_for(tmp_path: Path) -> None:
    """V53: the kinds missing_input and unknown_input."""
    text = 'input ticket: "Which ticket"\ninput many = 3\nx = [ticket, many]\nexport x\n'
    assert ran(tmp_path, text, ticket="INC-1") == {"x": ["INC-1", 3]}
    assert ran(tmp_path, text, ticket="INC-1", many=4) == {"x": ["INC-1", 4]}
    with pytest.raises(InvalidError) as missing:
        ran(tmp_path, text)
    assert (missing.value.code, "Which ticket" in missing.value.hint) == ("missing_input", True)
    with pytest.raises(InvalidError) as unknown:
        ran(tmp_path, text, ticket="1", tickt="2")
    assert unknown.value.code == "unknown_input"


def test_objects_are_written_with_their_keys_in_order(tmp_path: Path) -> None:
    """V56."""
    assert text_of({"b": 1, "a": {"d": (), "c": "é"}}) == '{"a": {"c": "é", "d": null}, "b": 1}'
    assert (text_of("as it is"), text_of(())) == ("as it is", "")


def test_a_file_that_is_no_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        load(str(tmp_path / "nothing.vvm"))
    with pytest.raises(InvalidError):
        load(str(tmp_path))
    large = tmp_path / "large.vvm"
    large.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(ProgramTooLargeError):
        load(str(large))
    latin = tmp_path / "latin.vvm"
    latin.write_bytes(b'x = "caf\xe9"\n')
    with pytest.raises(InvalidError, match="UTF-8"):
        load(str(latin))
