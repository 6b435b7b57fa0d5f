"""Programs of several files: what is exported can be imported, each file runs once, and nothing is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.surfaces.vvm.errors import ProgramError, ProgramRaisedError
from commonplace.surfaces.vvm.models import Models
from commonplace.surfaces.vvm.program import examine, load
from commonplace.surfaces.vvm.run import run


def _written(folder: Path, **files: str) -> str:
    (folder / "lib").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / (f"{name}.vvm" if name == "main" else f"lib/{name}.vvm")).write_text(text)
    return str(folder / "main.vvm")


def _codes(path: str) -> list[str]:
    return [one.code for one in examine(path).findings if one.is_error]


def test_functions_values_and_agents_are_imported_under_their_names(tmp_path: Path) -> None:
    main = _written(
        tmp_path,
        main='from "./lib/a.vvm" import double\nfrom "./lib/a.vvm" import base as start\nfrom "./lib/a.vvm" import @scout\n'
        "x = double(start)\nexport x\n",
        a='agent scout(model="m")\nbase = 21\ndef double(n):\n  return n + n + hidden\nhidden = 0\n'
        "export base\nexport double\nexport @scout\n",
    )
    assert run(load(main), Models()) == {"x": 42}


def test_a_module_imports_from_its_own_folder_and_runs_once(tmp_path: Path) -> None:
    main = _written(
        tmp_path,
        main='from "./lib/a.vvm" import x\nfrom "./lib/../lib/b.vvm" import y\nz = [x, y]\nexport z\n',
        a='from "./b.vvm" import y\nx = [y]\nexport x\n',
        b="y = 1\nexport y\n",
    )
    program = load(main)
    assert [Path(source.path).name for source in program.sources] == ["b.vvm", "a.vvm", "main.vvm"]
    assert run(program, Models()) == {"z": [[1], 1]}
    assert program.project == str(tmp_path), "V55: the folder of the file that is run"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('from "./lib/none.vvm" import x\n', "E090"),
        ('from "./lib/a.vvm" import nothing\n', "E090"),
        ('from "./lib/a.vvm" import @x\n', "E090"),
        ('from "./lib" import x\n', "E090"),
        ('from "../../../etc/passwd" import x\n', "E090"),
        ('from "https://example.org/a.vvm" import x\n', "E900"),
        ('from "@alice/research" import x\n', "E900"),
        ('from "/etc/passwd" import x\n', "E900"),
    ],
)
def test_what_is_not_there_or_not_beside_the_program_is_refused(tmp_path: Path, text: str, code: str) -> None:
    assert _codes(_written(tmp_path, main=text, a="x = 1\nexport x\n")) == [code]


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    main = _written(
        tmp_path,
        main='from "./lib/a.vvm" import x\nexport x\n',
        a='from "./b.vvm" import x\nexport x\n',
        b='from "./a.vvm" import x\nexport x\n',
    )
    assert "E090" in _codes(main)


def test_modules_agree_where_a_skill_comes_from(tmp_path: Path) -> None:
    main = _written(
        tmp_path,
        main='from "./lib/a.vvm" import x\nimport "s" from "npm:one"\nexport x\n',
        a='import "s" from "npm:two"\nx = 1\nexport x\n',
    )
    assert _codes(main) == ["E032"]


def test_a_mistake_in_a_module_is_shown_with_that_files_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _written(tmp_path, main='from "./lib/a.vvm" import x\nexport x\n', a="x = @nobody `Go.`()\nexport x\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProgramError) as caught:
        load("main.vvm")
    assert caught.value.where == "lib/a.vvm:1:5"


def test_what_a_modules_function_raises_is_placed_in_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _written(
        tmp_path,
        main='from "./lib/a.vvm" import f\nx = f()\nexport x\n',
        a='def f():\n  raise "no"\nexport f\n',
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProgramRaisedError) as caught:
        run(load("main.vvm"), Models())
    assert caught.value.where == "lib/a.vvm:2:3"


def test_a_module_can_be_called_with_its_inputs_and_answers_with_its_exports(tmp_path: Path) -> None:
    """V53, V59: each call runs it anew; what goes wrong in it is an error value of its own kind."""
    main = _written(
        tmp_path,
        main='from "./lib/sum.vvm" import * as sum\n'
        "a = sum(one=1)\nb = sum(one=1, two=5)\nc = a.total + b.total\nnone = a.nothing\n"
        "missing = sum()\nunknown = sum(one=1, three=3)\nfailed = sum(one=true)\n"
        "export pack(a, c, none, missing, unknown, failed)\n",
        sum='input one: "first"\ninput two = 2\ntotal = one + two\nhidden = 1\nexport total\n',
    )
    found = run(load(main), Models())
    assert (found["a"], found["c"]) == ({"total": 3}, 9)
    kinds = {name: found[name]["error"]["kind"] for name in ("none", "missing", "unknown", "failed")}
    assert kinds == {
        "none": "unknown_output", "missing": "missing_input", "unknown": "unknown_input", "failed": "module_failed",
    }  # fmt: skip
    assert found["missing"]["error"]["data"] == {"name": "one"}
    assert found["failed"]["error"]["data"]["error"]["kind"] == "thrown"


def test_a_module_is_not_run_before_it_is_called_and_takes_no_positional_values(tmp_path: Path) -> None:
    main = _written(
        tmp_path,
        main='from "./lib/a.vvm" import * as a\ntry:\n  x = a(1)\nexcept as err:\n  x = err\nexport x\n',
        a='input n: "needed"\nraise "was run"\n',
    )
    assert "by name" in run(load(main), Models())["x"]["error"]["message"]


def test_exports_are_read_when_everything_has_run(tmp_path: Path) -> None:
    main = _written(tmp_path, main="export x\nexport pack(y, z=x)\nx = 1\ny = 2\nx = 3\n")
    assert run(load(main), Models()) == {"x": 3, "y": 2, "z": 3}
