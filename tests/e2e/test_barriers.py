"""No barriers: every page can be used with eyes, ears and keys, in light and dark, at a desk and on a phone.

axe-core looks at each page as it stands; what it cannot see is asked for here: does every stop of the Tab key show where it is,
is all that can be pressed reached by it, does a form in front of the page keep the keys and give them back, does nothing move
for those who asked for that. A page full of barriers shows that the audit finds some.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser
from fetching import axe
from lively_book import Lively
from serving import Daemon

VIEWS = (
    "search", "search?q=which%20port", "search?q=zzzz", "inbox", "conflicts", "conflicts?state=resolved", "timeline", "links",
    "journal", "receipts", "health", "nowhere",
)  # fmt: skip
LOOKS = [
    (1280, False),
    *(pytest.param(*look, marks=pytest.mark.nightly) for look in ((1280, True), (390, False), (390, True))),
]
AUDIT = """axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
  .then(({violations}) => violations.map(({id, impact, nodes}) =>
    ({id, impact, where: nodes.slice(0, 5).map((one) => one.html.slice(0, 160)), why: nodes[0].failureSummary})))"""


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, dict[str, str]]]:
    home = tmp_path_factory.mktemp("home")
    (home / "share" / "commonplace").mkdir(parents=True)
    # A book of some dozens: every sort of thing is in it, and the audit takes its time for each element.
    ids = Lively(home / "share" / "commonplace" / "book.sqlite", size=12).ids
    made = Daemon(home).start()
    yield made, ids
    made.stop()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, lively) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    made.looks(1280)
    made.go(lively[0].run("web")["url"])
    made.until("document.querySelector('main')?.dataset.shown")
    yield made
    made.close()


def _show(browser: Browser, view: str) -> None:
    browser.run(f"location.hash = {json.dumps('#/' + view)}")
    browser.until(f"document.querySelector('main').dataset.shown === {json.dumps('#/' + view)}")
    browser.until("!document.querySelector('[aria-busy]')")


def _audited(browser: Browser) -> list[dict[str, Any]]:
    """What stands in the way of somebody. The script is only run in the page, not loaded by it: its policy holds."""
    if not browser.run("typeof axe === 'object'"):
        browser.run(f"{axe()}; 0")
    found: list[dict[str, Any]] = browser.run(AUDIT)
    return found


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_no_page_has_a_barrier(lively, browser, width, dark):
    daemon, ids = lively
    browser.looks(width, dark=dark)
    receipt = daemon.client().post("receipts", limit=1)[0]["id"]
    more = (
        f"memory/{ids['changed']}",
        f"memory/{ids['decision']}",
        f"receipts/{receipt}",
        f"links?around={ids['changed']}",
    )
    found = {}
    for view in (*VIEWS, *more):
        _show(browser, view)
        browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        if barriers := _audited(browser):
            found[view] = barriers
    assert found == {}, json.dumps(found, indent=1)


def test_the_forms_in_front_of_the_page_have_none_keep_the_keys_and_give_them_back(lively, browser):
    browser.looks(1280)
    _show(browser, "inbox")
    for key in "ermd":
        browser.press(key)
        browser.until("document.querySelector('dialog[open]') || document.querySelector('#said.shown')")
        if not browser.run("Boolean(document.querySelector('dialog[open]'))"):
            continue
        assert _audited(browser) == []
        for _ in range(8):
            browser.press("Tab")
            assert browser.run(
                "document.activeElement === document.body || Boolean(document.activeElement.closest('dialog'))"
            )
        browser.press("Escape")
        browser.until("!document.querySelector('dialog')")
        assert browser.run("document.activeElement.closest('.review .card') !== null"), "back where it was opened from"


def test_letting_oneself_in_has_none(lively, browser, tmp_path: Path):
    stranger = Browser(tmp_path / "profile")
    stranger.looks(390)
    stranger.go(f"http://127.0.0.1:{lively[0].port}/web/")
    stranger.until("document.querySelector('#token')")
    found = _audited(stranger)
    stranger.close()
    assert found == []


STOPS = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter((one) =>
  one.tabIndex >= 0 && !one.disabled && one.checkVisibility({visibilityProperty: true}))"""
SEEN = """(() => {
  const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return {number: STOPS.indexOf(one), outlined, there: box.bottom > 0 && box.top < innerHeight && box.width > 0,
    name: one.outerHTML.slice(0, 120)};
})()""".replace("STOPS", STOPS)


@pytest.mark.parametrize("view", ["search?q=which%20port", "inbox", "conflicts", "timeline", "receipts", "health"])
def test_the_tab_key_reaches_everything_in_the_order_it_is_read_and_shows_where_it_is(lively, browser, view):
    browser.looks(1280)
    _show(browser, view)
    count = browser.run(f"{STOPS}.length")
    browser.run("document.activeElement.blur(); scrollTo(0, 0); document.querySelector('.skip').focus()")
    walked: list[int] = []
    while len(walked) < min(count, 60):
        at = browser.run(SEEN)
        assert at["outlined"], at
        assert at["there"], at
        if walked[-1:] != [at["number"]]:  # a date is several stops in one
            walked.append(at["number"])
        browser.press("Tab")
    assert walked == [*range(min(count, 60))]


def test_the_link_past_the_menu_leads_past_the_menu(lively, browser):
    _show(browser, "health")
    browser.run("document.querySelector('.skip').focus()")
    browser.press("Enter")
    assert browser.run("document.activeElement.id") == "main"


def test_nothing_moves_for_those_who_asked_for_that(lively, browser):
    browser.feels({"prefers-reduced-motion": "reduce"})
    _show(browser, "inbox")
    moving = browser.run(
        """[...document.querySelectorAll("*")].map((one) => getComputedStyle(one)).filter((style) =>
        style.animationName !== "none" || style.transitionDuration.split(", ").some((time) => parseFloat(time) > 0)).length"""
    )
    browser.feels({})
    assert moving == 0
    assert browser.run("document.getAnimations().length") == 0


def test_every_page_is_titled_and_has_one_heading_of_the_first_order(lively, browser):
    titles = set()
    for view in VIEWS[3:]:
        _show(browser, view)
        assert browser.run("document.querySelectorAll('h1').length") == 1, view
        titles.add(browser.run("document.title"))
    assert len(titles) >= 8


def test_the_control_the_audit_finds_the_barriers_of_a_page_that_is_full_of_them(lively, browser, tmp_path: Path):
    other = Browser(tmp_path / "profile")
    other.go(
        "data:text/html,<title></title><img src=x><button></button><input><p style='color:%23bbb;background:%23ccc'>pale</p>"
        "<a href=%23></a><select></select><div role=button tabindex=0></div>"
    )
    other.until("document.querySelector('select')")
    found = _audited(other)
    other.close()
    names = {one["id"] for one in found if one["impact"] in ("serious", "critical")}
    assert {"button-name", "color-contrast", "image-alt", "label", "link-name", "select-name", "html-has-lang"} <= names
