"""A real Chromium, spoken to over its debugging pipe: no driver, no library, no port that others could reach."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from fetching import chromium, surroundings

_PATIENCE = 30.0


def _out_of_the_way(number: int) -> int:
    """The same end of a pipe under a number that nobody else means."""
    moved = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 20)
    os.close(number)
    return moved


class Browser:
    """One headless Chromium with one tab, a profile of its own, and everything it complained about."""

    def __init__(self, folder: Path, *more: str) -> None:
        program = chromium()
        (theirs_in, ours_out), (ours_in, theirs_out) = map(_out_of_the_way, os.pipe()), map(_out_of_the_way, os.pipe())
        words = [
            program, "--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-sandbox", "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={folder}",
            *more, "about:blank",
        ]  # fmt: skip
        # It reads from 3 and writes to 4, whatever ours are called.
        given = f'exec 3<&{theirs_in} 4>&{theirs_out} {theirs_in}<&- {theirs_out}>&-; exec "$@"'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", given, "chromium", *words], pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder), **surroundings(program)},
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._out, self._in = ours_out, ours_in
        self._answers: dict[int, Queue[dict[str, Any]]] = {}
        self._number = 0
        self.complaints: list[str] = []
        """What a script threw, what the policy refused, every dialog that a page opened."""
        self.asked: list[str] = []
        """Every address that was asked for."""
        self._pretended: dict[str, str] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._session: str | None = None
        self._attach()

    def _attach(self) -> None:
        targets = self._call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setFocusEmulationEnabled", enabled=True)  # as a window in front of its person

    def _read(self) -> None:
        rest = b""
        while piece := os.read(self._in, 1 << 16):
            *messages, rest = (rest + piece).split(b"\0")
            for message in messages:
                self._take(json.loads(message))

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]].put(message)
            return
        said, name = message.get("params", {}), message["method"]
        if name == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif name == "Log.entryAdded" and said["entry"]["source"] in ("security", "javascript"):
            self.complaints.append(said["entry"]["text"])
        elif name == "Page.javascriptDialogOpening":
            self.complaints.append(f"dialog: {said['message']}")
            self._send(0, "Page.handleJavaScriptDialog", {"accept": True})
        elif name == "Network.requestWillBeSent":
            self.asked.append(said["request"]["url"])
        elif name == "Fetch.requestPaused":
            self._pretend(said)

    def pretends(self, url: str, page: str) -> None:
        """One address answers with this page, as if its name led elsewhere just now; all others are asked for as ever."""
        self._pretended[url] = base64.b64encode(page.encode()).decode()
        self._call("Fetch.enable", patterns=[{"urlPattern": one} for one in self._pretended])

    def _pretend(self, paused: dict[str, Any]) -> None:
        said = {"requestId": paused["requestId"]}
        body = self._pretended.get(paused["request"]["url"])
        if body is None:
            return self._send(0, "Fetch.continueRequest", said)
        kept = [{"name": "Content-Type", "value": "text/html; charset=utf-8"}]
        return self._send(
            0, "Fetch.fulfillRequest", {**said, "responseCode": 200, "responseHeaders": kept, "body": body}
        )

    def _send(self, number: int, method: str, params: dict[str, Any]) -> None:
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        self._answers.setdefault(0, Queue())
        waiting = self._answers[number] = Queue()
        self._send(number, method, params)
        try:
            answer = waiting.get(timeout=_PATIENCE)
        except Empty:
            raise AssertionError(f"{method}: the browser does not answer") from None
        assert "error" not in answer, (method, answer)
        return dict(answer["result"])

    def go(self, url: str) -> None:
        self._call("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str = "main") -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def until(self, script: str, seconds: float = _PATIENCE) -> None:
        """Waits until an expression is true."""
        self._wait(lambda: bool(self.run(f"Boolean({script})")), f"never true: {script}\n{self.complaints}", seconds)

    def _wait(self, holds: Callable[[], bool], otherwise: str, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, otherwise
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """A key as a keyboard sends it."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        for sort in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=sort, key=key, windowsVirtualKeyCode=_CODES.get(key, 0), **text)

    def type(self, text: str) -> None:
        self._call("Input.insertText", text=text)

    def looks(self, width: int, height: int = 900, *, dark: bool = False) -> None:
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.feels({"prefers-color-scheme": "dark" if dark else "light"})

    def feels(self, wishes: dict[str, str]) -> None:
        """What the person has told their system they like: `prefers-reduced-motion` and its kin."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": name, "value": wishes[name]} for name in wishes])

    def picture(self, path: Path) -> None:
        shot = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._out)
        self._reader.join(5)
        os.close(self._in)


_CODES = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "Home": 36, "End": 35}
