"""What is written into a note is read out of it again, for any memory; what a person wrote there stays, whatever it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from commonplace.formats.vault.frontmatter import fields_of, put, take_apart
from commonplace.formats.vault.keys import HOLDS, ORDER
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.names import _Everything
from commonplace.formats.vault.note import tidy, understand
from commonplace.formats.vault.scalars import inline_list, scalar, written, written_list
from commonplace.formats.vault.scan import is_note
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status
from commonplace.testing.strategies import records, statements, storable, texts

from .vault_shelf import VaultInMemory, known_by

_NAMES = st.text(storable, min_size=1, max_size=60)
_SLUGS = (
    st.sampled_from(["", "a", "con", "x" * 90, "..", "_inbox", "a/b", "plan (1)", "x.excalidraw", "x-HOST", "_index"])
    | _NAMES
)
# `a/b`, `..` and reserved words must not lead anywhere; a kind is what people type.
_KINDS = st.sampled_from(["note", "failure-incident", "idea", "preference", "..", "_inbox", "con", "日本"]) | _NAMES
_any = records(
    slug=_SLUGS,
    kind=_KINDS.filter(lambda kind: kind != "failure-incident"),
    aliases=st.lists(_NAMES, max_size=3, unique=True).map(tuple),
    tags=st.lists(_NAMES, max_size=4, unique=True).map(tuple),
    scope_word=st.none() | st.sampled_from(["user", "workspace"]),
    deleted_at=st.none() | st.just(datetime(2026, 5, 3, 1, 2, 3, 456, tzinfo=UTC)),
    updated_at=st.datetimes(datetime(1000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
)


def _held(record: MemoryRecord, path: str) -> dict[str, Any]:
    """What a note of this memory must say."""
    said = {field: getattr(record, field) for field in HOLDS}
    word = {"user": "global", "workspace": "repo"}.get(record.scope_word or "")
    return said | {
        "content": tidy(record.content),
        "slug": record.slug or path.rsplit("/", 1)[-1][:-3],
        "scope_word": record.scope_word if word == record.scope else None,
        "title": record.title if record.title is None else record.title[:300],
    }


@given(_any)
def test_every_field_that_a_note_holds_comes_back(record: MemoryRecord) -> None:
    """A23, A67, X-11: whatever the text of the fields is."""
    vault = VaultInMemory()
    vault.change(record)
    path = vault.path(record)
    found = vault.found(path)
    assert found is not None
    assert found.fields == _held(record, path)


@given(_any)
def test_no_name_leads_out_of_the_store(record: MemoryRecord) -> None:
    """Rows 45, 46: kinds, projects and slugs are text; folders and files are names."""
    vault = VaultInMemory()
    vault.change(record)
    parts = vault.path(record).split("/")
    assert parts[0] == "Agent"
    assert len(parts) >= 3  # A18: never loose at the store root
    assert all(0 < len(part.encode()) <= 255 and part.isprintable() for part in parts)
    assert not [part for part in parts if part in (".", "..") or part[-1] in " ." or part[0] in " .-"]


@given(_any, _any)
def test_every_note_that_is_written_is_a_note_when_it_is_looked_for(one: MemoryRecord, other: MemoryRecord) -> None:
    """Rows 48, 49: no name of ours is taken for a copy, a dropping, a drawing or something that is made from notes."""
    vault, layout = VaultInMemory(), Layout()
    vault.change(one)
    vault.change(other.with_(id=one.id))
    for path in vault.files:
        folders = path.split("/")[:-1]
        assert is_note(path, _Everything(), layout)
        assert not any(folder.startswith(".") for folder in folders)
        assert not any(layout.is_ignored("/".join(folders[: depth + 1])) for depth in range(len(folders)))


@given(_any, _any, st.sampled_from(Status))
def test_a_changed_memory_is_read_back_from_its_changed_note(
    one: MemoryRecord, other: MemoryRecord, status: Status
) -> None:
    vault = VaultInMemory()
    vault.change(one)
    changed = other.with_(id=one.id, status=status, updated_at=one.updated_at + timedelta(seconds=1))
    if status is Status.DELETED:  # it stays where it is (A30), and so does what its folder says
        own = {"scope", "project_id", "repo_id", "agent_id", "always_load"}
        changed = changed.with_(**{field: getattr(one, field) for field in own})
    vault.change(changed)
    path = vault.path(changed)
    found = vault.found(path)
    assert found is not None
    wanted = _held(changed, path) | ({} if changed.slug else {"slug": found.fields["slug"]})
    assert found.fields == wanted
    assert len(vault.files) == 1


@given(_any)
def test_writing_the_same_again_writes_nothing(record: MemoryRecord) -> None:
    vault = VaultInMemory()
    vault.change(record)
    assert vault.change(record).steps == []


@given(st.text(storable, max_size=40))
def test_any_text_is_one_line_of_yaml_and_comes_back(text: str) -> None:
    line = written(text)
    assert len(line.splitlines()) <= 1
    assert scalar(line) == (text, len(line))


@given(st.lists(st.text(storable, max_size=12), max_size=5))
def test_any_list_is_one_line_of_yaml_and_comes_back(items: list[str]) -> None:
    line = written_list(items)
    assert inline_list(line) == (items, len(line))


# Notes as people, plugins and accidents make them.
_LINES = st.sampled_from([
    "status: active", "status: draft # mine", "tags: [a, b]", "tags:", "  - x", "- y", "# comment", "", "  ", "\tkey: tab",
    "title: 'it''s'", 'title: "a \\" b"', "title: |", "  block text", "&anchor", "*alias", "created: 2026-05-03",
    "created: !!python/object/apply:os.system", "map: {a: [b, {c: d}]}", "key with space: x", '"quoted": y', "kind: fix",
    "kind: note", "updated: 1e3", "always_load: no", "x: [a,", "b]", "status: superseded", "slug: my-note", "::", ": x", "é: ü",
    "supersedes: '[[old]]'", "title: >-", "tags: one, two", "id: 12345",
])  # fmt: skip
_ENDS = st.sampled_from(["\n", "\r\n"])
_BODIES = st.lists(
    st.sampled_from(
        ["# Heading", "text [[link]] #tag", "---", "```", "[[in code]]", "", "- item", "a\u2028b", "status: body"]
    )
    | texts,
    max_size=6,
)


@st.composite
def odd_notes(draw: st.DrawFn) -> str:
    end = draw(_ENDS)
    head = [
        "---",
        *draw(st.lists(_LINES, max_size=10)),
        *draw(st.sampled_from([["---"], ["---"], ["--- "], ["..."], []])),
    ]
    lines = [*(head if draw(st.booleans()) else []), *draw(_BODIES)]
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + end.join(lines) + draw(st.sampled_from(["", end]))


@given(odd_notes())
def test_a_note_taken_apart_is_the_same_note_together(text: str) -> None:
    assert take_apart(text).text == text


@given(odd_notes(), st.sampled_from(["status", "title", "updated", "kind", "always_load"]), st.none() | statements)
def test_setting_one_field_leaves_every_other_byte(text: str, key: str, value: str | None) -> None:
    """Rows 35, 36: unknown fields, comments, order, line ends, odd YAML, the body."""
    block = take_apart(text)
    own = [field for field in fields_of(block) if field.key == key]
    after = put(block, key, None if value is None else written(value), ORDER)
    assert after.body == block.body
    if own:
        first, past = own[-1].first, own[-1].after
        rest = [*block.lines[:first], *block.lines[past:]]
        now = [*after.lines]
        if value is not None:
            del now[first]
        assert now == rest
    elif value is not None and block.tail:
        assert [line for line in after.lines if not line.startswith(f"{key}: ")] == [
            line for line in block.lines if not line.startswith(f"{key}: ")
        ]
        assert len(after.lines) == len(block.lines) + 1
    read = {field.key: field.value for field in fields_of(take_apart(after.text))}
    if value is not None:
        assert read[key] == value
    elif len(own) < 2:
        assert key not in read


@given(odd_notes(), st.sampled_from(["Agent/Memory/fix/n.md", "Daily/n.md", "Agent/Memory/_inbox/n.md"]))
def test_any_text_is_read_without_an_error(text: str, path: str) -> None:
    note = understand(path, text, Layout())
    assert note.block.text == text


@given(odd_notes(), st.sampled_from(["title", "rationale", "summary"]), statements)
def test_changing_one_field_of_a_memory_changes_one_field_of_its_note(text: str, field: str, value: str) -> None:
    path = "Agent/Memory/fix/n.md"
    vault = VaultInMemory({path: text.encode()})
    record = vault.records.get(known_by(path))
    assume(record is not None and getattr(record, field) != value)
    assert record is not None
    before = take_apart(text)
    vault.change(record.with_(**{field: value[:300]}))
    after = take_apart(vault.files[path].decode())
    assert after.body == before.body
    touched = [line for line in after.lines if line not in before.lines]
    assert len(touched) == 1
    assert touched[0].startswith(field)
    found = vault.found(path)
    assert found is not None
    assert found.fields[field] == value[:300]


@given(st.binary(max_size=200))
def test_any_bytes_are_legal(raw: bytes) -> None:
    contents = VaultInMemory().format.read("Notes/x.md", raw)
    assert len(contents.entries) + len(contents.aside) <= 1
    for found in contents.entries:
        found.fields["content"].encode()  # no half characters (row 32)
