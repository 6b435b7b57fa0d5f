"""What an agent sends is read for the few texts that are wanted; nothing in it is believed, and nothing in it can hurt (A75)."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.surfaces.hooks.hosts import HOSTS, MOMENTS, host_of, text_at
from commonplace.surfaces.hooks.payload import MAX_BYTES, Payload, Skip, session_of, understood
from commonplace.surfaces.hooks.program import BUDGETS, Asked, in_its_form

PAYLOADS: dict[str, dict[str, Any]] = {
    "claude-code": {
        "session_id": "5f0c3b7e-aaaa-4c11-9d53-0d5c1f2b3a4d",
        "transcript_path": "/home/alice/.claude/projects/-home-alice-atlas/5f0c.jsonl",
        "cwd": "/",
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "When do we ship?",
    },
    "codex": {
        "session_id": "0199-codex",
        "turn_id": "t-1",
        "transcript_path": "/home/alice/.codex/sessions/2026/11/rollout.jsonl",
        "cwd": "/",
        "model": "gpt-5-codex",
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "When do we ship?",
    },
    "gemini": {
        "session_id": "gem-1",
        "transcript_path": "/home/alice/.gemini/tmp/abc/chats/session.json",
        "cwd": "/",
        "hook_event_name": "BeforeAgent",
        "timestamp": "2026-11-15T10:00:00Z",
        "prompt": "When do we ship?",
    },
    "cursor": {
        "conversation_id": "conv-1",
        "generation_id": "gen-1",
        "model": "auto",
        "hook_event_name": "beforeSubmitPrompt",
        "cursor_version": "2.4.0",
        "workspace_roots": ["/"],
        "transcript_path": None,
        "prompt": "When do we ship?",
        "attachments": [],
    },
    "openclaw": {
        "sessionKey": "agent:main:main",
        "sessionId": "claw-1",
        "workspaceDir": "/",
        "sessionFile": "/home/alice/.openclaw/agents/main/sessions/claw-1.jsonl",
        "prompt": "When do we ship?",
    },
}


@pytest.mark.parametrize("name", HOSTS)
def test_each_agents_payload_is_known_without_being_named_and_its_fields_are_found(name: str) -> None:
    payload = understood(json.dumps(PAYLOADS[name]).encode(), None)
    assert payload.host.name == name
    assert payload.session in (PAYLOADS[name].get("session_id"), "conv-1", "claw-1")
    assert (payload.cwd, payload.question) == ("/", "When do we ship?")
    assert (payload.transcript is None) == (name == "cursor")


def test_the_name_on_the_command_line_goes_before_the_guess() -> None:
    assert host_of(PAYLOADS["claude-code"], "gemini").name == "gemini"
    assert host_of(PAYLOADS["codex"], "no such agent").name == "codex"


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "no payload"),
        (b" \n", "no payload"),
        (b"hello", "not JSON"),
        (b'{"prompt": ', "not JSON"),
        (b'{"prompt": "\xff\xfe"}', "not JSON"),
        (b"[" * 5_000, "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b'"prompt"', "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'{"prompt": "' + b"a" * MAX_BYTES + b'"}', "larger than a megabyte"),
    ],
)
def test_what_is_no_payload_is_a_reason_to_do_nothing(raw: bytes, why: str) -> None:
    with pytest.raises(Skip, match=why):
        understood(raw, None)


def test_a_byte_order_mark_and_unknown_fields_are_passed_over() -> None:
    raw = b"\xef\xbb\xbf" + json.dumps({**PAYLOADS["codex"], "new_field": {"deep": [1]}}).encode()
    assert understood(raw, None).question == "When do we ship?"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_FIELDS = sorted({field for payload in PAYLOADS.values() for field in payload} | {"context", "source", "trigger"})


@given(st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=8), st.sampled_from([None, *HOSTS]))
def test_fields_of_any_type_are_understood_or_passed_over(given_: dict[str, Any], named: str | None) -> None:
    raw = json.dumps(given_).encode()
    try:
        payload = understood(raw, named)
    except Skip:
        return
    for found in (payload.session, payload.cwd, payload.prompt, payload.transcript):
        assert found is None or isinstance(found, str)
    assert payload.session is None or ("/" not in payload.session and "\0" not in payload.session)


@given(st.binary(max_size=300), st.sampled_from([None, *HOSTS]))
def test_any_bytes_are_a_payload_or_a_reason(raw: bytes, named: str | None) -> None:
    with suppress(Skip):
        assert understood(raw, named).host.name in HOSTS


@given(st.text(min_size=1, max_size=300))
def test_a_sessions_name_is_always_a_safe_name_for_a_file(given_: str) -> None:
    name = session_of(given_)
    assert name
    assert len(name) <= 100
    assert not name.startswith((".", "-"))
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


def test_two_odd_sessions_keep_two_names() -> None:
    assert session_of("../../etc/passwd") != session_of("../../etc/shadow")
    assert session_of("5f0c3b7e-aaaa") == "5f0c3b7e-aaaa"


def test_a_folder_that_is_not_there_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for cwd in ("/no/such/folder", "relative", "", 7, None, "/\0"):
        assert Payload(HOSTS["claude-code"], {"cwd": cwd}).cwd == str(tmp_path)


def test_a_very_long_prompt_is_looked_for_by_its_beginning_and_its_end() -> None:
    payload = Payload(HOSTS["codex"], {"prompt": "Begin. " + "x" * 500_000 + " End?"})
    assert len(payload.question) < 4_100
    assert payload.question.startswith("Begin.")
    assert payload.question.endswith("End?")


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("/clear", ""),
        ("/review the deploy script", "the deploy script"),
        ("/team:plan  ship it", "ship it"),
        ("/home/alice/x.py fails, why?", "/home/alice/x.py fails, why?"),
        ("  When do we ship? ", "When do we ship?"),
        ("/", ""),
        (" ", ""),
    ],
)
def test_a_command_of_the_agent_is_not_looked_for_and_what_follows_it_is(prompt: str, question: str) -> None:
    assert Payload(HOSTS["claude-code"], {"prompt": prompt}).question == question


@given(_JSON)
def test_a_path_into_anything_finds_a_text_or_nothing(inside: object) -> None:
    found = text_at(inside, ("a.b", "workspace_roots.0", "prompt", "0.1"))
    assert found is None or isinstance(found, str)


@given(st.lists(st.text(max_size=20), max_size=8))
def test_no_word_on_the_command_line_is_refused(words: list[str]) -> None:
    asked = Asked(["hook", *words])
    assert 0.0 <= asked.seconds <= 600.0


def test_options_are_understood_in_any_order_and_form() -> None:
    for words in (
        ["-b", "sqlite:x", "hook", "prompt", "--host", "codex", "--within=2"],
        ["hook", "--host=codex", "prompt", "--book=sqlite:x", "--within", "2"],
    ):
        asked = Asked(words)
        assert (asked.moment, asked.host, asked.book, asked.seconds) == ("prompt", "codex", "sqlite:x", 2.0)


def test_the_budgets_are_those_of_the_requirements() -> None:
    """A41: 500 ms at a session's start; A42: 300 ms with a prompt; A75: the agent waits five seconds."""
    assert (BUDGETS["session-start"], BUDGETS["prompt"]) == (0.5, 0.3)
    assert max(BUDGETS[moment] for moment in MOMENTS) < 5
    assert Asked(["hook", "prompt", "--within", "soon"]).seconds == 0.3


@pytest.mark.parametrize("name", ["claude-code", "codex", "openclaw"])
def test_agents_that_take_plain_text_get_it(name: str) -> None:
    assert in_its_form("<memory>", "prompt", HOSTS[name]) == "<memory>\n"
    assert in_its_form("", "prompt", HOSTS[name]) == ""


def test_gemini_gets_json_and_nothing_but_json() -> None:
    said = json.loads(in_its_form("a\nb", "prompt", HOSTS["gemini"]))
    assert said == {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "a\nb"}}
    assert json.loads(in_its_form("", "session-end", HOSTS["gemini"])) == {}


def test_cursor_gets_json_that_never_stops_a_prompt() -> None:
    assert json.loads(in_its_form("x", "session-start", HOSTS["cursor"])) == {"additional_context": "x"}
    assert json.loads(in_its_form("", "prompt", HOSTS["cursor"])) == {"continue": True}
