"""The file: what is in it, what a change writes, and what no change may touch."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.errors import ConflictError, InvalidError, TooLargeError
from commonplace.formats.jsonl.format import SET_ASIDE, JsonlFormat
from commonplace.formats.jsonl.ids import FILE, HIGHEST
from commonplace.formats.jsonl.left import LEFT
from commonplace.formats.jsonl.lines import line_of
from commonplace.seam.format import Append, Place, Put
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory

from .shelf import MemoryShelf


@pytest.fixture
def shelf() -> MemoryShelf:
    return MemoryShelf()


def _three(shelf: MemoryShelf) -> MemoryShelf:
    for text in ("one", "two", "three"):
        shelf.keep(a_memory(text))
    return shelf


def _ids(shelf: MemoryShelf) -> list[str]:
    return [json.loads(line)["id"] for line in shelf.lines]


# Reading ------------------------------------------------------------------------------------------------------------------


def test_a_folder_without_the_file_has_no_files(tmp_path: Path) -> None:
    assert JsonlFormat().scan(str(tmp_path)) == {}
    assert JsonlFormat().scan(str(tmp_path / "absent")) == {}


def test_the_file_and_nothing_else_is_the_books(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"")
    (tmp_path / "other.jsonl").write_bytes(b"")
    assert [*JsonlFormat().scan(str(tmp_path))] == [FILE]


def test_a_link_in_the_files_place_is_not_followed_but_shown(tmp_path: Path) -> None:
    """Row 44."""
    (tmp_path / "outside.jsonl").write_bytes(b"")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / FILE).symlink_to(tmp_path / "outside.jsonl")
    assert JsonlFormat().scan(str(tmp_path / "book")) == {}
    assert [finding.code for finding in JsonlFormat().findings(str(tmp_path / "book"))] == ["unsafe_path"]


def test_other_versions_and_stand_ins_are_shown_and_left_alone(tmp_path: Path) -> None:
    """Rows 48-50: no second book, nothing deleted."""
    names = [
        FILE, "memories (conflicted copy 2026-11-15 093612).jsonl", "memories.sync-conflict-20261115-093612-ABCDEFG.jsonl",
        "memories (1).jsonl", ".memories.jsonl.icloud", ".memories.jsonl.swp", "memories.jsonl~", "other (1).jsonl", "notes.txt",
    ]  # fmt: skip
    for name in names:
        (tmp_path / name).write_text('{"id":"m-1","text":"x"}\n')
    shown = {finding.where: finding.code for finding in JsonlFormat().findings(str(tmp_path))}
    assert shown == {
        names[1]: "conflict_copy",
        names[2]: "conflict_copy",
        names[3]: "conflict_copy",
        names[4]: "not_downloaded",
    }
    assert [*JsonlFormat().scan(str(tmp_path))] == [FILE]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_odd_lines_are_shown_by_number(tmp_path: Path) -> None:
    """Rows 28-30, 55: also the marks of a merge; the lines of both sides are served."""
    merged = [b"<<<<<<< ours", b'{"id":"m-1","text":"a"}', b"=======", b'{"id":"m-1","text":"b"}', b">>>>>>> theirs"]
    (tmp_path / FILE).write_bytes(b"\n".join(merged))
    shown = [(finding.where, finding.code) for finding in JsonlFormat().findings(str(tmp_path))]
    assert sorted(shown) == [(f"{FILE}:{number}", "not_understood") for number in (1, 2, 3, 5)]
    assert [*JsonlFormat().findings(str(tmp_path / "absent"))] == []


def test_a_file_that_cannot_be_one_of_memories_is_refused_with_the_limit(tmp_path: Path) -> None:
    """Row 43: without reading it."""
    (tmp_path / FILE).touch()
    os.truncate(tmp_path / FILE, 1 << 40)
    with pytest.raises(TooLargeError, match=str(JsonlFormat.largest)):
        JsonlFormat().scan(str(tmp_path))


def test_what_cannot_be_understood_is_named_by_line_and_the_rest_is_served(shelf: MemoryShelf) -> None:
    """G51, rows 28, 29."""
    good = [line_of(f"m-{number}", a_memory(f"text {number}")) for number in (1, 2)]
    contents = shelf.take_in(b"\n".join([good[0], b"null", b"", b"   ", b"garbage", good[1], b""]))
    assert [found.key for found in contents.entries] == ["m-1", "m-2"]
    assert [aside.line for aside in contents.aside] == [2, 5]


def test_of_two_lines_under_one_id_the_last_counts_and_the_other_is_named(shelf: MemoryShelf) -> None:
    """Row 30."""
    lines = [line_of("m-1", a_memory("old")), line_of("m-2", a_memory("other")), line_of("m-1", a_memory("new"))]
    contents = shelf.take_in(b"\n".join(lines))
    assert [(found.key, found.fields["content"]) for found in contents.entries] == [("m-2", "other"), ("m-1", "new")]
    assert [(aside.line, aside.reason[:3]) for aside in contents.aside] == [(1, "m-1")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_marks_and_line_ends_of_any_system_are_read_and_kept(shelf: MemoryShelf, start: bytes, end: bytes) -> None:
    """Row 31: with and without an end of the last line."""
    lines = [line_of(f"m-{number}", a_memory(f"text {number}")) for number in (1, 2, 3)]
    shelf.take_in(start + end.join(lines))
    assert len(shelf.places) == 3
    shelf.keep(shelf.of("m-2").with_(content="changed"))
    assert shelf.files[FILE] == start + end.join([lines[0], lines[1].replace(b"text 2", b"changed"), lines[2]])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_clearly_and_not_written_into(shelf: MemoryShelf, encoding: str) -> None:
    """Row 31."""
    raw = ("\ufeff" + '{"id":"m-1","text":"x"}\n').encode(encoding)
    assert [aside.reason for aside in shelf.take_in(raw).aside] == ["the file is UTF-16; it must be UTF-8"]
    with pytest.raises(ConflictError, match="UTF-16") as refused:
        shelf.keep(a_memory())
    assert "UTF-8" in refused.value.hint


def test_a_line_cut_at_any_byte_costs_only_itself_and_the_next_one_begins_anew() -> None:
    """Row 27."""
    whole, last = line_of("m-1", a_memory("whole")), line_of("m-2", a_memory("the last, cüt"))
    for cut in range(len(last)):
        shelf = MemoryShelf()
        shelf.take_in(whole + b"\n" + last[:cut])
        shelf.keep(a_memory("next"))
        assert shelf.lines[0] == whole.decode()
        assert shelf.files[FILE].startswith(whole + b"\n" + last[:cut])
        assert json.loads(shelf.lines[-1])["text"] == "next"


@given(raw=st.binary(max_size=300))
def test_any_bytes_are_legal_and_survive_every_change(raw: bytes) -> None:
    """R3, R6."""
    shelf = MemoryShelf()
    try:
        shelf.take_in(raw)
        shelf.keep(a_memory("new"))
    except ConflictError:
        return  # UTF-16
    (kept,) = [record for record in shelf.records.values() if record.content == "new"]
    shelf.keep(kept.with_(content="newer"))
    assert shelf.files[FILE].startswith(raw)
    shelf.keep(kept.with_(status="archived"))
    assert shelf.files[FILE].rstrip(b"\n") == raw.rstrip(b"\n")


def test_more_odd_lines_than_anybody_reads_are_counted() -> None:
    """R6."""
    aside = JsonlFormat().read(FILE, b"null\n" * 5_000).aside
    assert len(aside) == 1_001
    assert aside[-1].reason == "4000 more lines cannot be understood"


# Writing ------------------------------------------------------------------------------------------------------------------


def test_a_save_is_one_append(shelf: MemoryShelf) -> None:
    """G13, G20."""
    written = shelf.keep(a_memory("one"))
    assert [type(step) for step in written.steps] == [Append]
    assert written.known[0].place == Place(FILE, "m-1")
    assert shelf.format.names(written.known[0].place) == ("m-1",)


def test_several_saved_together_are_one_append_in_their_order(shelf: MemoryShelf) -> None:
    shelf.keep(*(a_memory(text) for text in "abc"))
    assert [(json.loads(line)["id"], json.loads(line)["text"]) for line in shelf.lines] == [
        ("m-1", "a"), ("m-2", "b"), ("m-3", "c"),
    ]  # fmt: skip
    assert len(shelf.steps) == 1


def test_a_change_rewrites_its_line_and_keeps_every_other_byte(shelf: MemoryShelf) -> None:
    """G-h, rows 27, 28."""
    odd = b'\xff garbage \xfe\n{"id":"m-1","text":"stays", "mine": 1.50}\nnull\n\n{"id":"m-2","text":"old"}\n{"id":"m-9","te'
    shelf.take_in(odd)
    written = shelf.keep(shelf.of("m-2").with_(content="new"))
    assert [type(step) for step in written.steps if step.path == FILE] == [Put]
    assert shelf.files[FILE] == odd.replace(b'"old"', b'"new"')


def test_what_the_line_does_not_hold_changes_nothing_in_the_file(shelf: MemoryShelf) -> None:
    _three(shelf)
    assert shelf.keep(shelf.of("m-2").with_(occurrences=4, trust="operator")).steps == []


def test_a_line_in_a_hand_of_its_own_is_not_made_ours(shelf: MemoryShelf) -> None:
    shelf.take_in(b'{ "id" : "m-7", "text": "in a hand of its own" }')
    assert shelf.keep(shelf.of("m-7").with_(occurrences=4)).steps == []


@pytest.mark.parametrize("status", ["archived", "deleted", "superseded", "contradicted"])
def test_what_is_put_away_leaves_the_file_and_comes_back_under_its_id(shelf: MemoryShelf, status: str) -> None:
    _three(shelf)
    before = shelf.text
    record = shelf.of("m-2")
    assert shelf.keep(record.with_(status=status)).gone == [record.id]
    assert _ids(shelf) == ["m-1", "m-3"]
    shelf.format = JsonlFormat()
    shelf.keep(record)
    assert shelf.text == before
    shelf.format = JsonlFormat()
    shelf.keep(a_memory("four"))
    assert _ids(shelf) == ["m-1", "m-2", "m-3", "m-4"]


def test_a_line_in_a_hand_of_its_own_comes_back_as_it_was(shelf: MemoryShelf) -> None:
    """R3: with its unknown fields, its spaces and its name, but for what was changed meanwhile."""
    theirs = b'{ "text":"by hand", "mood" : 1.50, "id":"own-name" }\n'
    shelf.take_in(theirs)
    memory = shelf.of("own-name")
    shelf.keep(memory.with_(status="archived"))
    assert shelf.files[FILE] == b""
    shelf.keep(memory.with_(content="by another hand"))
    assert shelf.files[FILE] == theirs.replace(b"by hand", b"by another hand")


def test_a_purge_takes_away_what_left_the_file_before(shelf: MemoryShelf) -> None:
    """R12: the line was kept, to come back as it was; that it was there stays known."""
    shelf.take_in(b'{"text":"hushed","mood":"sunny","id":"m-1"}\n')
    memory = shelf.of("m-1")
    shelf.keep(memory.with_(status="archived"), a_memory("another"))
    assert b"hushed" in shelf.files[LEFT]
    shelf.keep(memory.id)
    assert json.loads(shelf.files[LEFT]) == {"id": "m-1", "memory": memory.id}


def test_what_waits_in_the_inbox_is_not_in_the_file_until_it_is_let_in(shelf: MemoryShelf) -> None:
    waiting = a_memory("a guess", status="inbox")
    assert shelf.keep(waiting).steps == []
    shelf.keep(waiting.with_(status="active"))
    assert _ids(shelf) == ["m-1"]


def test_an_edit_changes_only_what_the_line_says_otherwise(shelf: MemoryShelf) -> None:
    """What a line holds only coarsely, the scope of another book's memory and the fraction of a second, is not lost by it."""
    record = a_memory("said", scope="project", project_id="atlas", created_at=EPOCH + timedelta(microseconds=7))
    shelf.keep(record)
    edited = shelf.format.read(FILE, shelf.files[FILE].replace(b"said", b"edited")).entries[0].fields
    assert {name: value for name, value in edited.items() if shelf.format.told(record)[name] != value} == {
        "content": "edited"
    }


