"""File systems of our own to break: loop images that lose power, tiny disks, read-only views. All need root.

Whatever is mounted here is unmounted by the test's finalizer, also when the test failed in between.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

_SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN, XFS_IOC_GOINGDOWN
_NO_LOG_FLUSH = 2
_mounted: list[str] = []


def mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)
    if "remount" not in " ".join(arguments):
        _mounted.append(arguments[-1])


def unmount(where: Path | str) -> None:
    """A child that was just killed may keep the mount busy for a moment longer."""
    for _ in range(200):
        done = subprocess.run(["umount", str(where)], capture_output=True, check=False)
        if done.returncode == 0:
            _mounted.remove(str(where))
            return
        time.sleep(0.01)
    raise AssertionError(f"{where} stays busy: {done.stderr!r}")


def let_go_of_all() -> None:
    for where in reversed([*_mounted]):
        subprocess.run(["umount", "-l", where], capture_output=True, check=False)
        _mounted.remove(where)


def needs_mounts() -> None:
    """The one allowed skip: it says what this machine does not let us prove."""
    if os.geteuid() != 0:
        pytest.skip("NOT PROVED HERE: mounting needs root (run the tests as root to prove R1 against power cuts)")
    probe = tempfile.mkdtemp(prefix="commonplace-mount-")
    try:
        mount("-t", "tmpfs", "-o", "size=64k", "none", probe)
        unmount(probe)
    except (subprocess.CalledProcessError, FileNotFoundError) as cause:
        pytest.skip(f"NOT PROVED HERE: this machine does not let root mount ({cause})")
    finally:
        os.rmdir(probe)


class Disk:
    """A loop image whose power can be cut: everything that was not flushed is gone at the next mount."""

    def __init__(self, where: Path, system: str = "ext4", megabytes: int = 32) -> None:
        needs_mounts()
        maker = shutil.which(f"mkfs.{system}")
        if maker is None:
            pytest.skip(f"NOT PROVED HERE: mkfs.{system} is not installed")
        self._image, self.root = where / "image", where / "disk"
        self.root.mkdir()
        with self._image.open("wb") as file:
            file.truncate(max(megabytes, 300 if system == "xfs" else 0) << 20)
        force = "-f" if system == "xfs" else "-F"
        subprocess.run([maker, "-q", force, str(self._image)], check=True, capture_output=True)
        self.plug_in()

    def plug_in(self) -> None:
        try:
            mount("-o", "loop", str(self._image), str(self.root))
        except subprocess.CalledProcessError as cause:
            pytest.skip(f"NOT PROVED HERE: no loop devices ({cause.stderr!r})")

    def cut(self) -> int:
        """Power off, now. Returns the moment before which an acknowledgement counts."""
        fd = os.open(self.root, os.O_RDONLY)
        try:
            moment = time.monotonic_ns()
            fcntl.ioctl(fd, _SHUTDOWN, struct.pack("I", _NO_LOG_FLUSH))
        finally:
            os.close(fd)
        return moment

    def restart(self) -> None:
        unmount(self.root)
        self.plug_in()


class TinyDisk:
    """A tmpfs of a given size, which a filler file leaves as full as one likes."""

    def __init__(self, where: Path, size: int, inodes: int | None = None) -> None:
        needs_mounts()
        self.root = where
        where.mkdir(exist_ok=True)
        options = f"size={size}" + (f",nr_inodes={inodes}" if inodes else "")
        mount("-t", "tmpfs", "-o", options, "none", str(where))

    @property
    def free(self) -> int:
        found = os.statvfs(self.root)
        return found.f_bavail * found.f_bsize

    def fill(self, leave: int) -> None:
        """Leave this many bytes free, in whole pages."""
        self.empty()
        take = self.free - leave
        if take > 0:
            with (self.root / "filler").open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, take)

    def empty(self) -> None:
        (self.root / "filler").unlink(missing_ok=True)
