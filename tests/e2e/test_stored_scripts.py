"""What is stored is shown as text wherever it is shown: a corpus of scripts in every field, on every page (rows 97, 108, 115).

Four things watch: a variable that every one of them would set, the dialogs and complaints of the browser, the addresses it asked
for, and the page's own elements, of which none may be one that the inspector does not make itself. Two controls show that the
watch can see: the same corpus runs on a page that takes it for markup, and the policy alone stops it on a page that would.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser
from hostile import Site
from serving import Daemon

import commonplace
from commonplace.settings import MAX_TAG_CHARS

CORPUS = [
    line.replace("RUN", "window.ran=1")
    for line in Path(__file__).with_name("attacks.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("# ")
]
VIEWS = (
    "search", "search?q=ran", "search?q=ran&statuses=all", "inbox", "inbox?deferred=yes", "conflicts", "conflicts?state=all",
    "timeline", "links", "journal", "receipts", "health",
)  # fmt: skip
OWN = {
    "a", "article", "b", "blockquote", "button", "caption", "circle", "dd", "del", "details", "dialog", "div", "dl", "dt", "em",
    "fieldset", "figcaption", "figure", "form", "g", "h1", "h2", "header", "input", "ins", "kbd", "label", "legend", "li", "line",
    "main", "mark", "marker", "defs", "ol", "option", "output", "p", "path", "pre", "rect", "section", "select", "small", "span",
    "strong", "summary", "svg", "table", "tbody", "td", "text", "textarea", "th", "thead", "time", "title", "tr", "ul", "code",
}  # fmt: skip
FOUND = """(() => {
  const all = [...document.querySelectorAll("main, main *, dialog, dialog *, #said *, #nav *, #foot *")];
  const odd = (one) => [...one.attributes].filter(({name, value}) => name.startsWith("on") || name === "src" || name === "srcdoc"
    || (name === "href" && !value.startsWith("#")) || (name === "style" && !/^--part: [\\d.]+;$/.test(value)));
  return {tags: [...new Set(all.map((one) => one.localName))], odd: all.flatMap(odd).map((one) => one.name + "=" + one.value),
    ran: window.ran ?? null, turned: /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)};
})()"""


def _fitting(attack: str) -> list[str]:
    """As a tag, if it is short enough for one."""
    return [attack] if len(attack) <= MAX_TAG_CHARS else []


def _name(attack: str) -> str:
    """As the name of an agent, if it may be one: printable, and not too long."""
    return f"agent:{attack}" if attack.isprintable() and len(attack) <= 90 else "agent:other"


class Seeded:
    """A book in which every text field of everything holds a script."""

    def __init__(self, path: Path) -> None:
        self.url = f"sqlite:{path}"
        self.ids: list[str] = []
        with commonplace.open(self.url, actor="alice", embedder="none", reranker="none") as alice:
            for number, attack in enumerate(CORPUS):
                self._keep(alice, number, attack)
            for number, attack in enumerate(CORPUS[:-1]):
                alice.link(self.ids[number], self.ids[number + 1], evidence_ref=attack)
            for number, attack in enumerate(CORPUS[:12]):
                alice.contradict(self.ids[number], self.ids[number + 30], reason=attack, evidence_ref=attack)
            settled = alice.conflicts()[0]
            alice.resolve(settled.id, loser=settled.left_id, reason=CORPUS[2])
            alice.process_pending()

    def _keep(self, alice: commonplace.Book, number: int, attack: str) -> None:
        saved = alice.save(
            f"{attack} ran {number}", type="artifact", title=attack if number % 2 else None, summary=attack, rationale=attack,
            tags=_fitting(attack), project_id=attack, repo_id=attack, evidence_ref=attack, aliases=[f"{attack} {number}"],
        )  # fmt: skip
        self.ids.append(saved.id)
        if number % 4 == 0:
            self.ids[-1] = alice.evolve(saved.id, f"{attack} ran anew {number}", reason=attack).id
        if number % 5 == 0:
            alice.archive(alice.save(f"{attack} put away", type="artifact").id, reason=attack)
        if number % 2:
            return
        with commonplace.open(self.url, actor=_name(attack), embedder="none", reranker="none") as agent:
            agent.save(f"{attack} waits", type="profile", tags=_fitting(attack))
            agent.search(attack, project=attack)
            if number % 6 == 0:
                agent.evolve(self.ids[-1], f"{attack} in other words", reason=attack)
                agent.context_for(project=attack, task=attack)
                agent.capture_session(
                    f"User: remember that {attack} ran.\n", project_id=attack, title=attack, uri=attack
                )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def seeded(home: Path) -> Seeded:
    (home / "share" / "commonplace").mkdir(parents=True)
    return Seeded(home / "share" / "commonplace" / "book.sqlite")


@pytest.fixture(scope="module")
def daemon(home: Path, seeded: Seeded) -> Iterator[Daemon]:
    made = Daemon(home).start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    made.looks(1280)
    yield made
    made.close()


@pytest.fixture
def browser(one_browser: Browser) -> Browser:
    """The same one for all, with nothing on its mind."""
    one_browser.go("about:blank")
    one_browser.complaints.clear()
    one_browser.asked.clear()
    return one_browser


def _open(browser: Browser, daemon: Daemon) -> None:
    browser.go(daemon.run("web")["url"])
    browser.until("document.querySelector('main')?.dataset.shown")


def _show(browser: Browser, view: str) -> None:
    browser.run(f"location.hash = {json.dumps('#/' + view)}")
    browser.until(f"document.querySelector('main').dataset.shown === {json.dumps('#/' + view)}")
    browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")


def _harmless(browser: Browser, where: str) -> None:
    found = browser.run(FOUND)
    assert found["ran"] is None, where
    assert set(found["tags"]) <= OWN, where
    assert found["odd"] == [], where
    assert not found["turned"], where


def test_no_script_runs_on_any_page_and_no_request_leaves_the_daemon(daemon, seeded, browser):
    _open(browser, daemon)
    client = daemon.client()
    receipts = [one["id"] for one in client.post("receipts", limit=200)][::20]
    waiting = [one["record"]["id"] for one in client.post("inbox", limit=5)]
    shown = [f"memory/{id}" for id in [*seeded.ids[::8], *waiting]] + [f"receipts/{id}" for id in receipts]
    for view in (*VIEWS, *shown, f"links?around={seeded.ids[3]}", f"receipts?memory={seeded.ids[3]}"):
        _show(browser, view)
        _harmless(browser, view)
        assert "That could not be shown" not in browser.text(), view
    assert browser.complaints == []
    assert {url.split("/")[2] for url in browser.asked if url.startswith("http")} == {f"127.0.0.1:{daemon.port}"}


@pytest.mark.nightly
def test_every_text_of_the_corpus_is_shown_as_it_was_written(daemon, seeded, browser):
    """All of them one by one, and what is seen is what is stored; but for what would turn it around, which is written out."""
    _open(browser, daemon)
    client = daemon.client()
    for id in seeded.ids:
        _show(browser, f"memory/{id}")
        _harmless(browser, id)
        stored = client.post("get", id=id)["content"]
        if stored.isascii():
            assert browser.run(f"document.querySelector('main').textContent.includes({json.dumps(stored)})"), stored


def test_nothing_runs_in_the_forms_in_front_of_the_page_or_in_what_is_told_after(daemon, seeded, browser):
    _open(browser, daemon)
    _show(browser, "inbox")
    for key, what in (("e", "textarea"), ("m", "input[type=radio]"), ("r", "input"), ("d", "input[type=date]")):
        browser.press(key)
        browser.until(f"document.querySelector('dialog[open] {what}') || document.querySelector('#said.shown')")
        _harmless(browser, key)
        browser.press("Escape")
        browser.until("!document.querySelector('dialog')")
    browser.press("a")
    browser.until("document.querySelector('#said.shown') || document.querySelector('dialog[open]')")
    _harmless(browser, "told")
    assert browser.complaints == []


PLACES = (
    "memory/{}", "receipts/{}", "search?q={}", "search?q=x&project={}&types={}", "links?around={}", "links?relation={}",
    "journal?actor={}&until={}", "receipts?by={}&on={}", "conflicts?state={}", "timeline?at={}", "{}",
)  # fmt: skip


@pytest.mark.parametrize("attacks", [CORPUS[13::45], pytest.param(CORPUS[::9], marks=pytest.mark.nightly)], ids=len)
def test_nothing_runs_that_stands_in_the_address(daemon, seeded, browser, attacks):
    """A link that somebody is sent can choose the view and what is asked; it cannot bring anything along that runs."""
    _open(browser, daemon)
    browser.run("window.faults = []; addEventListener('unhandledrejection', (one) => faults.push(String(one.reason)))")
    for place, attack in product(PLACES, attacks):
        quoted = f"encodeURIComponent({json.dumps(attack)})"
        browser.run(f"location.hash = {json.dumps('#/' + place)}.replaceAll('{{}}', {quoted})")
        browser.until("document.querySelector('main').dataset.shown === location.hash")
        _harmless(browser, f"{place} {attack}")
    assert (browser.complaints, browser.run("window.faults")) == ([], [])


CONTROL = """<!doctype html><meta charset=utf-8><body><script>
const corpus = CORPUS, ran = [];
for (const text of corpus) {
  const frame = document.body.appendChild(document.createElement("iframe"));
  try {
    frame.contentDocument.open();
    frame.contentDocument.write(text);
    frame.contentDocument.close();
  } catch {}
  setTimeout(() => { try { for (const one of frame.contentDocument.querySelectorAll("a, area, button, text")) one.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, view: frame.contentWindow})); } catch {} }, 300);
  setTimeout(() => { try { if (frame.contentWindow.ran) ran.push(text); } catch {} }, 1500);
}
setTimeout(() => Object.assign(window, {count: ran.length, done: true}), 2200);
</script>"""  # noqa: E501


def test_the_control_most_of_the_corpus_runs_on_a_page_that_takes_text_for_markup(browser):
    site = Site()
    site.body = CONTROL.replace("CORPUS", json.dumps(CORPUS).replace("</", "<\\/")).encode()
    browser.go(f"http://127.0.0.1:{site.port}/")
    browser.until("window.done")
    count = browser.run("window.count")
    site.close()
    assert count >= 45, f"{count} of {len(CORPUS)} ran"


def test_the_policy_alone_would_stop_them_too(daemon, seeded, browser):
    """The second lock: if some view did take a text for markup one day, nothing would run; and the watch sees the attempt."""
    _open(browser, daemon)
    seen: dict[str, Any] = browser.run(
        f"""(async () => {{
          const refused = [];
          document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
          for (const text of {json.dumps(CORPUS)}) {{
            const place = document.createElement("div");
            document.body.append(place);
            place.innerHTML = text;
            for (const one of place.querySelectorAll("a[href^=java], button")) one.click();
          }}
          await new Promise((rest) => setTimeout(rest, 500));
          return {{ran: window.ran ?? null, refused: refused.length, at: location.host}};
        }})()"""
    )
    assert seen["ran"] is None
    assert seen["at"] == f"127.0.0.1:{daemon.port}", "no form and no link led away"
    assert seen["refused"] > 20
    assert browser.complaints, "what the other tests found empty is where this would have been seen"
