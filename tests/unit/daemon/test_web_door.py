"""The inspector's pages on the daemon: files without data, under the same checks, with their own policy (rows 94-97, 107)."""

from __future__ import annotations

from commonplace.surfaces.web.serve import pages


def test_every_page_is_served_with_a_policy_that_lets_nothing_foreign_run(http):
    assert "/web/" in pages()
    for path, page in pages().items():
        answer = http("GET", path, token=None)
        assert (answer.status, answer.body) == (200, page.body)
        policy = answer.headers[b"content-security-policy"]
        assert b"default-src 'none'" in policy
        assert b"script-src 'self'" in policy
        assert b"unsafe" not in policy
        assert answer.headers[b"x-content-type-options"] == b"nosniff"
        assert http("GET", path, token=None, headers=((b"if-none-match", page.etag),)).status == 304
        assert http("GET", path, token=None, host=b"evil.example:7821").status == 403
        assert http("GET", path, token=None, headers=((b"origin", b"http://evil.example"),)).status == 403


def test_what_is_no_page_is_answered_like_any_other_path(http):
    nowhere = http("GET", "/nowhere", token=None)
    for path in (
        "/web",
        "/web/../book.sqlite",
        "/web/%2e%2e/x",
        "/web/nothing.js",
        "/web/serve.py",
        "/web//",
        "/web/pages/index.html",
    ):
        answer = http("GET", path, token=None)
        assert (answer.status, answer.body) == (401, nowhere.body), path
    assert http("POST", "/web/", {}, token=None).status == 401
