"""Who may come in at all: rows 94-97, 100, 102 of the reliability list, on every route there is."""

from __future__ import annotations

import asyncio
import time

import pytest

from commonplace.surfaces.http import requests
from commonplace.surfaces.http.answers import RefusedError
from commonplace.surfaces.http.routes import BY_PATH, OTHERS

PATHS = [
    *BY_PATH,
    "/v1/openapi.json",
    "/metrics",
    "/",
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/mcp",
    "/docs",
    "/../etc/passwd",
    "/health/detail",
]
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE")


@pytest.mark.parametrize("path", PATHS)
def test_every_path_and_method_answers_401_without_a_token(http, path):
    """Row 94: found by enumeration, paths that do not exist too; the same bytes for all."""
    for method in METHODS:
        answer = http(method, path, token=None)
        assert answer.status == 401, (method, path)
        assert answer.headers[b"www-authenticate"] == b"Bearer"
        if method != "HEAD":
            assert answer.body == http("GET", "/nowhere", token=None).body


def test_every_wrong_token_is_answered_with_the_same_bytes(http):
    right = http.secret
    wrong = ["", " ", "x", right[:-1], right + "x", right.upper(), right[1:], "*", "null", "ü" * 30, "a" * 100_000]
    bodies = {http("GET", "/v1/stats", token=None).body}
    for one in wrong:
        raw = (b"authorization", b"Bearer " + one.encode())
        if len(one) > 30_000:
            continue
        answer = http("GET", "/v1/stats", token=None, headers=(raw,))
        assert answer.status == 401
        bodies.add(answer.body)
    for header in (b"Basic " + right.encode(), right.encode(), b"Bearer", b"Token " + right.encode()):
        answer = http("GET", "/v1/stats", token=None, headers=((b"authorization", header),))
        assert answer.status == 401
        bodies.add(answer.body)
    assert len(bodies) == 1


def test_a_token_in_the_query_or_a_cookie_is_no_token(http):
    assert http("GET", "/v1/stats", token=None, query=f"token={http.secret}").status == 401
    assert http("GET", "/v1/stats", token=None, headers=((b"cookie", b"token=" + http.secret.encode()),)).status == 401


def test_a_wrong_token_changes_nothing(http):
    http.post("save", {"content": "One.", "type": "episode"})
    for path in BY_PATH:
        http("POST", path, {"content": "Two.", "type": "episode", "id": "x"}, token=None)
    assert len(http.get("list").json) == 1


def test_a_token_that_is_nearly_right_takes_as_long_as_one_that_is_not(http):
    """Row 94: the comparison's time does not say how near a guess was. The ratio of medians, with room for a busy machine."""
    near, far = http.secret[:-1] + "!", "!" * len(http.secret)

    def taken(token):
        began = time.perf_counter()
        http("GET", "/v1/stats", token=token)
        return time.perf_counter() - began

    times = {"near": [], "far": []}
    for _ in range(60):
        times["near"].append(taken(near))
        times["far"].append(taken(far))
    medians = {name: sorted(many)[30] for name, many in times.items()}
    assert 0.5 < medians["near"] / medians["far"] < 2


def test_health_says_that_it_is_there_and_nothing_else(http):
    """A85."""
    answer = http("GET", "/health", token=None)
    assert (answer.status, answer.json) == (200, {"status": "ok"})
    assert OTHERS["/health"] is None
    assert [path for path, right in OTHERS.items() if right is None] == ["/health"]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"127.0.0.1:7821", 200),
        (b"localhost:7821", 200),
        (b"[::1]:7821", 200),
        (b"evil.example", 403),
        (b"evil.example:7821", 403),
        (b"localhost.evil.example:7821", 403),
        (b"127.0.0.1.nip.io:7821", 403),
        (b"user@127.0.0.1:7821", 403),
        (b"127.0.0.1:7821/path", 403),
        (b"127.0.0.1:7821#x", 403),
        (b"127.0.0.1:80", 403),
        (b"127.0.0.1", 403),
        (b"127.0.0.1:99999", 403),
        (b"127.0.0.1:", 403),
        (b"127.1:7821", 403),
        (b"2130706433:7821", 403),
        (b"0.0.0.0:7821", 403),
        (b"::1:7821", 403),
        (b"LOCALHOST.:7821", 403),
        (b"127.0.0.1:7821\n", 403),
        ("127.0.0.1:７８２１".encode(), 403),
        (b"", 403),
        (None, 400),
    ],
)
def test_only_a_loopback_literal_is_a_host(http, host, status):
    """Row 95."""
    for token in (http.secret, None):
        answer = http("GET", "/v1/stats", host=host, token=token)
        assert answer.status == (401 if status == 200 and token is None else status)
    assert http("GET", "/health", host=host, token=None).status == status


def test_two_hosts_are_none(http):
    assert http("GET", "/v1/stats", headers=((b"host", b"127.0.0.1:7821"),)).status == 400


def test_over_the_socket_a_host_needs_no_port(http):
    assert http("GET", "/v1/stats", host=b"localhost", server=("/run/daemon.sock", None)).status == 200
    assert http("GET", "/v1/stats", host=b"evil.example", server=("/run/daemon.sock", None)).status == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        (b"http://127.0.0.1:7821", 200),
        (b"null", 403),
        (b"", 403),
        (b"http://evil.example", 403),
        (b"https://127.0.0.1:7821", 403),
        (b"http://localhost.evil:7821", 403),
        (b"http://127.0.0.1:7822", 403),
        (b"http://127.0.0.1", 403),
        (b"http://localhost:7821", 403),
        (b"chrome-extension://abcdef", 403),
        (b"http://127.0.0.1:7821.evil.example", 403),
        (b"file://", 403),
    ],
)
def test_a_foreign_origin_is_refused_and_none_is_a_program(http, origin, status):
    """Row 96, A85."""
    headers = () if origin is None else ((b"origin", origin),)
    assert http("GET", "/v1/stats", headers=headers).status == status
    assert http("POST", "/v1/save", {"content": "x", "type": "episode"}, headers=headers).status == status


