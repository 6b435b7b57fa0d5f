"""A line holds an id, a scope, a text, tags and a time; what is not such a line is named and left alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.formats.jsonl.lines import MAX_LINE_BYTES, Odd, changed, entry_of, line_of, number_of, word_of
from commonplace.model.words import Scope
from commonplace.testing.makers import a_memory

SEED = [
    f'{{"id":"{id}","scope":"{scope}","text":"{text}","tags":[{tags}],"ts":"2026-02-26T12:{minute}:00Z"}}'
    for id, scope, text, tags, minute in (
        ("m-1", "user", "User prefers Python over JavaScript", '"preference"', "00"),
        ("m-2", "workspace", "Project uses PostgreSQL 16 on port 5432", '"infra"', "05"),
        ("m-3", "workspace", "Deploy target is AWS us-east-1", '"infra","deploy"', "10"),
    )
]


@pytest.mark.parametrize("line", SEED)
def test_the_lines_of_the_specification_are_read_and_written_to_the_byte(line: str) -> None:
    """G3, G6-G8, G10, G11."""
    entry = entry_of(line.encode())
    assert line_of(entry.key, a_memory(**entry.fields)) == line.encode()


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip))
def test_any_text_stands_on_one_line_and_comes_back(text: str) -> None:
    """Also of many lines, of more than 500 characters, with quotes, separators and letters of any language (G7)."""
    line = line_of("m-1", a_memory(text))
    assert len(line.splitlines()) == 1
    assert entry_of(line).text == text


def test_long_texts_are_held_whole() -> None:
    """The limit of 500 characters is the tool's, not the file's."""
    assert entry_of(line_of("m-1", a_memory("word " * 10_000))).text == "word " * 10_000


def test_the_time_is_written_in_utc_to_the_second() -> None:
    """G11."""
    moment = datetime(2026, 2, 26, 12, 0, 0, 987_654, tzinfo=UTC)
    assert json.loads(line_of("m-1", a_memory(created_at=moment)))["ts"] == "2026-02-26T12:00:00Z"


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("2026-02-26T12:00:00Z", datetime(2026, 2, 26, 12, tzinfo=UTC)),
        ("2026-02-26T12:00:00.25+02:00", datetime(2026, 2, 26, 10, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-02-26T12:00:00", datetime(2026, 2, 26, 12, tzinfo=UTC)),
        ("2026-02-30T12:00:00Z", None),
        ("10000-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        (1_772_107_200, None),
        (None, None),
    ],
)
def test_a_time_that_is_none_does_not_cost_the_memory(told: object, meant: datetime | None) -> None:
    """Row 72."""
    entry = entry_of(json.dumps({"id": "m-1", "text": "x", "ts": told}).encode())
    assert entry.at == meant
    assert ("created_at" in entry.fields) == (meant is not None)


@pytest.mark.parametrize(
    ("word", "scope", "owner"),
    [
        ("user", Scope.GLOBAL, None),
        ("workspace", Scope.REPO, "workspace"),
        ("session", Scope.SESSION, None),
        ("team", Scope.REPO, "workspace"),
    ],
)
def test_the_scope_is_kept_in_its_own_word_beside_ours(word: str, scope: Scope, owner: str | None) -> None:
    """G8, G45, X-11."""
    fields = entry_of(json.dumps({"id": "m-1", "text": "x", "scope": word}).encode()).fields
    assert (fields["scope"], fields["scope_word"], fields.get("repo_id")) == (scope, word, owner)
    assert word_of(a_memory(**fields)) == word


def test_without_a_scope_it_is_the_workspaces() -> None:
    """G8."""
    assert entry_of(b'{"id":"m-1","text":"x"}').scope == "workspace"


@pytest.mark.parametrize(
    ("scope", "word", "written"),
    [("global", None, "user"), ("project", None, "workspace"), ("agent", None, "workspace"), ("repo", "path", "workspace"),
     ("global", "workspace", "user"), ("session", None, "session")],
)  # fmt: skip
def test_scopes_of_other_books_are_written_in_this_formats_words(scope: str, word: str | None, written: str) -> None:
    """X-11."""
    record = a_memory(scope=scope, scope_word=word, project_id="p", repo_id="r", agent_id="a")
    assert word_of(record) == written


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"null", "no JSON object"),
        (b"[]", "no JSON object"),
        (b'"x"', "no JSON object"),
        (b"7", "no JSON object"),
        (b'{"id":"m-1","text":"cut o', "not JSON"),
        (b'{"id":"m-1","text":"a"}{"id":"m-2","text":"b"}', "not JSON"),
        (b'{"id":"m-1","text":"x","n":NaN}', "NaN is no JSON"),
        (b'{"id":"m-1","text":"x","n":-Infinity}', "-Infinity is no JSON"),
        (b'{"id":"m-1","text":"x","n":%s}' % (b"9" * 5_000), "not JSON"),
        (b'{"id":"m-1","text":"x","text":"y"}', "names a field twice"),
        (b'{"id":"m-1","text":"x","deep":%s%s}' % (b"[" * 100_000, b"]" * 100_000), "nested too deeply"),
        (b'{"text":"no id"}', "no id"),
        (b'{"id":7,"text":"x"}', "no id"),
        (b'{"id":"m-1"}', "no text"),
        (b'{"id":"m-1","text":" \\n"}', "no text"),
        (b'{"id":"m-1","text":["x"]}', "no text"),
        (b'{"id":"m-1","text":"a\\u0000b"}', "NUL"),
        (b'{"id":"m-1","text":"a\\ud800b"}', "surrogate"),
        (b'{"id":"m-1","text":"caf\xe9"}', "not UTF-8"),
        (b'{"id":"m-1","text":"%s"}' % (b"x" * 600_000), "longer than"),
        (b"x" * (MAX_LINE_BYTES + 1), "longer than"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_is_no_entry_is_named(line: bytes, reason: str) -> None:
    """Rows 28, 29, 32, 33, 34, 43."""
    with pytest.raises(Odd, match=reason):
        entry_of(line)


def test_odd_tags_do_not_cost_the_memory() -> None:
    """G10, G45."""
    told = [
        (None, ()),
        ("infra", ("infra",)),
        (["a", 7, None, " ", "b"], ("a", "b")),
        ({}, ()),
        (["t"] * 40, ("t",) * 32),
    ]
    for tags, meant in told:
        assert entry_of(json.dumps({"id": "m-1", "text": "x", "tags": tags}).encode()).tags == meant


def test_a_changed_line_keeps_every_other_byte() -> None:
    """G-h: unknown fields, spaces, the order of the keys, the way a number is written."""
    line = b'{ "ts" : "2026-02-26T12:00:00Z", "weight": 1.10, "text" :"old", "id":"m-1", "own": {"text": "stays"} }'
    record = a_memory(**{**entry_of(line).fields, "content": 'new "text"', "tags": ("infra",)})
    assert changed(line, record) == (
        b'{ "ts" : "2026-02-26T12:00:00Z", "weight": 1.10, "text" :"new \\"text\\"", "id":"m-1", "own": {"text": "stays"} '
        b',"tags":["infra"]}'
    )


def test_a_line_that_says_it_already_stays_as_it_is() -> None:
    line = b'{"text":"caf\\u00e9", "id":"m-1","tags":[],"scope":"team","ts":"2026-02-26T12:00:00.5+00:00"}'
    assert changed(line, a_memory(**entry_of(line).fields)) == line


def test_only_ids_of_our_own_making_have_a_number() -> None:
    keys = {
        "m-0": 0,
        "m-41": 41,
        "m-007": 7,
        "m-": None,
        "m--1": None,
        "note": None,
        "m-1x": None,
        "m-" + "9" * 16: None,
    }
    assert {key: number_of(key) for key in keys} == keys
