"""The tree is the picture: arrows point down, importing is free, and nothing dangerous is imported at all."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "commonplace"
MODULES = sorted(SOURCE.rglob("*.py"))
LINTER = Path(sys.executable).with_name("lint-imports")


def lint(config, cwd=ROOT):
    asked = [str(LINTER), "--no-cache", "--config", str(config)]
    return subprocess.run(asked, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_arrows_of_the_design_hold():
    done = lint(ROOT / "pyproject.toml")
    assert done.returncode == 0, done.stdout


def test_the_linter_would_see_an_arrow_that_points_up(tmp_path):
    """The control: a contract that is broken is reported as broken."""
    upside_down = tmp_path / "upside_down.toml"
    upside_down.write_text(
        '[tool.importlinter]\nroot_package = "commonplace"\n[[tool.importlinter.contracts]]\nname = "upside down"\n'
        'type = "layers"\nlayers = ["commonplace.model", "commonplace.engine"]\n'
    )
    assert lint(upside_down).returncode != 0


def imported_by(path):
    """The modules a file names in its imports, wherever they stand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def top(name):
    return name.partition(".")[0]


def names(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=names)
def test_no_module_loads_code_from_data_or_opens_a_connection(path):
    """Row 90: no loader that runs what it reads. Row 138: nothing talks to the network but an embedder that was asked for."""
    loaders = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "sqlite3", "pysqlite3", "libsql"}
    network = {"socket", "ssl", "http", "urllib", "requests", "httpx", "aiohttp", "ftplib", "smtplib", "xmlrpc"}
    talks = "surfaces" in path.parts or path.parts[-2:] in (("providers", "wire.py"), ("providers", "addresses.py"))
    allowed = network if talks else set()
    imported = {name for name in imported_by(path) if name != "urllib.parse"}  # takes names apart and talks to nobody
    assert {top(name) for name in imported} & ((loaders | network) - allowed) == set()


@pytest.mark.parametrize("path", MODULES, ids=names)
def test_no_module_evaluates_text(path):
    called = {node.func.id for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}  # fmt: skip
    assert called & {"eval", "exec", "compile", "__import__", "input", "breakpoint"} == set()


@pytest.mark.parametrize("path", MODULES, ids=names)
def test_every_module_opens_with_its_idea(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES} - {SOURCE}), ids=names)
def test_every_folder_says_what_it_is_for(folder):
    assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))


def test_one_sqlite_driver_in_source_tests_and_bench():
    others = {"sqlite3", "_sqlite3", "pysqlite3", "libsql", "aiosqlite"}
    folders = [ROOT / name for name in ("src", "tests", "bench")]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        assert {top(name) for name in imported_by(path)} & others == set(), path


def loaded_by(statement):
    """The modules that a fresh interpreter has after a statement and does not have without it."""
    show = "import sys; print(' '.join(sorted(sys.modules)))"
    asked = [sys.executable, "-c"]
    without = subprocess.run([*asked, show], capture_output=True, text=True, check=True).stdout.split()
    having = subprocess.run([*asked, f"{statement}; {show}"], capture_output=True, text=True, check=True).stdout.split()
    return {*having} - {*without}


def test_importing_the_package_is_free():
    """Names are loaded when they are first used."""
    loaded = loaded_by("import commonplace")
    assert {name for name in loaded if top(name) == "commonplace"} == {"commonplace"}
    assert {top(name) for name in loaded} & {"apsw", "msgspec", "asyncio", "pathlib", "json"} == set()
    assert len(loaded) <= 30, loaded  # `typing`, and what it needs


@pytest.mark.parametrize("heavy", ["asyncio", "ssl", "hypothesis", "pytest", "multiprocessing", "logging", "unittest"])
def test_opening_and_reading_a_book_loads_nothing_heavy(tmp_path, heavy):
    story = f"import commonplace; b = commonplace.open('sqlite:{tmp_path}/b.sqlite'); b.list(); b.close()"
    assert heavy not in {top(name) for name in loaded_by(story)}


def test_the_contracts_need_nothing_but_pytest():
    """Whoever writes a canon can run them without our other tools."""
    loaded = {
        top(name) for name in loaded_by("import commonplace.testing.canon_contract, commonplace.testing.wrappers")
    }
    assert "pytest" in loaded
    assert loaded & {"hypothesis", "apsw"} == set()


def test_everything_public_is_listed_and_there():
    import commonplace

    assert commonplace.__all__ == sorted(commonplace.__all__)
    for name in commonplace.__all__:
        assert getattr(commonplace, name) is not None
    with pytest.raises(AttributeError):
        commonplace.nonsense  # noqa: B018 - asking is the test
