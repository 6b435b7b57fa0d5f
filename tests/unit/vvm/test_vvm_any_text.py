"""Any text is read: it is a program, or it has errors with codes and places. In a time that grows with its length only."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vvm_texts import Script, read

from commonplace.errors import InvalidError
from commonplace.surfaces.vvm.check import check
from commonplace.surfaces.vvm.cursor import MAX_DEPTH
from commonplace.surfaces.vvm.errors import CODES, Findings
from commonplace.surfaces.vvm.models import Models
from commonplace.surfaces.vvm.parser import parse
from commonplace.surfaces.vvm.program import Program, Source
from commonplace.surfaces.vvm.run import run, shown
from commonplace.surfaces.vvm.syntax import ModuleImport, While
from commonplace.surfaces.vvm.tokens import KEYWORDS
from commonplace.surfaces.vvm.walk import within

PIECES = (
    *sorted(KEYWORDS), "a", "b", "f", "_", "pack", "pmap", "range", "1", "2.5", '"s"', '"""l\nm"""', "`t {a} {{`", "`{`", "()",
    *"()[]{},:=+-.@?<>!#'\\\"`", "==", "!=", "<=", "\n", "\n", "\n  ", "\n    ", "\t", " ", "\r\n", "é", "\0", "\ud800",
)  # fmt: skip
soup = st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)

PROGRAM = """\
import "s" from "npm:x"
input many = 3
agent a(model="m", skills=["s"], memory={scope: "project", key: "k:1"})
def f(x, y):
  for i in range(many):
    if x == i and not false:
      return @a.with(prompt="p") `Do {x} {{}} {}.`(y, memory_mode="fresh", retry=1)
    elif x > 2:
      break
  return pack(x, z=[1, {a: ()}])
with input "w":
  r = f(1, y=it)
match r:
  case error(kind="locked"):
    raise "busy"
  case ?`good`:
    pass
  case _:
    try:
      r = pmap([1, 2], f)
    except as e:
      r = e.error["message"]
    finally:
      many = many - 1
choose r by ?`best` as c:
  option "one":
    pass
constrain r(attempts=1):
  require ?`short`
parallel(join="any", count=1, on_fail="ignore") as p:
  one = f(1, c)
  two = [r, 2]
export pack(r, c, p)
export f
"""


def _is_told_well(text: str) -> None:
    findings = Findings(text)
    body = parse(text, findings)
    check(body, findings)
    lines = text.split("\n")
    for one in findings.all():
        assert one.code in CODES
        assert 1 <= one.at.line <= len(lines)
        assert 1 <= one.at.column <= len(lines[one.at.line - 1]) + 1
        assert [*one.lines()]
    assert all(node.at.line >= 1 for node in within(*body))


@given(st.text(max_size=200))
@example("`\\")
@example('"""\\"""')
@example("?")
@example("@{")
@example("export\n")
def test_any_text_is_a_program_or_has_coded_errors(text: str) -> None:
    _is_told_well(text)


@given(soup)
@settings(max_examples=300)
def test_any_row_of_words_is_a_program_or_has_coded_errors(text: str) -> None:
    _is_told_well(text)


def test_the_program_that_is_broken_below_is_whole() -> None:
    assert [one for one in read(PROGRAM)[1] if one.is_error] == []


@given(st.integers(0, len(PROGRAM)), st.integers(0, 12), st.sampled_from(PIECES))
@settings(max_examples=300)
def test_a_program_with_a_piece_replaced_is_read_all_the_same(start: int, length: int, piece: str) -> None:
    _is_told_well(PROGRAM[:start] + piece + PROGRAM[start + length :])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the programs below may remember something."""
    return str(tmp_path_factory.mktemp("project") / "p.vvm")


@given(soup, st.integers(0, len(PROGRAM)), st.integers(0, 12), st.sampled_from(PIECES))
@settings(max_examples=300, deadline=None)
def test_what_passes_the_check_runs_to_its_end_or_to_an_error_of_the_family(
    project: str, text: str, start: int, length: int, piece: str
) -> None:
    _runs(text, project)
    _runs(PROGRAM[:start] + piece + PROGRAM[start + length :], project)


def _runs(text: str, project: str) -> None:
    """Unless it cannot, or need not end, or imports something."""
    findings = Findings(text)
    body = parse(text, findings)
    check(body, findings)
    if findings.errors or any(isinstance(node, While | ModuleImport) for node in within(*body)):
        return
    program = Program((Source(project, "p.vvm", body, {}),), ())
    with suppress(InvalidError):  # what it raises and does not catch
        shown(run(program, Models(Script("true"))))


pieces = st.lists(st.tuples(st.integers(0, len(PROGRAM)), st.integers(0, 12), st.sampled_from(PIECES)), max_size=4)


@pytest.mark.nightly
@given(soup, pieces)
@settings(max_examples=5_000, deadline=None)
def test_thousands_of_broken_programs_are_read_and_run(
    project: str, text: str, changes: list[tuple[int, int, str]]
) -> None:
    broken = PROGRAM
    for start, length, piece in changes:
        broken = broken[:start] + piece + broken[start + length :]
    for one in (text, broken):
        _is_told_well(one)
        _runs(one, project)


DEEP = ("(", "[", "{a:", "not ", "f(", "@a `t`(", "?`c`(", "x[", "-")


@pytest.mark.parametrize("piece", DEEP)
def test_nesting_is_bounded(piece: str) -> None:
    findings = Findings("")
    parse(f"x = {piece * 5_000}", findings)
    assert findings.errors


def test_blocks_are_bounded_and_what_is_allowed_runs() -> None:
    def nested(depth: int) -> str:
        return "".join(f"{' ' * level}if true:\n" for level in range(depth)) + f"{' ' * depth}x = 1\nexport x\n"

    findings = Findings("")
    body = parse(nested(MAX_DEPTH - 1), findings)
    assert findings.errors == []
    program = Program((Source("/nowhere/p.vvm", "p.vvm", body, {}),), ())
    assert run(program, Models()) == {"x": 1}
    parse(nested(MAX_DEPTH + 1), findings)
    assert [one.code for one in findings.errors] == ["E001"]


REPEATED = (
    "x\n", "(", ")", "[1,", "{a:", "a.b", "1+", '"', '"""', "`", "`{", "\\", '"\\q', "@", "if a:\n", "  x\n", "\n", "#", "é",
    "{a}", "x = 1\n", "match x:\n", "not ", "export x\n", "agent a()\n", "def f():\n  pass\n",
)  # fmt: skip


def _seconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        findings = Findings(text)
        check(parse(text, findings), findings)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("piece", REPEATED)
def test_the_time_to_read_grows_with_the_length_only(piece: str) -> None:
    """Four times the text takes about four times as long; sixteen times would be quadratic."""
    for before in ("", '"""', "`", "x = @a `"):
        short, long = (_seconds(before + piece * (size // len(piece))) for size in (2_000, 8_000))
        assert long < 9 * short + 0.02, (before, short, long)


def test_a_program_of_the_largest_size_is_read_in_seconds(tmp_path: Path) -> None:
    from commonplace.surfaces.vvm.program import MAX_BYTES, examine

    path = tmp_path / "large.vvm"
    line = 'x = @a `Do {x} and {{more}}.`(x, memory_mode="fresh")\n'
    path.write_text("agent a()\n" + line * (MAX_BYTES // len(line) - 1))
    began = time.process_time()
    assert examine(str(path)).findings == []
    assert time.process_time() - began < 10
