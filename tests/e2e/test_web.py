"""The inspector in a real Chromium, on a real daemon: nothing stored runs, and a person gets their work done (rows 95-97)."""

from __future__ import annotations

import json
import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from browsing import FOUND, Browser
from serving import Daemon

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(FOUND is None, reason="NOT PROVED HERE: there is no Chromium on this machine"),
]

ATTACKS = [
    "<script>window.ran=1</script>",
    "<img src=x onerror=\"window.ran=1\">",
    "<svg onload=window.ran=1><animate onbegin=window.ran=1 attributeName=x dur=1s>",
    "<svg><script>window.ran=1</script></svg>",
    "\"><script>window.ran=1</script>",
    "' onfocus=window.ran=1 autofocus x='",
    "</textarea><script>window.ran=1</script>",
    "</title></style></script><script>window.ran=1</script>",
    "<iframe srcdoc=\"<script>parent.ran=1</script>\"></iframe>",
    "<a href=\"javascript:window.ran=1\">click</a> javascript:window.ran=1",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>",
    "<details open ontoggle=window.ran=1>",
    "<style>@import 'http://127.0.0.1:1/x';*{background:url(http://127.0.0.1:1/y)}</style>",
    "<base href=http://127.0.0.1:1/><form action=http://127.0.0.1:1/><input type=submit>",
    "<meta http-equiv=refresh content=\"0;url=http://127.0.0.1:1/\">",
    "<link rel=stylesheet href=http://127.0.0.1:1/z>",
    "{{constructor.constructor('window.ran=1')()}} ${window.ran=1}",
    "<x id=main><x id=nav><form id=said name=location>",
]  # fmt: skip
VIEWS = ("search?q=window", "inbox", "conflicts", "timeline", "journal", "receipts", "health")


@pytest.fixture
def daemon(tmp_path):
    made = Daemon(tmp_path / "home")
    (tmp_path / "home").mkdir()
    yield made.start()
    made.stop()


@pytest.fixture
def browser(tmp_path):
    made = Browser(tmp_path / "profile")
    yield made
    made.close()


def _open(browser: Browser, daemon: Daemon) -> None:
    browser.looks(1280)
    browser.go(daemon.run("web")["url"])
    browser.until("document.querySelector('#nav a')")


def _show(browser: Browser, view: str) -> None:
    browser.run(f"location.hash = {json.dumps('#/' + view)}")
    browser.until(f"document.querySelector('main').dataset.shown === {json.dumps('#/' + view)}")


def test_no_stored_text_runs_in_any_view_and_no_request_leaves_the_daemon(daemon, browser):
    client, agent = daemon.client(), daemon.client(daemon.run("token", "add", "x", "--scope", "write")["token"])
    ids = []
    for number, attack in enumerate(ATTACKS):
        saved = client.post("save", content=f"{attack} window {number}", type="artifact", title=attack, tags=["t"])
        ids.append(saved["id"])
        agent.post("save", content=f"{attack} waits {number}", type="profile")
        client.post("search", query=attack)
    for number, (one, other) in enumerate(pairwise(ids)):
        client.post("link", from_id=one, relation="related_to", to_id=other)
        if number % 3 == 0:
            client.post("contradict", id=one, other_id=other, reason=ATTACKS[number])
    client.post("evolve", id=ids[0], content=f"{ATTACKS[1]} instead", reason=ATTACKS[2])
    _open(browser, daemon)
    receipts = [one["id"] for one in client.post("receipts", limit=5)]
    for view in (*VIEWS, *(f"memory/{id}" for id in ids), *(f"receipts/{id}" for id in receipts)):
        _show(browser, view)
        browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert browser.run("window.ran === undefined"), view
        assert browser.run("document.querySelectorAll('main script, main iframe, main style, main base').length") == 0
    for id, attack in [*zip(ids, ATTACKS, strict=True)][1:]:
        _show(browser, f"memory/{id}")
        assert browser.run("document.querySelector('.statement').textContent").startswith(attack)
    assert browser.complaints == []
    assert {url.split("/")[2] for url in browser.asked if url.startswith("http")} == {f"127.0.0.1:{daemon.port}"}


def test_the_token_leaves_the_address_bar_and_stays_in_the_tab(daemon, browser):
    _open(browser, daemon)
    assert "token" not in browser.run("location.href")
    assert browser.run("document.cookie + JSON.stringify(localStorage)") == "{}"
    assert not [url for url in browser.asked if "cpl_" in url.partition("#")[0]]
    browser.run("sessionStorage.clear()")
    browser.run("location.hash = '#/inbox'")
    browser.until("document.querySelector('#token')")
    browser.run("document.querySelector('#token').focus()")
    browser.type("cpl_wrong")
    browser.press("Enter")
    browser.until("document.querySelector('main').innerText.includes('not valid')")


def test_a_person_searches_and_sees_why(daemon, browser):
    daemon.client().post("save", content="The payment service listens on port 8080.", type="artifact")
    _open(browser, daemon)
    browser.run("document.querySelector('#query').focus()")
    browser.type("which port")
    browser.press("Enter")
    browser.until("document.querySelectorAll('.results .card').length === 1")
    said = browser.text(".results")
    assert "port 8080" in said
    assert "it holds the words: port" in said
    assert browser.run("document.querySelectorAll('.results .bar').length") >= 3


