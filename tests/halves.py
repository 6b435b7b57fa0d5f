"""All tests but the long ones, in two halves at once: `make test` on two cores takes the longer half's time.

What the first half says is shown as it comes, then what the second said. Arguments go to both: `python -m tests.halves -x`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECOND = ("conformance", "crash", "property")
"""What waits for disks and killed processes most of the time; as long as all the rest."""


def split() -> tuple[list[str], list[str]]:
    """The folders of tests: those that compute, those that wait."""
    folders = sorted(path for path in (ROOT / "tests").iterdir() if path.is_dir())
    tested = [path.name for path in folders if any(path.rglob("test_*.py"))]
    return [name for name in tested if name not in SECOND], [name for name in tested if name in SECOND]


def main(arguments: list[str]) -> int:
    first, second = split()
    nothing = subprocess.DEVNULL
    with tempfile.TemporaryFile("w+") as said:
        beside = subprocess.Popen(pytest_of(second, arguments), stdin=nothing, stdout=said, stderr=said, cwd=ROOT)
        shown = subprocess.run(pytest_of(first, arguments), check=False, stdin=nothing, cwd=ROOT)
        code = beside.wait()
        said.seek(0)
        sys.stdout.write(said.read())
    return shown.returncode or code


def pytest_of(folders: list[str], arguments: list[str]) -> list[str]:
    return [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-m",
        "not nightly",
        *arguments,
        *(f"tests/{name}" for name in folders),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
