"""Every format people have becomes a transcript in which each piece stands where it says."""

from __future__ import annotations

import json

import pytest

from commonplace.errors import InvalidError, TooLargeError
from commonplace.ingest.outline import outline_of, transcript_of
from commonplace.ingest.reading import read
from commonplace.model.source import Source
from commonplace.model.transcript import Transcript
from commonplace.testing.clocks import EPOCH


def jsonl(*lines: object) -> str:
    return "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)


def said(found: Transcript) -> list[tuple[str, str]]:
    """Who said what; and on the way that every piece is where it says."""
    assert all(found.body[piece.start : piece.end] == piece.text for piece in found.pieces)
    return [(str(piece.role), piece.text) for piece in found.pieces]


CLAUDE_CODE = jsonl(
    {"type": "summary", "summary": "Fixing the login", "leafUuid": "u9"},
    {"type": "file-history-snapshot", "snapshot": {}},
    {
        "type": "user", "sessionId": "s", "uuid": "u1", "timestamp": "2026-05-03T10:00:00.000Z",
        "message": {"role": "user", "content": "The login is broken."},
    },
    {
        "type": "assistant", "sessionId": "s", "uuid": "u2", "timestamp": "2026-05-03T10:00:05.000Z",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look first."},
                {"type": "text", "text": "I will look."},
                {"type": "tool_use", "name": "Read", "input": {"path": "login.py"}},
            ],
        },
    },
    {
        "type": "user", "sessionId": "s", "uuid": "u3",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "content": [{"type": "text", "text": "def login(): ..."}]}],
        },
    },
    {
        "type": "user", "sessionId": "s", "uuid": "u4", "isMeta": True,
        "message": {"role": "user", "content": "Caveat: made by the program"},
    },
    {
        "type": "user", "sessionId": "s", "uuid": "u5",
        "message": {"role": "user", "content": "<command-name>/clear</command-name>"},
    },
)  # fmt: skip

CODEX = jsonl(
    {"timestamp": "2026-05-03T10:00:00Z", "type": "session_meta", "payload": {"id": "x", "cwd": "/app"}},
    {
        "timestamp": "2026-05-03T10:00:01Z", "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "<environment_context>cwd</environment_context>"}]},
    },
    {
        "timestamp": "2026-05-03T10:00:02Z", "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run the tests."}]},
    },
    {"timestamp": "2026-05-03T10:00:02Z", "type": "event_msg", "payload": {"type": "user_message", "message": "Run the tests."}},
    {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Plan"}]}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": '{"command":["pytest"]}'}},
    {"type": "response_item", "payload": {"type": "function_call_output", "output": "3 passed"}},
    {
        "timestamp": "2026-05-03T10:00:09Z", "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "All pass."}]},
    },
)  # fmt: skip

CODEX_BEFORE = jsonl(
    {"id": "x", "timestamp": "2025-06-03T10:00:00Z", "instructions": None},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run the tests."}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "All pass."}]},
)

OPENCLAW = jsonl(
    {"type": "session", "version": 3, "id": "b7", "timestamp": "2026-04-08T01:03:43.107Z", "cwd": "/w"},
    {"type": "model_change", "id": "1", "parentId": None, "provider": "p", "modelId": "m"},
    {
        "type": "message", "id": "2", "parentId": "1", "timestamp": "2026-04-08T01:04:00Z",
        "message": {"role": "user", "content": [{"type": "text", "text": "What is the weather?"}]},
    },
    {
        "type": "message", "id": "3", "parentId": "2", "timestamp": "2026-04-08T01:04:01Z",
        "message": {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm"}, {"type": "toolCall", "name": "weather", "arguments": {"at": "here"}}]},
    },
    {"type": "message", "id": "4", "message": {"role": "toolResult", "content": [{"type": "text", "text": "rain"}]}},
    {"type": "message", "id": "5", "message": {"role": "assistant", "content": "It rains."}},
    {"type": "compaction", "id": "6", "summary": "They spoke of rain."},
)  # fmt: skip

MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Look at this."}, {"type": "image_url", "image_url": {}}],
        "name": "Alice",
    },
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "see", "arguments": '{"n":1}'}}]},
    {"role": "tool", "content": "a cat"},
    {"role": "assistant", "content": "It is a cat."},
]

