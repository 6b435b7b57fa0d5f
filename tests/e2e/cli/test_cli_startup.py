"""Starting is cheap: `--help` and a cold `get` cost about as little as Python itself."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from e2e.cli.shell import PROGRAM, Shell

GENEROUS = 6.0
"""The promise is 4, and `make bench` measures it; a busy machine must not fail a test."""


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """A machine that never writes bytecode would measure the compiler."""
    import commonplace

    subprocess.run([sys.executable, "-m", "compileall", "-q", os.path.dirname(commonplace.__file__)], check=True)


def _cpu(command: list[str], environment: dict[str, str]) -> float:
    """Seconds of CPU, the best of several."""
    best = float("inf")
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def test_help_and_a_cold_get_cost_a_small_multiple_of_python_itself(shell: Shell) -> None:
    id = shell.quiet("save", "Alice prefers tabs.", "--type", "profile")
    nothing = _cpu([sys.executable, "-c", "pass"], shell.environment)
    for words in (["--help"], ["get", id]):
        ratio = _cpu([*PROGRAM, *words], shell.environment) / nothing
        print(f"{words[0]}: {ratio:.2f} x python -c pass")
        assert ratio <= GENEROUS, words


def _loaded(shell: Shell, *words: str) -> set[str]:
    """The modules in the process after a command."""
    code = (
        "import sys; from commonplace.surfaces.cli.program import run\n"
        f"code = run({list(words)!r}); sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=shell.environment
    )
    return {*done.stderr.split()}


def test_help_loads_neither_the_engine_nor_the_driver(shell: Shell) -> None:
    loaded = _loaded(shell, "--help")
    assert not loaded & {"msgspec", "apsw", "commonplace.engine.book", "commonplace.wiring", "argparse", "dataclasses"}


def test_get_loads_nothing_that_writing_examining_or_searching_needs(shell: Shell) -> None:
    id = shell.quiet("save", "Alice prefers tabs.", "--type", "profile")
    loaded = _loaded(shell, "get", id)
    heavy = {
        "argparse",
        "dataclasses",
        "inspect",
        "typing_extensions",
        "pathlib",
        "json",
        "difflib",
        "shutil",
        "tomllib",
        "textwrap",
        "msgspec.inspect",
    }
    assert not loaded & heavy
    assert not [name for name in loaded if name.startswith("commonplace.guard.secret")]


def test_what_was_loaded_lightly_is_whole_when_it_is_asked_for() -> None:
    code = (
        "import sys; from commonplace.surfaces.lightly import import_lightly\n"
        "import_lightly(); import msgspec, textwrap, platform\n"
        "class Point(msgspec.Struct):\n"
        "    'A point.'\n"
        "    x: int\n"
        "assert msgspec.json.schema(Point)['$defs']['Point']['required'] == ['x']\n"
        "import msgspec.inspect\n"
        "assert msgspec.inspect.type_info(int) == msgspec.inspect.IntType()\n"
        "assert textwrap.dedent(' a') == 'a' and platform.python_version()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
