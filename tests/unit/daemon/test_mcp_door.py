"""MCP on the daemon: behind the same checks and tokens as everything else (A28, row 101)."""

from __future__ import annotations

import pytest


def call(http, method, params=None, *, id=1, **options):
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
    return http("POST", "/mcp", message, **options)


def use(http, tool, token="", **arguments):
    return call(http, "tools/call", {"name": tool, "arguments": arguments}, token=token).json["result"]


def test_it_needs_a_token_as_everything_does(http):
    assert http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, token=None).status == 401
    assert call(http, "ping", host=b"evil.example").status == 403
    assert call(http, "ping", headers=((b"origin", b"http://evil.example"),)).status == 403
    assert call(http, "ping").json == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_tool_writes_as_the_tokens_actor_and_what_it_wrote_is_found(http):
    token = http.token("claude", "write")
    names = [tool["name"] for tool in call(http, "tools/list", token=token).json["result"]["tools"]]
    assert sorted(names) == ["memory_append", "memory_forget", "memory_recall", "memory_search"]
    said = use(http, "memory_append", token, content="Alice ships on Tuesdays.", kind="workflow")
    assert not said.get("isError"), said
    (saved,) = http.get("list", "statuses=all").json
    assert saved["content"] == "Alice ships on Tuesdays."
    assert saved["trust"] == "agent"
    assert http.get("history", f"id={saved['id']}").json[0]["surface"] == "mcp"


def test_a_token_that_may_only_read_is_told_so_by_the_tool(http):
    said = use(http, "memory_append", http.token("reader", "read"), content="x", kind="workflow")
    assert said["isError"]
    assert http.get("list", "statuses=all").json == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "1.0"}', b'{"jsonrpc": "2.0", "id": {}}'])
def test_nonsense_is_an_error_of_the_protocol_and_no_fault(http, body):
    """Row 101."""
    assert http("POST", "/mcp", body).status < 500
    assert http("GET", "/mcp").status == 405
    assert http("DELETE", "/mcp").status == 405