@pytest.mark.parametrize(
    ("site", "status"), [(b"same-origin", 200), (b"none", 200), (b"cross-site", 403), (b"same-site", 403), (b"", 403)]
)
def test_a_page_of_another_site_is_refused(http, site, status):
    """Row 97."""
    assert http("GET", "/v1/stats", headers=((b"sec-fetch-site", site),)).status == status


@pytest.mark.parametrize(
    "sort",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
        "",
        "*/*",
    ],
)
def test_what_a_form_can_post_is_not_taken(http, sort):
    """Row 97: a JSON body in a form's clothes."""
    assert http("POST", "/v1/save", {"content": "x", "type": "episode"}, sort=sort).status == 415
    assert http.get("list").json == []


def test_a_get_never_has_an_effect(http):
    """Row 97: what writes, or concerns the whole book, is not asked by GET."""
    for path, route in BY_PATH.items():
        if route.operation.writes or route.operation.name in ("index", "doctor", "backup"):
            assert http("GET", path, query="content=x&type=episode&id=x").status == 405
    assert http.get("list").json == []


def test_no_answer_lets_another_origin_read_it(http):
    for answer in (
        http.get("stats"),
        http("OPTIONS", "/v1/save"),
        http("GET", "/nothing"),
        http("GET", "/health"),
        http.get("export"),
    ):
        assert not [name for name in answer.headers if name.startswith(b"access-control-")]
        assert answer.headers[b"x-content-type-options"] == b"nosniff"
        assert answer.headers[b"cache-control"] == b"no-store"
        assert b"default-src 'none'" in answer.headers[b"content-security-policy"]


class TestBodies:
    """Row 100."""

    def test_one_that_says_it_is_too_large_is_not_read(self, http):
        answer = http("POST", "/v1/save", b"{}", headers=((b"content-length", b"1073741824"),))
        assert (answer.status, answer.kind) == (413, "too_large")
        assert answer.headers[b"connection"] == b"close"

    @pytest.mark.parametrize("length", [b"-1", b"1e3", b"9" * 40, b"x", "１".encode()])
    def test_a_length_that_is_none_is_refused(self, http, length):
        assert http("POST", "/v1/save", b"{}", headers=((b"content-length", length),)).status == 413

    def test_one_that_never_ends_is_cut_off(self, http):
        answer = http("POST", "/v1/save", pieces=[b"x" * 1_000_000] * 6)
        assert answer.status == 413

    def test_one_that_does_not_come_in_time_is_given_up(self):
        """200 clients that send a byte a second hold nothing but a connection each."""

        async def never():
            await asyncio.sleep(60)

        async def read():
            async for _ in requests.pieces(never, 100, seconds=0.05):
                pass

        with pytest.raises(RefusedError) as caught:
            asyncio.run(read())
        assert caught.value.status == 408

    def test_one_that_is_cut_off_is_refused(self, http):
        assert http("POST", "/v1/save", pieces=[]).status == 400

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            (b"", 422),
            (b"{", 400),
            (b"[]", 422),
            (b"null", 422),
            (b'"x"', 422),
            (b"\xff\xfe", 400),
            (b'{"content": "x", "content": "y", "type": "episode"}', 400),
            (b'{"content": "x", "type": "episode", "confidence": NaN}', 400),
            (b'{"content": "x", "type": "episode", "confidence": 1e999}', 422),
            (b'{"content": "\\ud800", "type": "episode"}', 422),
            (b'{"content": ' + b"[" * 100_000, 400),
            (b'{"a":' * 5000 + b"1" + b"}" * 5000, 400),
            (b'{"content": "x", "type": "episode", "tags": ' + b"[" + b'"a",' * 9_999 + b'"a"]}', 413),
            (b'{"content": "x", "type": "nonsense"}', 422),
            (b'{"content": 5, "type": "episode"}', 422),
            (b'{"content": "x", "type": "episode", "actor": "operator"}', 422),
        ],
    )
    def test_what_cannot_be_understood_is_an_error_and_no_fault(self, http, body, status):
        answer = http("POST", "/v1/save", body)
        assert answer.status in (status, 422), answer.body
        assert http.get("list").json == []

    def test_headers_beyond_reason_are_refused(self, http):
        many = tuple((b"x-%d" % n, b"y" * 100) for n in range(600))
        assert http("GET", "/v1/stats", headers=many).status == 431

    def test_a_range_means_nothing(self, http):
        http.post("save", {"content": "One.", "type": "episode"})
        ranges = b"bytes=" + b",".join(b"%d-" % n for n in range(4_000))
        assert http("GET", "/v1/list", headers=((b"range", ranges),)).status == 200


def test_a_client_that_asks_too_often_is_told_to_wait(http):
    http.app._meter._rate, http.app._meter._burst = 0.0, 5.0
    statuses = [http.get("stats").status for _ in range(7)]
    assert statuses == [200] * 5 + [429] * 2
    other = http.token("other", "read")
    assert http.get("stats", token=other).status == 200, "another client is not held up"


def test_the_log_holds_no_content_and_no_token(http):
    """Rows 102, 105."""
    http.post("save", {"content": "The purple submarine.", "type": "episode"})
    http.get("search", "query=purple")
    http.get("search", "query=purple", token="cpl_wrong_purple_token")
    http.get("stats", "book=purple")
    http("GET", "/v1/purple")
    assert len(http.log) == 5
    assert "purple" not in str(http.log)
    assert http.secret not in str(http.log)