CHATGPT = [
    {
        "title": "Ports", "create_time": 1777802400.5, "current_node": "c",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
            "a": {"message": {"author": {"role": "user"}, "create_time": 1777802401.0,
                              "content": {"content_type": "text", "parts": ["Which port?"]}}, "parent": "root"},
            "other": {"message": {"author": {"role": "assistant"}, "content": {"parts": ["Nine."]}}, "parent": "a"},
            "c": {"message": {"author": {"role": "assistant"}, "content": {"parts": ["Port 8080."]}}, "parent": "a"},
        },
    }
]  # fmt: skip

CLAUDE = [
    {
        "uuid": "u", "name": "Tea", "created_at": "2026-05-03T10:00:00Z",
        "chat_messages": [
            {"sender": "human", "text": "I like tea.", "created_at": "2026-05-03T10:00:01Z",
             "attachments": [{"file_name": "menu.txt", "extracted_content": "Tea 2 euro"}]},
            {"sender": "assistant", "content": [{"type": "text", "text": "Noted."}], "created_at": "2026-05-03T10:00:02Z"},
        ],
    }
]  # fmt: skip


class TestEachFormat:
    def test_claude_code(self) -> None:
        found = read(CLAUDE_CODE)
        assert (found.format, found.title, found.note) == ("claude-code", "Fixing the login", None)
        assert said(found) == [
            ("person", "The login is broken."),
            ("system", "Look first."),
            ("agent", "I will look."),
            ("tool", '{"path":"login.py"}'),
            ("tool", "def login(): ..."),
            ("system", "Caveat: made by the program"),
            ("system", "<command-name>/clear</command-name>"),
        ]
        assert found.observed_at is not None
        assert found.observed_at.isoformat() == "2026-05-03T10:00:00+00:00"
        assert found.body.startswith("User: The login is broken.")

    def test_codex(self) -> None:
        found = read(CODEX)
        assert found.format == "codex"
        assert said(found) == [
            ("system", "<environment_context>cwd</environment_context>"),
            ("person", "Run the tests."),
            ("system", "Plan"),
            ("tool", '{"command":["pytest"]}'),
            ("tool", "3 passed"),
            ("agent", "All pass."),
        ]

    def test_codex_as_it_was_before(self) -> None:
        found = read(CODEX_BEFORE)
        assert (found.format, said(found)) == ("codex", [("person", "Run the tests."), ("agent", "All pass.")])

    def test_openclaw(self) -> None:
        found = read(OPENCLAW)
        assert found.format == "openclaw"
        assert [role for role, _ in said(found)] == ["person", "system", "tool", "tool", "agent", "system"]
        assert found.pieces[0].at is not None

    @pytest.mark.parametrize(
        "form", [MESSAGES, {"messages": MESSAGES, "title": "Cat"}, None], ids=["list", "object", "lines"]
    )
    def test_message_lists(self, form: object) -> None:
        found = read(jsonl(*MESSAGES) if form is None else json.dumps(form))
        assert found.format == "messages"
        assert said(found) == [
            ("system", "Be brief."),
            ("person", "Look at this.\n[image]"),
            ("tool", '{"n":1}'),
            ("tool", "a cat"),
            ("agent", "It is a cat."),
        ]
        assert found.pieces[1].speaker == "Alice"

    def test_chatgpt_follows_the_branch_that_was_last(self) -> None:
        found = read(json.dumps(CHATGPT))
        assert (found.format, found.title) == ("chatgpt-export", "Ports")
        assert said(found) == [("person", "Which port?"), ("agent", "Port 8080.")]
        assert found.pieces[0].at is not None

    def test_claudes_export(self) -> None:
        found = read(json.dumps(CLAUDE))
        assert (found.format, found.title) == ("claude-export", "Tea")
        assert said(found) == [("person", "I like tea."), ("tool", "Tea 2 euro"), ("agent", "Noted.")]

    def test_an_export_of_several_conversations_keeps_their_titles(self) -> None:
        found = read(json.dumps([*CLAUDE, {**CLAUDE[0], "name": "Coffee"}]))
        assert [text for role, text in said(found) if role == "system"] == ["Tea", "Coffee"]

    def test_markdown_is_kept_as_it_is(self) -> None:
        text = "# Notes\n\n- The port is 8080.\n- The host is local."
        found = read(text)
        assert (found.format, found.title, found.body) == ("markdown", "Notes", text)
        assert {role for role, _ in said(found)} == {"document"}

    def test_plain_text_with_speakers_is_a_conversation(self) -> None:
        found = read("[2026-05-03T10:00:00Z] Alice: I like tea.\nGreen tea.\nClaude: Noted.\n**User**: Thanks.")
        assert found.format == "text"
        assert said(found) == [("person", "I like tea.\nGreen tea."), ("agent", "Noted."), ("person", "Thanks.")]
        assert found.observed_at is not None

    @pytest.mark.parametrize(
        "text",
        [
            "Decision: we use SQLite.\nReason: it is local.",
            "Subject: hello\nDate: today",
            "It says: nothing.\nIt was: nothing.",
            "see https://example.org: nice",
            "W @Alice: likes tea\nB @Bob: left",
        ],
    )
    def test_a_label_is_no_speaker(self, text: str) -> None:
        assert {role for role, _ in said(read(text))} == {"document"}

    def test_plain_text_is_kept_as_it_is(self) -> None:
        text = "One paragraph\nof two lines.\n\nAnother."
        assert said(read(text)) == [("document", "One paragraph\nof two lines."), ("document", "Another.")]

    @pytest.mark.parametrize("unknown", ['{"a": 1}', "[1, 2, 3]", '{"x": 1}\n{"y": 2}', '[{"role": "cook"}]'])
    def test_an_unknown_format_is_taken_as_plain_text_and_said_so(self, unknown: str) -> None:
        found = read(unknown)
        assert (found.format, found.body) == ("text", unknown)
        assert "taken as plain text" in (found.note or "")

    def test_a_named_format_is_used_or_refused(self) -> None:
        assert read(CODEX, "text").format == "text"
        with pytest.raises(InvalidError, match="not openclaw"):
            read(CODEX, "openclaw")
        with pytest.raises(InvalidError, match="use one of"):
            read(CODEX, "word")