def test_replacing_one_by_another_is_one_file_written_once(shelf: MemoryShelf) -> None:
    """G12: a correction is a line gone and a line added."""
    _three(shelf)
    written = shelf.keep(shelf.of("m-2").with_(status="superseded"), a_memory("two, corrected"))
    assert [type(step) for step in written.steps if step.path == FILE] == [Put]
    assert _ids(shelf) == ["m-1", "m-3", "m-4"]


def test_a_purge_leaves_no_trace_of_the_text_also_of_lines_that_never_counted(shelf: MemoryShelf) -> None:
    """G26, X-3."""
    shelf.take_in(b'{"id":"m-1","text":"hushed, older"}\n{"id":"m-2","text":"stays"}\n{"id":"m-1","text":"hushed"}\n')
    shelf.keep(shelf.of("m-1").id)
    assert all(b"hushed" not in content for content in shelf.files.values())
    assert _ids(shelf) == ["m-2"]


def test_a_line_that_never_counted_is_kept_aside_when_its_id_leaves(shelf: MemoryShelf) -> None:
    """R3, row 30: it would otherwise come up in the place of what was put away. A later purge takes it too."""
    older = b'{"id":"m-1","text":"older"}'
    shelf.take_in(older + b'\n{"id":"m-1","text":"newer"}\n')
    memory = shelf.of("m-1")
    shelf.keep(memory.with_(status="archived"))
    assert shelf.files[FILE] == b""
    assert shelf.files[SET_ASIDE] == older + b"\n"
    shelf.keep(memory)
    shelf.keep(memory.id)
    assert shelf.files[SET_ASIDE] == b""


