"""A command line with a book of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.cli.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)