class TestAnOutline:
    @pytest.mark.parametrize("raw", [CLAUDE_CODE, CODEX, OPENCLAW, json.dumps(CHATGPT), "Alice: hi\nBob: ho"])
    def test_leads_back_to_the_same_pieces(self, raw: str) -> None:
        found = read(raw)
        source = Source(id="s", kind="run", body=found.body, outline=outline_of(found), captured_at=EPOCH)  # type: ignore[arg-type]
        assert transcript_of(source).pieces == found.pieces

    @pytest.mark.parametrize(
        "outline",
        [None, "", "nonsense", "[[1]]", '[["person",0,999999,null,null]]', '[["cook",0,1,null,null]]', "[" * 9999],
    )
    def test_that_cannot_be_read_leaves_plain_text_or_less(self, outline: str | None) -> None:
        source = Source(id="s", kind="run", body="One.\n\nTwo.", outline=outline, captured_at=EPOCH)  # type: ignore[arg-type]
        found = transcript_of(source)
        assert all(found.body[piece.start : piece.end] == piece.text for piece in found.pieces)
        assert {str(piece.role) for piece in found.pieces} <= {"document"}


def test_what_is_too_large_is_refused_before_it_is_read(monkeypatch) -> None:
    monkeypatch.setattr("commonplace.settings.MAX_MATERIAL_BYTES", 1000)
    with pytest.raises(TooLargeError):
        read("x" * 1001)
