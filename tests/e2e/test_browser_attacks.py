"""A real Chromium visits pages that mean harm, beside a running daemon: nothing happens, nothing is read (rows 95-98, 107).

Each page tries every route in every way a page has, with a true token in its hands. What may not change is looked at from
outside: the journal, the receipts, the numbers of the book, and the daemon's own log, in which no request may have succeeded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser
from hostile import SECRET, OpenServer, Site, page
from serving import Daemon

from commonplace.surfaces.http.routes import ROUTES

NAMES = "MAP evil.test 127.0.0.1, MAP *.evil.test 127.0.0.1, MAP localhost. 127.0.0.1"
"""Names of the attacker's, which lead to this machine. For the browser they are as any other name."""
WITHOUT_HELP = (
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,BlockInsecurePrivateNetworkRequests"
)
"""Newer browsers keep some pages from this machine by themselves. Here they do not: it is the daemon that is tested."""
FIELDS = {
    "content": "forged", "type": "artifact", "reason": "forged", "query": "harbour", "task": "harbour", "subject": "editor",
    "retain": ["W @Bob: forged."], "relation": "supports", "source": "User: remember the forged thing.",
    "until": "2030-01-01T00:00:00Z",
}  # fmt: skip


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(tmp_path_factory.mktemp("home"))
    made.start()
    made.client().post("save", content=SECRET, type="artifact")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def stolen(daemon: Daemon) -> str:
    """A true token with every right, as if it had leaked to the page. It has a name of its own in the log."""
    return str(daemon.run("token", "add", "stolen", "--scope", "operator", "--books", "*")["token"])


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(
        tmp_path_factory.mktemp("profile"), f"--host-resolver-rules={NAMES}", "--disable-popup-blocking", WITHOUT_HELP
    )
    made.looks(1280)
    yield made
    made.close()


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture
def open_server() -> Iterator[OpenServer]:
    made = OpenServer()
    yield made
    made.close()


def _routes(daemon: Daemon) -> list[tuple[str, dict[str, Any]]]:
    """Every operation with fields that it would take; `save` first, which some ways of asking are tried with alone."""
    id = daemon.client().post("list")[0]["id"]
    ids = {"id": id, "from_id": id, "to_id": id, "other_id": id, "into": id, "loser": id, "ids": [id]}
    given = {**FIELDS, **ids}
    asked = []
    for route in ROUTES:
        names = route.operation.request_class().__struct_fields__
        asked.append((f"/v1/{route.operation.name}", {name: given[name] for name in names if name in given}))
    asked.sort(key=lambda one: one[0] != "/v1/save")
    return [("/v1/save", {"content": "forged", "type": "artifact"}), *asked[1:], ("/mcp", {"jsonrpc": "2.0"})]


def _state(daemon: Daemon) -> dict[str, Any]:
    client = daemon.client()
    journal = client.post("journal")
    return {
        "journal": [(one["id"], one["hash"]) for one in journal],
        "receipts": [one["id"] for one in client.post("receipts", limit=1000)],
        "stats": {name: count for name, count in client.post("stats").items() if name != "bytes"},
        "waiting": client.post("queue")["pending"],
    }


def _visit(browser: Browser, address: str) -> tuple[str, int]:
    """What the page got to read, and how much it tried."""
    browser.go(address)
    browser.until("window.done", 60)
    return str(browser.run("window.loot")), int(browser.run("window.tried"))


def _requests(daemon: Daemon, since: int) -> list[dict[str, Any]]:
    """All that were made but our own."""
    lines = [json.loads(line) for line in daemon.log[since:] if line.startswith("{")]
    return [line for line in lines if line.get("event") == "request" and line["client"] != "alice"]


def _at_night(*hosts: str) -> list[Any]:
    return [pytest.param(host, marks=pytest.mark.nightly) for host in hosts]


FOREIGN = ["evil.test", "127.0.0.1", *_at_night("localhost")]
REBOUND = ["evil.test", *_at_night("localhost.", "127.0.0.1.evil.test", "localhost.evil.test")]


@pytest.mark.parametrize("host", FOREIGN)
def test_a_page_of_another_origin_has_no_effect_and_reads_nothing(daemon, stolen, browser, site, host):
    """Rows 96 and 97: another site, and another port of the same one, which for a browser is the same site."""
    target = f"http://127.0.0.1:{daemon.port}"
    site.body = page(target, _routes(daemon), stolen).encode()
    before, since = _state(daemon), len(daemon.log)
    loot, tried = _visit(browser, f"http://{host}:{site.port}/")
    made = _requests(daemon, since)
    assert _state(daemon) == before
    assert loot == "", "no answer, no error message, no size of anything"
    assert tried > 300
    assert len(made) > 150, "the attempts did arrive"
    assert {one["status"] for one in made} <= {400, 401, 403, 404, 405}
    assert {one["client"] for one in made} == {"-"}, "nobody was let in as far as having a name"


@pytest.mark.parametrize("host", REBOUND)
def test_a_name_that_is_pointed_at_this_machine_has_no_effect_and_reads_no_memory(daemon, stolen, browser, host):
    """Row 95, DNS rebinding: the page is of the same origin as the daemon, so nothing but the Host stands in its way."""
    target = f"http://{host}:{daemon.port}"
    address = f"{target}/lure"
    browser.pretends(address, page(target, _routes(daemon), stolen))
    before, since = _state(daemon), len(daemon.log)
    loot, tried = _visit(browser, address)
    made = _requests(daemon, since)
    assert _state(daemon) == before
    assert SECRET not in loot
    assert "this is not a name of this machine" in loot, "it reads that it was refused, and nothing else"
    assert tried > 300
    assert len(made) > 150
    assert {one["status"] for one in made} == {403}


def test_the_control_an_open_server_loses_everything_to_the_same_pages(daemon, browser, site, open_server):
    """The same two pages against a server without checks: both write, and both read the secret."""
    routes = _routes(daemon)[:2]
    site.body = page(f"http://127.0.0.1:{open_server.port}", routes, "x").encode()
    loot, _ = _visit(browser, f"http://evil.test:{site.port}/")
    assert SECRET in loot
    by_the_foreign = len(open_server.effects)
    assert by_the_foreign > 20
    address = f"http://evil.test:{open_server.port}/lure"
    browser.pretends(address, page(f"http://evil.test:{open_server.port}", routes, "x"))
    loot, _ = _visit(browser, address)
    assert SECRET in loot
    assert len(open_server.effects) > by_the_foreign + 20
    ways = {line.split(":")[0].split(" ")[0] for line in loot.split("\n")}
    assert {"fetch", "json", "token", "get", "xhr", "frame", "form", "window.open", "sandbox", "data"} <= ways


@pytest.mark.nightly
def test_an_inspector_that_is_open_in_another_tab_lends_its_token_to_nobody(daemon, browser, site, tmp_path: Path):
    """The token lies in the tab's own storage: no cookie, nothing that a browser would send along by itself."""
    browser.go(daemon.run("web")["url"])
    browser.until("document.querySelector('#nav a')")
    assert browser.run("document.cookie + JSON.stringify(localStorage)") == "{}"
    site.body = page(f"http://127.0.0.1:{daemon.port}", _routes(daemon)[:4], "").encode()
    before = _state(daemon)
    loot, _ = _visit(browser, f"http://127.0.0.1:{site.port}/")
    assert (loot, _state(daemon)) == ("", before)
