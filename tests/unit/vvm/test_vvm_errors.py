"""Every code of the language, where it stands, and that one mistake does not hide the next."""

from __future__ import annotations

import pytest
from vvm_texts import errors, noted, read

from commonplace.surfaces.vvm.errors import CODES, MOST, ProgramError

A = 'agent a(model="m")\n'

WRONG = {
    "E001": ("x = 1 +\nexport x\n", 1, 8),
    "E002": ("if true:\n    x = 1\n  x = 2\nexport x\n", 3, 3),
    "E003": ('x = "open\nexport x\n', 1, 5),
    "E004": (A + "x = @a `open\nexport x\n", 2, 8),
    "E005": ('x = "a\\qb"\nexport x\n', 1, 7),
    "E010": ("match = 1\nexport match_\n", 1, 1),
    "E020": ("agent a()\nagent a()\n", 2, 1),
    "E021": ("def f():\n  pass\ndef f():\n  pass\n", 3, 1),
    "E030": ('import "" from "github:a/b"\n', 1, 1),
    "E031": ('import "s" from "npm:a"\nimport "s" from "npm:a"\n', 2, 1),
    "E040": ("x = @nobody `Go.`()\nexport x\n", 1, 5),
    "E041": ('k = 1\nagent a(memory={scope: "project", key: k})\nexport k\n', 2, 40),
    "E050": ("match 1:\n  case 2:\n    pass\n", 2, 8),
    "E051": (A + "x = @a `Hi {nme}.`()\nexport x\n", 2, 12),
    "E052": (A + "x = @a `Hi {a.b}.`()\nexport x\n", 2, 12),
    "E060": ("it = 1\n", 1, 1),
    "E070": ("constrain x():\n  require ?`good`\nx = 1\n", 1, 1),
    "E080": ("return 1\n", 1, 1),
    "E081": ("if true:\n  break\n", 2, 3),
    "E082": ("try:\n  pass\n", 1, 1),
    "E100": ("parallel() as r:\n  a = 1\n  a = 2\nexport r\n", 3, 7),
    "E101": ('parallel(join="some") as r:\n  a = 1\nexport r\n', 1, 15),
    "E102": ("parallel(count=1) as r:\n  a = 1\nexport r\n", 1, 16),
    "E103": ('parallel(join="any", count=2) as r:\n  a = 1\nexport r\n', 1, 28),
    "E104": ('parallel(on_fail="cry") as r:\n  a = 1\nexport r\n', 1, 18),
    "E105": ("parallel() as r:\nexport r\n", 2, 1),
    "E106": ("parallel() as r:\n  a = 1\n  range(2)\nexport r\n", 3, 3),
    "E110": ("x = 1\ninput y = 2\nexport x\n", 2, 1),
    "E111": ("input y = 2\ninput y = 3\nexport y\n", 2, 1),
    "W001": ('import "s" from "ftp:x"\n', 1, 1),
    "W010": ('agent a(skills=["s"])\n', 1, 17),
    "W011": ("agent a(skills=[])\n", 1, 16),
    "W020": ("agent a(tools=1)\n", 1, 15),
    "W030": ("x = 1\n", 1, 1),
    "W031": ("export nothing\n", 1, 1),
    "W040": (
        'agent a(memory={scope: "user", key: "k"})\nparallel() as r:\n  x = @a `1`(())\n  y = @a `2`(())\nexport r\n',
        4,
        7,
    ),
    "W041": ('parallel(join="first") as r:\n  a = 1\nexport r\n', 1, 1),
    "W050": ('input y: ""\nexport y\n', 1, 1),
    "W051": ("input y = 2\n", 1, 1),
}


@pytest.mark.parametrize("code", WRONG)
def test_each_mistake_has_its_code_and_its_place(code: str) -> None:
    """V46, V49, V52, V53: the documented codes."""
    text, line, column = WRONG[code]
    found = [one for one in read(text)[1] if one.code == code]
    assert [(one.at.line, one.at.column) for one in found[:1]] == [(line, column)]
    if code.startswith("W"):
        assert errors(text) == []


def test_every_code_but_those_of_several_files_is_tried_here() -> None:
    assert {*CODES} - {*WRONG} == {"E032", "E090", "E900"}, "these are about several files: see test_vvm_modules"


