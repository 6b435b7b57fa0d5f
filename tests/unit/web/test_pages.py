"""The inspector's files: what is served, with which headers, and what may not stand in them (rows 94-97; A41)."""

from __future__ import annotations

import asyncio
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from commonplace.surfaces.http.answers import Answer
from commonplace.surfaces.http.app import App
from commonplace.surfaces.http.books import Books, Threads
from commonplace.surfaces.http.metrics import Metrics
from commonplace.surfaces.http.requests import field_names
from commonplace.surfaces.http.tokens import Keyring
from commonplace.surfaces.operations import BY_NAME
from commonplace.surfaces.web import serve

FOLDER = Path(serve.__file__).parent / "pages"
FILES = sorted(FOLDER.iterdir())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
TYPES = {
    ".html": b"text/html; charset=utf-8", ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8", ".svg": b"image/svg+xml",
}  # fmt: skip


@pytest.fixture
def fetch(tmp_path):
    """A request without a token to the daemon's application; status, headers as pairs, body."""
    threads, books = Threads(), Books({})
    app = App(Keyring(str(tmp_path / "tokens.json")), books, threads, Metrics(), lambda *_, **__: None)

    def fetched(path, method="GET", *headers, host=b"127.0.0.1:7821"):
        sent = []

        async def receive():
            return {"type": "http.request", "body": b""}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": method, "path": path, "query_string": b"",
                 "headers": [(b"host", host), *headers], "server": ("127.0.0.1", 7821)}  # fmt: skip
        asyncio.run(app(scope, receive, send))
        return sent[0]["status"], sent[0]["headers"], b"".join(one["body"] for one in sent[1:])

    yield fetched
    threads.close()
    books.close()


def _path(file: Path) -> str:
    return "/web/" if file.name == "index.html" else f"/web/{file.name}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_file_is_served_without_a_token_with_its_type_and_a_strict_policy(fetch, file):
    status, pairs, body = fetch(_path(file))
    headers = dict(pairs)
    assert (status, body) == (200, file.read_bytes())
    assert headers[b"content-type"] == TYPES[file.suffix]
    assert headers[b"content-security-policy"].decode().split("; ") == [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]  # fmt: skip
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"referrer-policy"] == b"no-referrer"
    assert headers[b"cross-origin-resource-policy"] == b"same-origin"
    assert headers[b"cache-control"] == (b"no-store" if file.suffix == ".html" else b"no-cache")
    assert not [name for name in headers if name.startswith(b"access-control")]
    assert len(pairs) == len(headers), "two policies would both hold, and the page could not run"


def test_what_a_browser_has_already_is_not_sent_again(fetch):
    etag = dict(fetch("/web/app.js")[1])[b"etag"]
    status, _, body = fetch("/web/app.js", "GET", (b"if-none-match", etag))
    assert (status, body) == (304, b"")
    assert fetch("/web/app.js", "GET", (b"if-none-match", b'"other"'))[0] == 200
    assert fetch("/web/app.js", "HEAD")[2] == b""


@pytest.mark.parametrize(
    "path",
    ["/web", "/web/index.html", "/web/nothing.js", "/web/../serve.py", "/web/..%2fserve.py", "/web//app.js",
     "/web/pages/app.js", "/web/app.js/", "/web/APP.JS", "/web/%61pp.js"],
)  # fmt: skip
def test_nothing_else_is_served_and_nothing_else_is_said(fetch, path):
    """Row 94: what is no file of ours is answered like every path without a token."""
    assert fetch(path)[0] == 401
    assert fetch(path) == fetch("/nowhere")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_reading_is_without_a_token(fetch, method):
    assert fetch("/web/", method)[0] == 401


def test_a_page_of_another_site_cannot_even_fetch_the_files(fetch):
    """Rows 95-97: Host, Origin and Sec-Fetch-Site are looked at first, here too."""
    assert fetch("/web/", host=b"evil.example:7821")[0] == 403
    assert fetch("/web/app.js", "GET", (b"origin", b"http://evil.example"))[0] == 403
    assert fetch("/web/app.js", "GET", (b"sec-fetch-site", b"cross-site"))[0] == 403


