"""All tests but the long ones, in five parts at once: on two cores one part computes while another waits for a disk.

What the first part says is shown as it comes, then what the others said. Arguments go to all: `python -m tests.parts -x`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
APART = (
    ("crash/test_[a-j]*.py", "conformance", "property"),
    ("crash/test_[k-o]*.py",),
    ("crash/test_[p-z]*.py", "contract"),
    ("architecture", "docs", "e2e", "golden", "samples"),
)
"""What waits for disks and killed processes, and what waits for processes of its own. The rest comes first."""


def split() -> list[list[str]]:
    """Files and folders of tests, a list for each part; each of them in one part only."""
    apart = [[path for name in part for path in sorted((ROOT / "tests").glob(name))] for part in APART]
    taken = {top for part in apart for path in part for top in (path, path.parent)}
    folders = {path.parent for path in (ROOT / "tests").glob("*/**/test_*.py")}
    rest = {ROOT / "tests" / path.relative_to(ROOT / "tests").parts[0] for path in folders} - taken
    return [[str(path.relative_to(ROOT)) for path in part] for part in (sorted(rest), *apart)]


def main(arguments: list[str]) -> int:
    first, *others = split()
    with ExitStack() as files:
        said = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in others]
        beside = [_begin(part, arguments, file) for part, file in zip(others, said, strict=True)]
        codes = [subprocess.call(pytest_of(first, arguments), stdin=subprocess.DEVNULL, cwd=ROOT)]
        for process, file in zip(beside, said, strict=True):
            codes.append(process.wait())
            file.seek(0)
            sys.stdout.write(file.read())
    return next((code for code in codes if code), 0)


def _begin(part: list[str], arguments: list[str], said: IO[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(pytest_of(part, arguments), stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=ROOT)


def pytest_of(tests: list[str], arguments: list[str]) -> list[str]:
    return [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-m",
        "not nightly",
        *arguments,
        *tests,
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
