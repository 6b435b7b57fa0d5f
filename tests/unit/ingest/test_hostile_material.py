"""Material from anywhere: no reader raises, hangs or loses its place, whatever it is given (rows 27-34, 43, 88)."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.errors import InvalidError
from commonplace.ingest.readers.material import Material
from commonplace.ingest.reading import FORMATS, _understood, read
from commonplace.model.transcript import Transcript

from .test_readers import CHATGPT, CLAUDE, CLAUDE_CODE, CODEX, MESSAGES, OPENCLAW

KNOWN = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "openclaw": OPENCLAW,
    "messages": json.dumps(MESSAGES),
    "chatgpt-export": json.dumps(CHATGPT),
    "claude-export": json.dumps(CLAUDE),
}


def sound(found: Transcript) -> Transcript:
    """Every span is exact and in order, and the text can be kept by any canon."""
    places = [0]
    for piece in found.pieces:
        assert found.body[piece.start : piece.end] == piece.text
        places += (piece.start, piece.end)
    assert places == sorted(places)
    assert "\0" not in found.body
    found.body.encode()
    return found


@pytest.mark.parametrize("format", KNOWN)
class TestEveryKnownFormat:
    def test_cut_off_at_any_byte_is_still_read(self, format: str) -> None:
        raw = KNOWN[format].encode()
        for end in range(1, len(raw), 7):
            sound(read(raw[:end]))

    def test_the_last_line_cut_in_half_is_kept_and_said(self, format: str) -> None:
        if "\n" not in KNOWN[format]:
            found = sound(read(KNOWN[format][:-3]))
            assert found.format in ("text", "markdown")
            return
        found = sound(read(KNOWN[format] + '\n{"type": "us'))
        assert found.format == format
        assert found.body.endswith('{"type": "us')
        assert "not JSON" in (found.note or "")

    def test_with_every_value_of_the_wrong_sort(self, format: str) -> None:
        for odd in (None, 7, -1, 1e308, True, "x", [], {}, [[]], {"a": []}, "\0", "\ud800"):
            lines = [_replaced(json.loads(line), odd) for line in KNOWN[format].split("\n")]
            for wrong in ("\n".join(map(json.dumps, one)) for one in zip(*lines, strict=False)):
                sound(read(wrong if wrong.strip() else "x"))


def _replaced(value: object, odd: object) -> list[object]:
    """The value, each time with another part of it replaced."""
    if isinstance(value, dict):
        return [{**value, key: other} for key, held in value.items() for other in [odd, *_replaced(held, odd)]] or [odd]
    if isinstance(value, list):
        return [
            [*value[:n], other, *value[n + 1 :]]
            for n, held in enumerate(value)
            for other in [odd, *_replaced(held, odd)]
        ]
    return [odd]


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff\xfe\x00",
        b"caf\xe9 and \xff\xff",
        "\ufeffAlice: hi\nBob: ho".encode("utf-8-sig"),
        "Alice: hi\nBob: ho".encode("utf-16"),
        "a\0b",
        "half \ud800 a pair",
        "\x1b[31mred\x1b[0m",
        "null",
        "[]",
        "{}",
        "7",
        '"x"',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"messages": ' + "[" * 5_000 + "]" * 5_000 + "}",
        '{"n": ' + "9" * 5_000 + "}",
        '{"n": NaN}',
        '[{"role": "user", "content": "x", "content": "y"}]',
        '[{"mapping": {"a": {"parent": "b", "message": {}}, "b": {"parent": "a"}}, "current_node": "a"}]',
        '[{"mapping": {"a": {"parent": "a", "message": 7}}, "current_node": "a"}]',
        '[{"chat_messages": [null, 7, {"sender": 3, "content": [{}], "attachments": [7]}]}]',
        '{"type": "session"}\n{"type": "message", "message": {"role": [], "content": {"text": {}}}}',
        "\r\r\n\n\r" * 100,
        "\u202eevil\u202c: x\nB: y",
    ],
    ids=lambda raw: repr(raw)[:24],
)
def test_odd_material_becomes_a_sound_transcript(raw: str | bytes) -> None:
    if not (raw if isinstance(raw, str) else raw.decode("utf-8", "replace")).strip():
        with pytest.raises(InvalidError, match="nothing in it"):
            read(raw)
    else:
        sound(read(raw))


@given(st.text(max_size=400), st.sampled_from([None, "text"]))
def test_any_text_is_understood(text: str, format: str | None) -> None:
    found = sound(read(f"x{text}", format))
    assert found.format in FORMATS


@given(st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8), lambda inner: (
    st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["type", "message", "role", "content", "payload", "mapping", "chat_messages", "sender", "text",
                         "messages", "sessionId", "parent", "current_node", "timestamp", "name"]),
        inner, max_size=5)
), max_leaves=30))  # fmt: skip
def test_any_json_is_understood(value: object) -> None:
    sound(read(json.dumps(value) + " "))
    sound(read(json.dumps({"type": "user", "uuid": "1", "message": value}) + "\n" + json.dumps({"type": "user"})))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "A: " * 300_000,
        "A:\n" * 300_000,
        " " * 500_000 + "x" + " " * 500_000,
        "\n" * 1_000_000 + "x",
        "# " * 500_000,
        "|" * 1_000_000,
        "[2026-01-01T00:00 " * 50_000,
        "{" * 1_000_000,
        "A B C" * 200_000,
        "**" * 500_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_megabyte_of_anything_is_read_in_linear_time(text: str) -> None:
    """Row 88; readers alone, judged by processor time."""
    started = time.process_time()
    assert _understood(Material(text), None)[0].body
    assert time.process_time() - started < 3.0
