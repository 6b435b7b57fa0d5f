"""Reading a digest and a ledger: whatever bytes are there, what can be understood is served and the rest is named."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.formats.ledger.format import LedgerFormat, last_digest
from commonplace.model.hashing import sha256
from commonplace.model.retain_line import understand_line

FORMAT = LedgerFormat()
LINE = '{"ts": "2026-11-15T12:00:00Z", "retain": ["W @Bob: runs the night build."]}\n'


def read(text):
    raw = text if isinstance(text, bytes) else text.encode()
    return FORMAT.read("ledger.jsonl", raw)


def said(contents):
    return [entry.fields["content"] for entry in contents.entries]


class TestTheDigest:
    def test_it_is_one_memory_that_is_always_loaded(self):
        """V1, V16: `digest.md` is UTF-8 text."""
        (entry,) = FORMAT.read("digest.md", "## Stable\n- W Bob ☃\n".encode()).entries
        assert entry.key == ""
        assert entry.fields["content"] == "## Stable\n- W Bob ☃\n"
        assert (entry.fields["kind"], entry.fields["always_load"]) == ("digest", True)
        assert entry.digest == sha256("## Stable\n- W Bob ☃\n".encode())

    @pytest.mark.parametrize("empty", [b"", b"\n", b" \n\t\n"])
    def test_an_empty_page_is_legal_and_no_memory(self, empty):
        """V16."""
        assert FORMAT.read("digest.md", empty) == ((), ())

    def test_a_byte_order_mark_and_carriage_returns_are_no_content(self):
        """Row 31."""
        (entry,) = FORMAT.read("digest.md", b"\xef\xbb\xbfone\r\ntwo\r\n").entries
        assert entry.fields["content"] == "one\ntwo\n"

    def test_a_carriage_return_that_is_not_at_every_line_end_stays(self):
        (entry,) = FORMAT.read("digest.md", b"one\r\ntwo\n").entries
        assert entry.fields["content"] == "one\r\ntwo\n"

    def test_what_is_not_utf8_is_shown_with_marks_and_named(self):
        """Row 32."""
        contents = FORMAT.read("digest.md", b"Caf\xe9\nsecond\n")
        assert contents.entries[0].fields["content"] == "Caf\ufffd\nsecond\n"
        assert contents.aside[0].line == 1

    @pytest.mark.parametrize("raw", ["Zeile".encode("utf-16"), b"a\x00b"])
    def test_utf16_and_nul_are_refused_clearly(self, raw):
        """Rows 31, 33."""
        contents = FORMAT.read("digest.md", raw)
        assert contents.entries == ()
        assert contents.aside


class TestTheLedger:
    def test_each_retained_item_is_a_memory(self):
        """V57: `{ts, digest?, retain?}`; the digest of a line is history, not a memory."""
        contents = read('{"ts": "2026-11-15T12:00:00Z", "digest": "D", "retain": ["W one.", "N two."]}\n')
        assert said(contents) == ["W one.", "N two."]
        assert [entry.fields["kind"] for entry in contents.entries] == ["fact", "open-loop"]
        assert contents.entries[0].fields["created_at"] == datetime(2026, 11, 15, 12, tzinfo=UTC)

    def test_warnings_are_no_memories(self):
        """V-b, V35."""
        assert read('{"ts": "2026-11-15T12:00:00Z", "warning": {"kind": "secret"}}\n') == ([], [])

    def test_keys_stay_when_lines_are_appended(self):
        before = [entry.key for entry in read(LINE).entries]
        after = [entry.key for entry in read(LINE + LINE.replace("Bob", "Ann")).entries]
        assert after[: len(before)] == before

    def test_who_retains_the_same_again_says_it_once_more(self):
        """The words decide where no id is given; their case and spacing do not."""
        contents = read(LINE + LINE.replace("night build", "Night  build"))
        assert len(contents.entries) == 1
        assert contents.entries[0].fields["occurrences"] == 2
        assert contents.entries[0].digest == read(LINE).entries[0].digest, "a repetition is no edit"

    def test_an_id_in_the_line_is_the_identity(self):
        """X-14."""
        (entry,) = read('{"ts": "x", "retain": ["W one."], "ids": ["01K"]}\n').entries
        assert (entry.key, entry.fields["id"]) == ("01K", "01K")

    def test_two_memories_may_say_the_same_if_ids_tell_them_apart(self):
        assert len(read('{"retain": ["W one.", "W one."], "ids": ["01A", "01B"]}\n').entries) == 2

    def test_of_two_lines_with_one_id_the_later_counts(self):
        """Row 30."""
        first, later = '{"retain": ["W one."], "ids": ["01K"]}\n', '{"retain": ["W two."], "ids": ["01K"]}\n'
        assert said(read(first + later)) == ["W two."]

    @pytest.mark.parametrize("ts", ["null", "1731672000", '"yesterday"', '"2026-11-15 12:00"', "[]"])
    def test_a_time_in_another_form_is_left_out_and_the_rest_is_read(self, ts):
        (entry,) = read(f'{{"ts": {ts}, "retain": ["W one."]}}\n').entries
        assert "created_at" not in entry.fields

    @pytest.mark.parametrize(
        "line",
        ['{"retain": "W one."}', '{"retain": [1, null, {}, "", "  "]}', '{"retain": null}', '{"note": "mine"}', "{}"],
    )
    def test_other_shapes_and_other_keys_hold_no_memories_and_are_no_trouble(self, line):
        """V17, V18: others may add what they like."""
        assert read(line + "\n") == ([], [])

    def test_a_text_that_no_book_can_hold_is_passed_over(self):
        """Row 33, and half a surrogate pair."""
        assert said(read('{"retain": ["a\\u0000b", "half \\ud83d.", "W whole \\ud83e\\udd85."]}\n')) == ["W whole 🦅."]


class TestDamage:
    def test_the_last_line_cut_at_every_byte_costs_only_itself(self):
        """Row 27."""
        whole = LINE + LINE.replace("Bob", "Ann ☃")
        raw = whole.encode()
        for cut in range(len(LINE) + 1, len(raw) - 1):
            contents = read(raw[:cut])
            assert said(contents) == ["W @Bob: runs the night build."]
            assert [(aside.line, aside.reason) for aside in contents.aside] == [(2, "torn off")]

    def test_a_last_line_without_its_end_is_read_if_it_is_whole(self):
        """Row 31."""
        assert len(read(LINE.rstrip("\n")).entries) == 1

    def test_garbage_in_the_middle_costs_only_its_line(self):
        """Row 28."""
        contents = read(LINE.encode() + b'{"ts": "2026\xff\xfe {"ts"}\n' + LINE.replace("Bob", "Ann").encode())
        assert len(contents.entries) == 2
        assert [aside.line for aside in contents.aside] == [2]

    @pytest.mark.parametrize(
        "line", ["null", "[]", '"x"', "7", "NaN", '{"a": NaN}', '{"a": 1, "a": 2}', "{", "not json"]
    )
    def test_what_is_no_object_is_named(self, line):
        """Rows 29, 34."""
        contents = read(f"{line}\n{LINE}")
        assert len(contents.entries) == 1
        assert [aside.line for aside in contents.aside] == [1]

    @pytest.mark.parametrize("line", ["", "   ", "\t"])
    def test_blank_lines_are_nothing(self, line):
        """Row 29."""
        assert read(f"{line}\n{LINE}").aside == []

    @pytest.mark.parametrize("line", ["[" * 100_000, '{"a":' * 100_000, '{"a": ' + "9" * 5_000 + "}"])
    def test_what_would_break_a_reader_is_named(self, line):
        """Row 34."""
        contents = read(f"{line}\n{LINE}")
        assert len(contents.entries) == 1
        assert contents.aside

    def test_a_byte_order_mark_carriage_returns_and_utf16(self):
        """Row 31."""
        assert len(read(b"\xef\xbb\xbf" + LINE.replace("\n", "\r\n").encode()).entries) == 1
        assert read(LINE.encode("utf-16")).aside[0].reason.startswith("the file is UTF-16")

    @given(st.binary(max_size=400))
    def test_any_bytes_are_legal(self, raw):
        for path in ("ledger.jsonl", "digest.md"):
            for entry in FORMAT.read(path, raw).entries:
                assert entry.fields["content"].strip()

    @given(st.lists(st.text(min_size=1).filter(lambda text: text.strip() and "\0" not in text), max_size=5))
    def test_any_text_comes_back_word_for_word(self, texts):
        """V43: the words are the memory."""
        line = json.dumps({"retain": texts, "ids": [f"id{at}" for at in range(len(texts))]})
        assert said(read(line + "\n")) == texts


class TestRetainLines:
    @pytest.mark.parametrize(
        ("line", "kind", "confidence", "entities"),
        [
            ("W @Bob: runs the build.", "fact", None, ("bob",)),
            ("B We moved @Atlas to Friday.", "event", None, ("atlas",)),
            ("O(c=0.95) @Peter: Prefers concise replies.", "opinion", 0.95, ("peter",)),
            ("O Likes tea.", "opinion", None, ()),
            ("N @Peter, @ann: keep it short.", "open-loop", None, ("peter", "ann")),
            ("- W in a list.", "fact", None, ()),
            ("Water boils.", "fact", None, ()),
            ("O(c=1.5) far too sure.", "opinion", None, ()),
            ("Ask bob@example.org about it.", "fact", None, ()),
        ],
    )
    def test_prefix_confidence_and_entities_are_read(self, line, kind, confidence, entities):
        """V43, X-15: confidence may be missing."""
        understood = understand_line(line)
        assert (understood.kind, understood.confidence, understood.entities) == (kind, confidence, entities)

    @pytest.mark.parametrize(
        "line", ["O(c=" + "1" * 500_000, "O(c=" + " " * 500_000, "@" * 500_000, "W " + "@a/" * 200_000, " " * 500_000]
    )
    def test_no_line_takes_long_to_read(self, line):
        """R6: whoever can append to the file must not be able to hold its readers up."""
        began = time.perf_counter()
        understand_line(line)
        assert time.perf_counter() - began < 2


class TestTheFolder:
    def test_only_the_digest_the_ledger_and_its_pieces_hold_memories(self, tmp_path):
        """V16, V18: `meta.json`, a lock, derived views and other people's files hold none."""
        here = ["digest.md", "ledger.jsonl", "ledger-2026-10.jsonl", "ledger.1.jsonl"]
        others = [
            "meta.json",
            "lock",
            "ledger (conflicted copy).jsonl",
            "ledger.jsonl~",
            "notes.md",
            "ledger.sync-conflict-1.jsonl",
        ]
        for name in (*here, *others):
            (tmp_path / name).write_text("{}")
        (tmp_path / "journal").mkdir()
        (tmp_path / "journal" / "2026-11-15.md").write_text("derived")
        assert sorted(FORMAT.scan(str(tmp_path))) == sorted(here)

    def test_a_link_is_not_followed(self, tmp_path):
        (tmp_path / "elsewhere.md").write_text("private")
        (tmp_path / "digest.md").symlink_to(tmp_path / "elsewhere.md")
        assert FORMAT.scan(str(tmp_path)) == {}
        assert [finding.code for finding in FORMAT.findings(str(tmp_path))] == ["unsafe_path"]

    def test_a_folder_that_is_not_there_has_no_files(self, tmp_path):
        assert FORMAT.scan(str(tmp_path / "nowhere")) == {}

    def test_the_last_digest_that_a_ledger_tells_of(self):
        assert last_digest(b'{"digest": "a"}\n{"retain": ["x"]}\n{"digest": "b"}\n{"torn') == "b"
        assert last_digest(b'{"digest": "a"}\n{"digest": ""}\n') == ""
        assert last_digest(b"") is None

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("digest (conflicted copy 2026-11-15).md", "conflict_copy"),
            ("ledger.sync-conflict-20261115-120000-ABCDEFG.jsonl", "conflict_copy"),
            (".digest.md.icloud", "not_downloaded"),
        ],
    )
    def test_what_a_sync_client_left_is_shown_and_not_read(self, tmp_path, name, code):
        (tmp_path / "digest.md").write_text("D\n")
        (tmp_path / "ledger.jsonl").write_text(LINE)
        (tmp_path / name).write_text(LINE)
        assert [finding.code for finding in FORMAT.findings(str(tmp_path))] == [code]
        assert sorted(FORMAT.scan(str(tmp_path))) == ["digest.md", "ledger.jsonl"]

    def test_an_unresolved_merge_in_the_digest_is_shown(self, tmp_path):
        (tmp_path / "digest.md").write_text("one\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
        (finding,) = FORMAT.findings(str(tmp_path))
        assert (finding.code, finding.where) == ("merge_conflict", "digest.md:2")