# Ids ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "first"), [(1, "m-1"), (0, "m-0"), (40, "m-40")])
def test_the_first_id_is_one_unless_asked_for_otherwise(start: int, first: str) -> None:
    """G6, G43, G-a."""
    shelf = MemoryShelf(JsonlFormat(id_start=start))
    shelf.keep(a_memory())
    shelf.keep(a_memory())
    assert _ids(shelf) == [first, f"m-{start + 1}"]


@pytest.mark.parametrize("away", [True, False], ids=["put away", "purged"])
def test_an_id_is_never_given_twice(shelf: MemoryShelf, away: bool) -> None:
    """G43, G-a: also not the highest one, also not by another process."""
    _three(shelf)
    for _ in range(2):
        newest = shelf.of(_ids(shelf)[-1])
        shelf.keep(newest.with_(status="deleted") if away else newest.id)
    assert shelf.files[HIGHEST] == b"3\n"
    shelf.format = JsonlFormat()
    shelf.keep(a_memory("four"))
    assert _ids(shelf) == ["m-1", "m-4"]


def test_the_mark_is_written_only_when_it_is_needed(shelf: MemoryShelf) -> None:
    _three(shelf)
    shelf.keep(shelf.of("m-1").id)
    assert HIGHEST not in shelf.files
    shelf.keep(shelf.of("m-2").with_(status="archived"), a_memory("in its place"))
    assert HIGHEST not in shelf.files


