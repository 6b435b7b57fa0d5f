"""The inspector in a real Chromium, on a real daemon: a person looks, understands, decides, and takes it back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from browsing import Browser
from serving import Daemon

VIEWS = ("search?q=long", "inbox", "conflicts", "timeline", "links", "journal", "receipts", "health")


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
    browser.until("document.querySelector('main')?.dataset.shown")


def _show(browser: Browser, view: str) -> None:
    browser.run(f"location.hash = {json.dumps('#/' + view)}")
    browser.until(f"document.querySelector('main').dataset.shown === {json.dumps('#/' + view)}")


@pytest.mark.nightly
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
    browser.until("document.querySelector('.results .bar')")
    said = browser.text(".results")
    assert "port 8080" in said
    assert "it holds the words: port" in said
    assert "Not searched" not in said, "a book without a model is no trouble"
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


@pytest.mark.nightly
def test_a_conflict_is_decided_and_the_decision_undone(daemon, browser):
    client = daemon.client()
    one, other = (client.post("save", content=f"The port is {port}.", type="artifact") for port in (8080, 9090))
    client.post("contradict", id=one["id"], other_id=other["id"], reason="two ports")
    _open(browser, daemon)
    _show(browser, "conflicts")
    assert browser.run("document.querySelectorAll('.sides .card').length") == 2
    marked = browser.run("[...document.querySelectorAll('.sides .hit')].map((one) => one.textContent)")
    assert sorted(marked) == ["8080.", "9090."], "the eye is led to where the sides differ"
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


@pytest.mark.nightly
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


def test_it_is_accepted_in_other_words_merged_and_put_off_with_the_keyboard_alone(daemon, browser):
    client, agent = daemon.client(), daemon.client(daemon.run("token", "add", "x", "--scope", "write")["token"])
    kept = client.post("save", content="Bob drinks green tea in the morning.", type="profile")
    for text in ("Bob drinks green tea in the mornings.", "Bob lives in Rome.", "Bob is away."):
        agent.post("save", content=text, type="profile")
    _open(browser, daemon)
    _show(browser, "inbox")
    browser.press("m")
    browser.until("document.querySelector('dialog[open] input[type=radio]')")
    assert "mornings." in browser.text("dialog del"), "what says nearly the same shows how it differs"
    browser.press("Enter")
    browser.until("document.querySelectorAll('.review .card').length === 2")
    assert client.post("get", id=kept["id"])["occurrences"] == 2
    browser.press("e")
    browser.until("document.querySelector('dialog[open] textarea')")
    browser.run("document.querySelector('dialog textarea').select()")
    browser.type("Bob lives in Turin.")
    browser.press("Tab")
    browser.press("Enter")
    browser.until("document.querySelectorAll('.review .card').length === 1")
    assert "Bob lives in Turin." in [one["content"] for one in client.post("list")]
    browser.press("d")
    browser.until("document.querySelector('dialog[open]')")
    browser.run("document.querySelector('dialog form').requestSubmit()")
    browser.until("document.querySelector('main').innerText.includes('Nothing waits')")
    _show(browser, "inbox?deferred=yes")
    assert "Put off until" in browser.text()


@pytest.mark.nightly
def test_what_would_replace_another_shows_which_words_are_new(daemon, browser):
    client, agent = daemon.client(), daemon.client(daemon.run("token", "add", "x", "--scope", "write")["token"])
    saved = client.post("save", content="The gate opens at nine.", type="artifact")
    agent.post("evolve", id=saved["id"], content="The gate opens at ten.", reason="heard")
    _open(browser, daemon)
    _show(browser, "inbox")
    assert browser.run("[...document.querySelectorAll('.review del, .review ins')].map((one) => one.innerText)") == [
        "nine.",
        "ten.",
    ]


@pytest.mark.nightly
def test_a_receipt_shows_what_was_believed_then_and_what_became_of_it(daemon, browser):
    """Why did the agent believe this on Tuesday? The words are those of that day."""
    client = daemon.client()
    saved = client.post("save", content="The gate opens at nine.", type="artifact")
    receipt = client.post("search", query="gate")["receipt_id"]
    newer = client.post("evolve", id=saved["id"], content="The gate opens at ten.", reason="new hours")
    _open(browser, daemon)
    _show(browser, f"receipts/{receipt}")
    assert "The gate opens at nine." in browser.text(".cards")
    assert "Today it is superseded" in browser.text(".cards")
    assert browser.run(f"Boolean(document.querySelector('.cards a[href$=\"{newer['id']}\"]'))")
    _press(browser, "Ask the same now")
    browser.until("document.querySelector('main').innerText.includes('Today the answer is another one')")
    _show(browser, f"memory/{newer['id']}")
    assert browser.run(
        "[...document.querySelectorAll('article > .card del, article > .card ins')].map((one) => one.innerText)"
    ) == [
        "nine.",
        "ten.",
    ]


@pytest.mark.nightly
def test_the_picture_of_links_shows_what_hangs_together_and_forgets_what_was_taken_back(daemon, browser):
    client = daemon.client()
    ids = [client.post("save", content=f"Fact number {number}.", type="artifact")["id"] for number in range(6)]
    for one, other in ((0, 1), (1, 2), (2, 3), (4, 5)):
        client.post("link", from_id=ids[one], relation="supports", to_id=ids[other])
    client.post("unlink", from_id=ids[4], relation="supports", to_id=ids[5])
    _open(browser, daemon)
    _show(browser, "links")
    assert "3 links between 4 memories" in browser.text(".heading")
    assert browser.run("document.querySelectorAll('.dot').length") == 4
    assert browser.run("document.querySelectorAll('.whole .tie').length") == 3
    _show(browser, f"links?around={ids[0]}")
    assert "2 links between 3 memories" in browser.text(".heading")
    assert browser.run("document.querySelectorAll('.dot.here').length") == 1


@pytest.mark.nightly
def test_the_report_counts_who_did_what_and_undoes_a_whole_run(daemon, browser):
    client = daemon.client()
    client.post("save", content="One.", type="artifact")
    daemon.client(daemon.run("token", "add", "x", "--scope", "write")["token"]).post(
        "save", content="Two.", type="artifact"
    )
    _open(browser, daemon)
    _show(browser, "journal")
    assert "2 saved" in browser.text(".report")
    assert "1 alice" in browser.text(".report")
    _show(browser, "journal?actor=alice")
    assert browser.run("document.querySelectorAll('.story .card').length") == 1
    _show(browser, "journal?days=7")
    assert browser.run("document.querySelectorAll('.story .card').length") == 2


@pytest.mark.nightly
def test_every_book_that_is_served_is_shown_and_can_be_opened(tmp_path, browser):
    config = tmp_path / "home" / "config" / "commonplace"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(f'[serve.books]\nwork = "sqlite:{tmp_path / "work.sqlite"}"\n')
    daemon = Daemon(tmp_path / "home").start()
    try:
        status, said = daemon.client()("POST", "/v1/save?book=work", {"content": "Only at work.", "type": "artifact"})
        assert status == 200, said
        _open(browser, daemon)
        _show(browser, "health")
        assert "work" in browser.text(".rows")
        browser.run("document.querySelector('button[aria-label=\"Open work\"]').click()")
        browser.until("document.querySelector('main').innerText.includes('The book “work”')")
        _show(browser, "search")
        assert "Only at work." in browser.text()
    finally:
        daemon.stop()


@pytest.mark.nightly
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