def test_a_finding_shows_the_line_with_a_caret_and_says_what_to_do() -> None:
    (found,) = read(A + "x = @a `Hi {nme}.`()\nexport x\n")[1]
    assert [*found.lines()] == [
        "a.vvm:2:12: E051 nothing is called `nme`",
        "  x = @a `Hi {nme}.`()",
        "             ^",
        "  hint: Only names can be filled in; assign the value to one first.",
    ]


def test_a_long_line_is_shown_around_the_place() -> None:
    (found,) = read(A + f"x = @a `{'long ' * 100}{{nme}} {'end ' * 100}`()\nexport x\n")[1]
    _, excerpt, caret, _ = found.lines()
    assert len(excerpt) <= 102
    assert excerpt[caret.index("^") :].startswith("{nme}")


def test_one_mistake_does_not_hide_the_next() -> None:
    text = """\
    x = "open
    y = @nobody `Go {there}.`()
    if x
      z = 1
    match y:
      case 3:
        break
      oops
      case _:
        return 1
    w = (1
    """
    assert noted(text) == [
        ("E003", 1, 5), ("E040", 2, 5), ("E051", 2, 17), ("E001", 3, 5), ("E050", 6, 8), ("E081", 7, 5), ("E001", 8, 3),
        ("E080", 10, 5), ("E001", 11, 5), ("E001", 12, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "pattern", ["3", "error", "error()", "error(e)", "error(kind=x)", 'error(kind="a", _)', "?", "x", "?`a`(b)", ""]
)
def test_only_four_patterns_exist(pattern: str) -> None:
    """V53, V61: `case error(e)` of an example is not one of them."""
    found = errors(f"match 1:\n  case {pattern}:\n    pass\n  case _:\n    pass\n")
    assert found in (["E050"], ["E001"]), pattern


@pytest.mark.parametrize("template", ["{", "}", "{ name }", "{a.b}", "{a b}", "{{{", "{1}", "{é}", "{it}", "{match}"])
def test_a_brace_that_is_no_hole_is_noted(template: str) -> None:
    """V52, V61: `{request.endpoint}` of an example is not one."""
    assert "E052" in errors(A + f"a = 1\nx = @a `{template}`()\nexport pack(x, a)\n")


def test_names_of_a_function_its_module_and_the_library_can_be_filled_in() -> None:
    text = A + "late = 1\ninp = 2\ndef f(p):\n  q = p\n  return @a `{p} {q} {late} {f} {pmap}`()\nexport f\n"
    assert errors(text) == []
    assert errors(A + "def f(p):\n  return 1\nx = @a `{p}`()\n") == ["E051"], "a parameter stays in its function"


@pytest.mark.parametrize(
    "declared", ["agent a()", "def f():\n    pass", "export x", "input y = 1", 'import "s" from "npm:x"']
)
def test_declarations_stand_at_the_margin(declared: str) -> None:
    assert "E001" in errors(f"x = 1\nif true:\n  {declared}\nexport x\n")


def test_tabs_do_not_indent() -> None:
    assert errors("if true:\n\tx = 1\nexport x\n") == ["E002"]


@pytest.mark.parametrize(
    "setting", ["@a `x`()", "1 + 1", "f(1)", "name", "[1, name]", "{k: name}", "perm(read=name)", "?`x`"]
)
def test_an_agents_declaration_holds_plain_values_only(setting: str) -> None:
    """V46: literals, lists, objects and perm(...)."""
    assert "E041" in errors(f"{A}name = 1\nagent b(prompt={setting})\nexport name\n")
    assert errors('agent b(prompt="""x""", memory={scope: "user", key: "k"}, permissions=perm(read=["**"]))\n') == []


def test_findings_are_bounded() -> None:
    text = "x = \n" * (MOST * 3)
    found = read(text)[1]
    assert len(found) == MOST


def test_the_error_of_a_program_names_the_first_and_carries_all() -> None:
    error = ProgramError(read("x = @b `Go.`()\ny = @c `Go.`()\nexport pack(x, y)\n")[1])
    assert (error.kind, error.code, error.where) == ("invalid", "E040", "a.vvm:1:5")
    assert "and 1 more" in error.message
    said = error.to_dict()["error"]
    assert isinstance(said, dict)
    assert [one["code"] for one in said["diagnostics"]] == ["E040", "E040"]


def test_every_code_is_on_the_page_of_the_guide_with_its_meaning() -> None:
    from pathlib import Path

    page = (Path(__file__).parents[3] / "docs" / "guide" / "vvm.md").read_text()
    assert [code for code, meaning in CODES.items() if f"| {code} | {meaning} |" not in page] == []
