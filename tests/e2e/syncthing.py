"""Two real Syncthing instances on this machine, with a folder each, that know only each other."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

FOLDER = "vault"


def is_installed() -> bool:
    return shutil.which("syncthing") is not None


class Peer:
    """One instance: its home, its folder, its ports."""

    def __init__(self, where: Path, name: str) -> None:
        self.name, self.home, self.folder = name, where / f"{name}-home", where / name
        self.folder.mkdir(exist_ok=True)
        subprocess.run(
            ["syncthing", "generate", "--home", str(self.home), "--no-default-folder"], check=True, capture_output=True
        )
        self.port, self.gui = _free_port(), _free_port()
        self._config = self.home / "config.xml"
        self.key = ET.parse(self._config).getroot().findtext("gui/apikey") or ""
        self.id = re.search(r'<device id="([A-Z0-9-]{63})"', self._config.read_text()).group(1)  # type: ignore[union-attr]
        self._process: subprocess.Popen[bytes] | None = None

    def know(self, other: Peer) -> None:
        """Nobody else is asked or told anything: no discovery, no relays, no reports, loopback only."""
        tree = ET.parse(self._config)
        root = tree.getroot()
        for old in [*root.findall("folder"), *root.findall("device")]:
            root.remove(old)
        folder = ET.SubElement(
            root, "folder", id=FOLDER, label=FOLDER, path=str(self.folder), type="sendreceive", rescanIntervalS="2",
            fsWatcherEnabled="true", fsWatcherDelayS="1", ignorePerms="false", autoNormalize="true",
        )  # fmt: skip
        ET.SubElement(folder, "maxConflicts").text = "-1"  # every one is kept
        for peer in (self, other):
            ET.SubElement(folder, "device", id=peer.id)
            device = ET.SubElement(root, "device", id=peer.id, name=peer.name, compression="never")
            ET.SubElement(device, "address").text = f"tcp://127.0.0.1:{peer.port}"
        _set(root, "gui/address", f"127.0.0.1:{self.gui}")
        options = {
            "listenAddress": f"tcp://127.0.0.1:{self.port}", "globalAnnounceEnabled": "false",
            "localAnnounceEnabled": "false", "relaysEnabled": "false", "natEnabled": "false", "urAccepted": "-1",
            "startBrowser": "false", "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0",
            "reconnectionIntervalS": "1",
        }  # fmt: skip
        for name, value in options.items():
            _set(root, f"options/{name}", value)
        tree.write(self._config)

    def start(self) -> None:
        log = (self.home / "log").open("ab")
        command = ["syncthing", "serve", "--home", str(self.home), "--no-browser", "--no-restart", "--no-upgrade"]
        self._process = subprocess.Popen(command, stdout=log, stderr=log)
        log.close()

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)

    def scan(self) -> None:
        self._ask(f"/rest/db/scan?folder={FOLDER}", method="POST")

    def needs(self) -> int:
        """How many things this side still has to get."""
        return int(json.loads(self._ask(f"/rest/db/status?folder={FOLDER}"))["needTotalItems"])

    def is_up(self) -> bool:
        try:
            self._ask("/rest/system/ping")
        except OSError:
            return False
        return True

    def _ask(self, path: str, method: str = "GET") -> bytes:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.gui}{path}", method=method, headers={"X-API-Key": self.key}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            answered: bytes = answer.read()
        return answered


@contextmanager
def two_peers(where: Path) -> Iterator[tuple[Peer, Peer]]:
    left, right = Peer(where, "left"), Peer(where, "right")
    left.know(right)
    right.know(left)
    try:
        for peer in (left, right):
            peer.start()
        wait_until(lambda: left.is_up() and right.is_up(), 60)
        yield left, right
    finally:
        for peer in (left, right):
            peer.stop()


def wait_until(true: object, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never came to rest"
        time.sleep(0.3)


def _set(root: ET.Element, path: str, value: str) -> None:
    found = root.find(path)
    if found is None:
        parent, _, name = path.rpartition("/")
        found = ET.SubElement(root.find(parent), name)  # type: ignore[arg-type]
    found.text = value


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
