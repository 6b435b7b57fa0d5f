"""What we ship and what we stand on: no code that runs by itself, nothing unexpected (rows 136-137)."""

from __future__ import annotations

import base64
import csv
import io
import subprocess
import sys
import sysconfig
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel as a user would get it."""
    folder = tmp_path_factory.mktemp("wheel")
    asked = ["wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--no-index", "-q", "-w", str(folder)]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_the_wheel_holds_the_package_and_nothing_that_runs_by_itself(wheel):
    assert {name.partition("/")[0].split("-")[0] for name in wheel} == {"commonplace"}
    for name in wheel:
        assert not name.endswith((".pth", ".so", ".exe", ".sh"))
        assert Path(name).name not in ("sitecustomize.py", "usercustomize.py", "setup.py", "conftest.py")


def test_every_file_of_the_wheel_is_in_its_record_with_its_hash(wheel):
    (record,) = (name for name in wheel if name.endswith(".dist-info/RECORD"))
    listed = {name: digest for name, digest, _ in csv.reader(io.StringIO(wheel[record].decode()))}
    assert listed.keys() == wheel.keys()
    for name, digest in listed.items():
        if name != record:
            kind, _, value = digest.partition("=")
            found = base64.urlsafe_b64encode(sha256(wheel[name]).digest()).rstrip(b"=").decode()
            assert (kind, value) == ("sha256", found)


def test_the_wheel_has_what_a_user_needs(wheel):
    assert "commonplace/py.typed" in wheel
    assert "commonplace/testing/canon_contract.py" in wheel
    (points,) = (raw.decode() for name, raw in wheel.items() if name.endswith("entry_points.txt"))
    assert points.split() == ["[console_scripts]", "commonplace", "=", "commonplace.surfaces.cli:main"]


def test_it_stands_on_five_packages():
    """Each runtime dependency has an ADR; a sixth needs one too."""
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert sorted(name.partition(">")[0] for name in declared) == ["apsw", "msgspec", "numpy", "onnxruntime", "simsimd"]


def test_no_package_of_the_environment_runs_code_at_every_start():
    """A `.pth` file runs at every start of the interpreter; this is the list of those we know."""
    folder = Path(sysconfig.get_paths()["purelib"])
    known = {"_editable_impl_commonplace.pth", "distutils-precedence.pth"}
    assert {path.name for path in folder.glob("*.pth")} <= known
    editable = folder / "_editable_impl_commonplace.pth"
    if editable.exists():
        assert "import" not in editable.read_text()
    assert not [*folder.glob("sitecustomize.py"), *folder.glob("usercustomize.py")]


def test_every_pinned_package_has_its_hashes():
    lines = (ROOT / "requirements" / "dev.txt").read_text().splitlines()
    pinned = [n for n, line in enumerate(lines) if line and not line.startswith((" ", "#")) and "==" in line]
    assert pinned
    for n in pinned:
        assert lines[n].rstrip().endswith("\\"), lines[n]
        assert "--hash=sha256:" in lines[n + 1]