def test_the_next_id_is_above_all_that_stand_in_whatever_order_people_put_them(shelf: MemoryShelf) -> None:
    shelf.take_in(b'{"id":"m-9","text":"a"}\n{"id":"own-name","text":"b"}\n{"id":"m-3","text":"c"}\n')
    for format in (shelf.format, JsonlFormat()):
        shelf.format = format
        shelf.keep(a_memory())
    assert _ids(shelf)[-2:] == ["m-10", "m-11"]


def test_the_id_of_a_torn_line_is_not_given_again(shelf: MemoryShelf) -> None:
    """Row 27: somebody may have been told it."""
    shelf.take_in(b'{"id":"m-1","text":"x"}\n{"id":"m-2","text":"cut o')
    shelf.keep(a_memory())
    assert json.loads(shelf.lines[-1])["id"] == "m-3"


def test_an_id_that_a_memory_brings_along_is_kept_where_it_is_free(shelf: MemoryShelf) -> None:
    """X-14: a book that is copied here and back keeps its names."""
    shelf.keep(*(a_memory(f"text {number}", aliases=("note", f"m-{number}")) for number in (7, 3, 5)))
    assert _ids(shelf) == ["m-3", "m-5", "m-7"]
    shelf.keep(a_memory(aliases=("m-5",)), a_memory(aliases=("m-6",)))
    assert _ids(shelf) == ["m-3", "m-5", "m-7", "m-8", "m-9"]


def test_a_line_that_another_process_put_far_away_is_not_met_again(shelf: MemoryShelf) -> None:
    """Two people added lines behind this process's back, the higher id first."""
    _three(shelf)
    shelf.take_in(shelf.files[FILE] + b'{"id":"m-5","text":"x"}\n{"id":"m-4","text":"y"}\n')
    shelf.format = JsonlFormat()
    shelf.format.read(FILE, b"")
    shelf.keep(a_memory("new"))
    assert _ids(shelf)[-1] == "m-6"


def test_ids_without_end_are_refused_rather_than_repeated(shelf: MemoryShelf) -> None:
    shelf.take_in(b'{"id":"m-999999999999999","text":"x"}\n{"id":"m-' + b"9" * 400 + b'","text":"y"}\n')
    with pytest.raises(InvalidError, match="used up"):
        shelf.keep(a_memory())
