"""The commands a newcomer types, `make` and `pip`, are there and do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from tests import parts

from .console_blocks import environment
from .pages import ROOT, pages

_SAID = {
    line for page in pages() for block in page.blocks if block.language == "sh" for line in block.text.splitlines()
}
_TYPED = sorted({line.partition("  #")[0].strip() for line in _SAID})
_WITHOUT_MAKE = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}


def _dry_run(target: str) -> str:
    """What `make` would do, with the environment taken as ready."""
    done = subprocess.run(
        ["make", "--dry-run", "--old-file=.venv/.ready", target],
        cwd=ROOT, env=_WITHOUT_MAKE, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("typed", _TYPED)
def test_every_command_for_a_clone_is_one_that_works(typed: str) -> None:
    if typed.startswith("make "):
        assert _dry_run(typed.removeprefix("make "))
    elif typed.startswith("commonplace "):
        asked = [sys.executable, "-m", *typed.split(), "--help"]  # tests/e2e/cli/test_first_screen.py runs it
        assert subprocess.run(asked, capture_output=True, timeout=60, check=False).returncode == 0
    elif not typed.startswith("cd "):
        assert typed in ("pip install -e .", 'pip install -e ".[serve]"')


def test_the_readme_has_the_two_commands_of_a_fresh_machine() -> None:
    assert {"make demo", "make test", 'pip install -e ".[serve]"'} <= set(_TYPED)


def test_make_demo_runs_the_main_job_to_its_end(tmp_path) -> None:
    ran = re.search(r"-m (commonplace\S*) (demo)$", _dry_run("demo"), re.MULTILINE)
    assert ran
    done = subprocess.run(
        [sys.executable, "-m", *ran.groups()],
        cwd=tmp_path, env={**environment(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for said in ("save", "search", "explain", "evolve", "revert", "verify: all is well"):
        assert said in done.stdout
    assert not (tmp_path / "book.sqlite").exists(), "the story is told on a throw-away book"


def test_make_test_runs_all_tests_but_the_long_ones() -> None:
    assert "-m tests.parts" in _dry_run("test")
    named = [ROOT / name for part in parts.split() for name in part]
    files = [file for name in named for file in ([name] if name.is_file() else name.rglob("test_*.py"))]
    assert sorted(files) == sorted((ROOT / "tests").rglob("test_*.py")), "each once"
    assert parts.pytest_of(["tests/unit"], ["-x"])[1:] == [
        "-m",
        "pytest",
        "-q",
        "-m",
        "not nightly",
        "-x",
        "tests/unit",
    ]


def test_pip_can_install_a_clone() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-build-isolation", "--no-index", "-e", "."],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "commonplace" in done.stdout