def test_other_answers_keep_the_policy_under_which_nothing_runs():
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(Answer(200, b"{}").send(send))
    assert dict(sent[0]["headers"])[b"content-security-policy"] == b"default-src 'none'; frame-ancestors 'none'"


FORBIDDEN = (
    r"\binnerHTML\b", r"\bouterHTML\b", r"\binsertAdjacentHTML\b", r"\bdocument\.write", r"\beval\s*\(", r"\bnew Function\b",
    r"\bsetHTML", r"\bDOMParser\b", r"\bcreateContextualFragment\b", r"\bsrcdoc\b", r"javascript:", r"\blocalStorage\b",
    r"\bdocument\.cookie\b", r"\bpostMessage\b", r"\bXMLHttpRequest\b", r"\bWebSocket\b", r"\bimport\s*\(",
    r"setTimeout\(\s*[\"'`]", r"\.on[a-z]+\s*=", r"setAttribute\(\s*[\"'](on|style|src)",
)  # fmt: skip


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_no_script_can_turn_text_into_markup_or_code(file):
    text = file.read_text()
    assert [pattern for pattern in FORBIDDEN if re.search(pattern, text)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_is_asked_from_elsewhere(file):
    """No request leaves the machine. The one address that stands there is the name of SVG, which nobody fetches."""
    found = set(re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]+[^\s\"'`)]*", file.read_text()))
    assert found <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in file.read_text()


class Inline(HTMLParser):
    """Notes what stands in the page itself instead of in a file."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag, attrs):
        self._inside = tag
        self.found += [f"{tag} {name}" for name, _ in attrs if name.startswith("on") or name == "style"]
        self.found += [f"{tag} {value}" for name, value in attrs if name in ("src", "href") and value[:1] not in "/#"]

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside in ("script", "style") and data.strip():
            self.found.append(f"inline {self._inside}")


def test_the_page_has_no_inline_script_style_or_handler():
    reader = Inline()
    reader.feed((FOLDER / "index.html").read_text())
    assert reader.found == []


def test_the_page_has_a_language_landmarks_a_way_past_the_menu_and_a_place_where_things_are_told():
    page = (FOLDER / "index.html").read_text()
    for needed in ('<html lang="en">', "<main", "<nav", 'class="skip"', 'aria-live="polite"', 'name="viewport"'):
        assert needed in page


def test_every_call_names_an_operation_of_the_table():
    called = {name for file in SCRIPTS for name in re.findall(r'\bask\(\s*"([^"]*)"', file.read_text())}
    assert called <= BY_NAME.keys()
    assert {
        "search",
        "explain",
        "inbox",
        "conflicts",
        "journal",
        "list",
        "receipts",
        "stats",
        "queue",
        "doctor",
    } <= called
    computed = [
        (file.name, said) for file in SCRIPTS for said in re.findall(r"\bask\((?!\s*\")[^)]*", file.read_text())
    ]
    assert computed == [("api.js", "ask(operation, fields = {}, of = book(")]


def test_every_field_that_is_sent_is_one_that_the_operation_has():
    """A misspelt field would be refused when somebody presses the button; here it is found before."""
    sent = [
        (file.name, name, field.partition(":")[0].strip())
        for file in SCRIPTS
        for name, fields in re.findall(r'\bask\(\s*"([^"]*)",\s*\{([^{}]*)\}', file.read_text())
        for field in fields.split(", ")
    ]
    assert len(sent) > 20
    wrong = [one for one in sent if re.fullmatch(r"\w+", one[2]) and one[2] not in field_names(BY_NAME[one[1]])]
    assert wrong == []


def test_every_module_that_is_imported_is_there():
    names = {file.name for file in FILES}
    for file in SCRIPTS:
        assert set(re.findall(r'from "/web/([^"]+)"', file.read_text())) <= names, file.name