def test_the_inbox_is_reviewed_with_the_keyboard_alone(daemon, browser):
    client, agent = daemon.client(), daemon.client(daemon.run("token", "add", "x", "--scope", "write")["token"])
    for text in ("Bob likes tea.", "Bob likes coffee.", "Bob likes juice."):
        agent.post("save", content=text, type="profile")
    _open(browser, daemon)
    _show(browser, "inbox")
    browser.press("j")
    browser.press("a")
    browser.until("document.querySelectorAll('.review .card').length === 2")
    assert [one["content"] for one in client.post("list")] == ["Bob likes coffee."]
    browser.press("k")
    browser.press("r")
    browser.until("document.querySelector('dialog[open]')")
    browser.type("hearsay")
    browser.press("Enter")
    browser.until("document.querySelectorAll('.review .card').length === 1")
    assert [one["status_reason"] for one in client.post("list", statuses=["archived"])] == ["hearsay"]
    browser.press("u")
    browser.until("document.querySelectorAll('.review .card').length === 2")
    assert client.post("list", statuses=["archived"]) == []


def _press(browser: Browser, label: str) -> None:
    """The first button with these words on it."""
    found = f"[...document.querySelectorAll('button')].find((one) => one.innerText === {json.dumps(label)})"
    browser.until(found)
    browser.run(f"{found}.click()")


def test_a_conflict_is_decided_and_the_decision_undone(daemon, browser):
    client = daemon.client()
    one, other = (client.post("save", content=f"The port is {port}.", type="artifact") for port in (8080, 9090))
    client.post("contradict", id=one["id"], other_id=other["id"], reason="two ports")
    _open(browser, daemon)
    _show(browser, "conflicts")
    assert browser.run("document.querySelectorAll('.sides .card').length") == 2
    _press(browser, "This one is wrong")
    browser.until("document.querySelector('dialog[open]')")
    browser.type("the config says 9090")
    browser.press("Enter")
    browser.until("document.querySelector('main').innerText.includes('No conflict here')")
    assert [two["resolution"] for two in client.post("conflicts", state="resolved")] == ["the config says 9090"]
    _show(browser, "journal")
    _press(browser, "Undo")
    browser.until("document.querySelector('dialog[open]')")
    browser.press("Enter")
    browser.until("document.querySelector('main .undone')")
    assert len(client.post("conflicts")) == 1


def test_the_slider_shows_what_the_book_knew_then(daemon, browser):
    client = daemon.client()
    first = client.post("save", content="Alice uses tabs.", type="profile")
    client.post("evolve", id=first["id"], content="Alice uses spaces.", reason="asked")
    _open(browser, daemon)
    _show(browser, "timeline")
    assert "Alice uses spaces." in browser.text(".results")
    browser.run("document.querySelector('#as-of').focus()")
    browser.press("Home")
    browser.until("document.querySelector('.results').innerText.includes('Alice uses tabs.')")
    assert "spaces" not in browser.text(".results")


FOREIGN = """<!doctype html><title>elsewhere</title><form id=f method=post enctype=text/plain target=i
action="{daemon}/v1/save"><input name='{{"content":"forged","type":"artifact","x":"' value='"}}'></form><iframe name=i></iframe>
<img src="{daemon}/v1/save?content=forged&type=artifact"><iframe src="{daemon}/web/"></iframe>
<script>
document.getElementById("f").submit();
const body = JSON.stringify({{content: "forged", type: "artifact"}}), json = {{"Content-Type": "application/json"}};
const asked = [["/v1/save", {{method: "POST", mode: "no-cors", body}}], ["/v1/save", {{method: "POST", headers: json, body}}],
  ["/web/", {{}}], ["/web/app.js", {{mode: "no-cors"}}], ["/v1/list", {{credentials: "include"}}]];
window.read = 0;
Promise.allSettled(asked.map(([path, how]) => fetch("{daemon}" + path, how).then((one) => one.text())
  .then((text) => (window.read += text.length)))).then(() => (window.done = true));
</script>"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_of_another_origin_changes_nothing_and_reads_nothing(daemon, browser, host, tmp_path):
    """Rows 95-97: forms, images, frames and fetches of a foreign page, while the inspector is open in the same browser."""
    daemon.client().post("save", content="Mine.", type="artifact")
    _open(browser, daemon)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(FOREIGN.format(daemon=f"http://127.0.0.1:{daemon.port}"))
    serves = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), serves) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        browser.go(f"http://{host}:{site.server_address[1]}/")
        browser.until("window.done")
        assert browser.run("window.read") == 0
        site.shutdown()
    assert len([url for url in browser.asked if url.endswith("/v1/save")]) >= 3, "the page did try"
    assert [one["content"] for one in daemon.client().post("list", statuses=["all"])] == ["Mine."]


def test_every_view_fits_a_phone_and_a_desk_in_light_and_dark(daemon, browser, tmp_path):
    """Pictures are kept where `COMMONPLACE_PICTURES` says, for somebody to look at."""
    client = daemon.client()
    one = client.post("save", content="A" + " long" * 60, type="artifact", tags=["x" * 60])
    other = client.post("save", content="W" * 300, type="artifact")
    client.post("contradict", id=one["id"], other_id=other["id"], reason="no")
    client.post("search", query="long")
    pictures = Path(os.environ.get("COMMONPLACE_PICTURES") or tmp_path)
    _open(browser, daemon)
    for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
        browser.looks(width, dark=dark)
        for view in (*VIEWS, f"memory/{one['id']}"):
            _show(browser, view)
            assert browser.run("document.documentElement.scrollWidth <= innerWidth"), (width, view)
            name = f"{view.partition('?')[0].partition('/')[0]}-{width}-{'dark' if dark else 'light'}.png"
            browser.picture(pictures / name)
            assert (pictures / name).stat().st_size > 5_000
    assert browser.complaints == []
