"""Export and import: everything goes out, everything comes back, and a bad line takes no good one with it (rfc 55)."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

import apsw
import pytest

from commonplace import settings
from commonplace.errors import CommonplaceError, ConflictError, CorruptError, InvalidError, UnavailableError

MOMENT = "2026-05-03T12:00:00Z"


@pytest.fixture
def full(book):
    """A book with every sort of thing in it."""
    one = book.save("The port is 8080.", type="project", project_id="shop", title="Port", tags=["net"], aliases=["m-1"])
    two = book.save("The port is 9090.", type="episode", confidence=0.3, observed_at=MOMENT, anchors=["commit:1"])
    book.contradict(one.id, two.id)
    book.link(two.id, one.id, "derived_from", evidence_ref="log/7")
    gone = book.save("Call Bob on Tuesday.", type="episode")
    book.evolve(gone.id, "Call Bob on Friday.", reason="he is away")
    book.save("We use SQLite.", type="decision")
    book.forget(two.id, reason="old")
    purged = book.save("To be purged.", type="episode")
    book.purge(purged.id)
    return book


@pytest.fixture
def exported(full, tmp_path):
    full.export(str(tmp_path / "x.jsonl"))
    return tmp_path / "x.jsonl"


@pytest.fixture
def other(open_book, tmp_path):
    return open_book(at=tmp_path / "other.sqlite")


def lines_of(file):
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def write(file, lines):
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return str(file)


class TestTheFile:
    def test_it_begins_with_a_manifest_and_ends_with_its_own_proof(self, full, exported):
        lines = lines_of(exported)
        assert lines[0]["manifest"]["format"] == "commonplace-export"
        assert (lines[0]["manifest"]["version"], lines[0]["manifest"]["book_id"]) == (1, full.id)
        body = exported.read_bytes().rpartition(b'{"end"')[0]
        assert lines[-1]["end"] == {"lines": len(lines) - 1, "sha256": sha256(body).hexdigest()}

    def test_the_report_counts_what_is_in_it(self, full, tmp_path):
        report = full.export(str(tmp_path / "again.jsonl"))
        kinds = [next(iter(line)) for line in lines_of(tmp_path / "again.jsonl")]
        assert report.lines == len(kinds)
        assert report.counts == {kind: kinds.count(kind) for kind in {*kinds} - {"manifest", "end"}}

    def test_everything_a_line_refers_to_stands_before_it(self, exported):
        kinds = [next(iter(line)) for line in lines_of(exported)]
        order = ["manifest", "journal", "tombstone", "source", "event", "memory", "link", "conflict", "end"]
        assert kinds == sorted(kinds, key=order.index)

    def test_what_is_damaged_and_left_out_is_said_and_comes_back_from_the_journal(
        self, full, open_book, tmp_path, path
    ):
        """R3, R7: a row that a failing disk changed is not written down; whoever keeps the file must know."""
        before = full.list(statuses="all", limit=1000)
        full.close()
        db = apsw.Connection(str(path))
        db.execute("UPDATE memories SET content = 'x' WHERE id = ?", (before[0].id,))
        db.execute("UPDATE memory_links SET relation = 'x' WHERE id = (SELECT min(id) FROM memory_links)")
        db.close()
        report = open_book().export(str(tmp_path / "damaged.jsonl"))
        assert [finding.code for finding in report.findings] == ["unreadable", "unreadable"]
        assert all(finding.message.startswith("1 of sort") and finding.hint for finding in report.findings)
        other = open_book(at=tmp_path / "new.sqlite")
        other.import_(str(tmp_path / "damaged.jsonl"))
        assert other.list(statuses="all", limit=1000) == before
        assert other.verify().ok

    def test_a_backup_with_a_damaged_memory_is_not_called_verified(self, full, open_book, tmp_path, path):
        """Row 133: a copy of damage is found out when it is made, not when it is needed."""
        full.close()
        db = apsw.Connection(str(path))
        db.execute("UPDATE memories SET content = 'x' WHERE n = 1")
        db.close()
        with pytest.raises(CorruptError, match="1 of sort memory") as refused:
            open_book().backup(str(tmp_path / "copy.sqlite"))
        assert refused.value.hint

    def test_two_exports_differ_only_in_their_manifest(self, full, exported, tmp_path):
        full.export(str(tmp_path / "again.jsonl"))
        assert lines_of(exported)[1:-1] == lines_of(tmp_path / "again.jsonl")[1:-1]

    def test_an_existing_file_is_never_replaced(self, full, exported):
        before = exported.read_bytes()
        with pytest.raises(ConflictError):
            full.export(str(exported))
        assert exported.read_bytes() == before

    @pytest.mark.parametrize("target", ["no/such/folder/x.jsonl", "."])
    def test_a_place_that_cannot_be_written_is_said(self, full, tmp_path, target):
        with pytest.raises(CommonplaceError) as refused:
            full.export(str(tmp_path / target))
        assert refused.value.hint

    def test_it_is_the_users_alone(self, exported):
        assert exported.stat().st_mode & 0o777 == 0o600

    def test_no_half_file_is_left_when_it_fails(self, full, tmp_path):
        def stop(*_):
            raise KeyboardInterrupt

        for n in range(600):
            full.save(f"Number {n}.", type="episode")
        with pytest.raises(KeyboardInterrupt):
            full.export(str(tmp_path / "half.jsonl"), progress=stop)
        assert not [file for file in tmp_path.iterdir() if "half" in file.name]


class TestIntoAnEmptyBook:
    """The export is adopted: journal and all."""

    def test_nothing_is_lost_on_the_way(self, full, other, exported, everything):
        report = other.import_(str(exported))
        assert (report.complete, report.kept_aside) == (True, ())
        assert everything(other) == everything(full)
        assert other.verify().ok

    def test_history_as_of_and_revert_go_on_as_if_nothing_had_happened(self, full, other, exported):
        other.import_(str(exported))
        record = full.list()[0]
        moment = full.journal()[4].at
        assert other.history(record.id) == full.history(record.id)
        assert other.list(as_of=moment, statuses="all") == full.list(as_of=moment, statuses="all")
        evolve = next(op for op in other.journal() if op.verb == "evolve")
        other.revert(evolve)
        assert other.verify().ok

    def test_search_and_filters_find_the_same(self, full, other, exported):
        other.import_(str(exported))
        for ask in (lambda b: b.list(tags="net"), lambda b: b.get("m-1"), lambda b: b.list(project_id="shop"),
                    lambda b: [r.record for r in b.search("port Bob", statuses="all")]):  # fmt: skip
            assert ask(other) == ask(full)

    def test_importing_again_changes_nothing(self, other, exported, everything):
        other.import_(str(exported))
        before = everything(other)
        report = other.import_(str(exported))
        assert (report.run, report.added, report.kept_aside) == (None, {}, ())
        assert everything(other) == before

    def test_the_same_export_of_the_copy_is_the_same_export(self, other, exported, tmp_path):
        other.import_(str(exported))
        other.export(str(tmp_path / "copy.jsonl"))
        assert lines_of(tmp_path / "copy.jsonl")[1:-1] == lines_of(exported)[1:-1]


class TestIntoABookWithAJournal:
    """The export is merged: each new thing by an operation of ours, in one run."""

    @pytest.fixture
    def here(self, other):
        other.save("Here before.", type="episode")
        return other

    def test_ids_times_links_statuses_and_sources_are_preserved(self, full, here, exported, everything):
        here.import_(str(exported))
        mine, theirs = everything(here), everything(full)
        for entity in ("memory", "link", "conflict", "event"):
            assert [noun for noun in theirs[entity] if noun not in mine[entity]] == []
        assert here.verify().ok

    def test_everything_that_was_added_is_one_run(self, here, exported):
        report = here.import_(str(exported))
        run = here.journal(run=report.run)
        assert len(run) == sum(report.added.values())
        assert {op.verb for op in run} == {"import"}

    def test_importing_again_changes_nothing(self, here, exported, everything):
        """Row 92."""
        first = here.import_(str(exported))
        before = everything(here)
        again = here.import_(str(exported))
        assert (again.run, again.added) == (None, {})
        assert again.already_here >= first.added["memory"]
        assert everything(here) == before

    def test_history_begins_with_what_the_other_book_told(self, full, here, exported):
        here.import_(str(exported))
        record = full.get("m-1")
        told = here.history(record.id)
        assert [op.verb for op in told][:1] == ["save"]
        assert told[-1].verb == "import"
        assert {op.id for op in full.history(record.id)} <= {op.id for op in told}

    def test_what_is_here_and_says_something_else_stays_and_the_other_is_kept_aside(
        self, full, here, exported, tmp_path
    ):
        """Row 30: both are kept."""
        here.import_(str(exported))
        mine = here.get("m-1")
        theirs = {"memory": mine.to_dict() | {"title": "Another port"}}
        report = here.import_(write(tmp_path / "y.jsonl", [theirs]))
        assert [finding.where for finding in report.kept_aside] == ["line 1"]
        assert here.get("m-1") == mine
        assert here.doctor().findings[0].code == "kept_aside"

    def test_an_older_export_does_not_undo_later_changes(self, full, here, exported):
        here.import_(str(exported))
        here.archive("m-1")
        report = here.import_(str(exported))
        assert report.kept_aside == ()
        assert here.get("m-1").status == "archived"

    def test_two_books_of_one_writer_merge_without_complaint(self, here, exported):
        assert here.import_(str(exported)).kept_aside == ()

    def test_its_own_export_comes_home_as_nothing_new(self, full, exported, everything):
        before = everything(full)
        report = full.import_(str(exported))
        assert (report.added, report.kept_aside) == ({}, ())
        assert everything(full) == before


class TestBadLines:
    """Rows 28-34, 91: kept aside, counted, named; the rest goes in."""

    BAD = [
        "not json", "null", "[]", '"x"', "7", "{}", '{"unknown": 1}', '{"memory": null}', '{"memory": {"id": "x"}}',
        '{"memory": []}', "{" * 100_000, "[" * 100_000, '{"memory": {"confidence": NaN}}', '{"memory": {"confidence": 1e999}}',
        '{"memory": {"occurrences": ' + "9" * 5_000 + "}}", '{"journal": {"seq": 1}}', '{"link": {"from_id": "a"}}',
        '{"tombstone": 7}', '{"manifest": 7}', '{"end": {}}', '{"memory": {"id": "\\ud800"}}', "\x00", "  x  ",
    ]  # fmt: skip

    @pytest.mark.parametrize("into", ["empty", "full"])
    @pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
    def test_a_bad_line_is_named_and_all_others_come_in(self, full, other, exported, tmp_path, bad, into):
        if into == "full":
            other.save("Here before.", type="episode")
        lines = exported.read_text().splitlines()
        middle = next(n for n, line in enumerate(lines) if line.startswith('{"memory"'))
        lines.insert(middle, bad)
        report = other.import_(write(tmp_path / "y.jsonl", lines))
        assert f"line {middle + 1}" in [finding.where for finding in report.kept_aside]
        assert {record.id for record in full.list(statuses="all")} <= {
            record.id for record in other.list(statuses="all")
        }
        assert other.verify().ok
        again = other.import_(str(tmp_path / "y.jsonl"))
        assert again.added == {}

    def test_the_bytes_of_a_bad_line_are_kept(self, other, tmp_path):
        """R3: nothing that cannot be parsed is thrown away."""
        other.import_(write(tmp_path / "y.jsonl", ["precious but not json"]))
        assert any(b"precious but not json" in file.read_bytes() for file in tmp_path.glob("other.sqlite*"))
        assert other.doctor().findings[0].code == "kept_aside"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
    def test_other_encodings_are_a_finding_or_read(self, other, tmp_path, encoding):
        """Rows 31, 32."""
        (tmp_path / "y.jsonl").write_bytes('{"memory": "é"}\n'.encode(encoding))
        assert other.import_(str(tmp_path / "y.jsonl")).kept_aside

    def test_crlf_and_a_missing_last_newline_are_read(self, full, other, exported, tmp_path):
        """Row 31."""
        raw = exported.read_bytes().replace(b"\n", b"\r\n").rstrip()
        (tmp_path / "y.jsonl").write_bytes(raw)
        other.import_(str(tmp_path / "y.jsonl"))
        assert len(other.list(statuses="all")) == len(full.list(statuses="all"))

    def test_a_line_too_long_is_named_and_the_next_one_comes_in(self, full, other, exported, tmp_path, monkeypatch):
        monkeypatch.setattr(settings, "MAX_IMPORT_LINE_BYTES", 4_000)
        lines = ["x" * 9_000, *exported.read_text().splitlines()]
        report = other.import_(write(tmp_path / "y.jsonl", lines))
        assert [(finding.where, finding.code) for finding in report.kept_aside] == [("line 1", "too_large")]
        assert len(other.list(statuses="all")) == len(full.list(statuses="all"))

    @pytest.mark.parametrize("cut", [2, 10, 100, 1_000])
    def test_a_file_that_was_cut_off_is_flagged_and_what_is_there_comes_in(self, full, other, exported, tmp_path, cut):
        """Row 27."""
        raw = exported.read_bytes()[:-cut]
        (tmp_path / "y.jsonl").write_bytes(raw)
        report = other.import_(str(tmp_path / "y.jsonl"))
        assert not report.complete
        there = {line["memory"]["id"] for line in map(json.loads, raw.splitlines()[:-1]) if "memory" in line}
        assert {record.id for record in other.list(statuses="all")} >= there
        assert other.verify().ok

    def test_a_line_that_was_taken_out_is_noticed(self, other, exported, tmp_path):
        lines = [line for line in lines_of(exported) if "tombstone" not in line]
        assert not other.import_(write(tmp_path / "y.jsonl", lines)).complete

    def test_loose_ends_are_kept_aside(self, other, tmp_path):
        link = {"link": {"from_id": "a", "relation": "supports", "to_id": "b", "created_at": MOMENT}}
        report = other.import_(write(tmp_path / "y.jsonl", [link]))
        assert len(report.kept_aside) == 1
        assert other.stats().links == 0

    def test_a_memory_under_the_id_of_another_thing_is_kept_aside(self, book, tmp_path):
        """The journal knows a thing by its id: two under one id, and `verify` would cry out for ever."""
        one, two = (book.save(text, type="episode") for text in ("One.", "Two."))
        link = book.link(one.id, two.id, "supports")
        conflict = book.contradict(one.id, two.id)
        for id in (one.source_ref, link.id, conflict.id):
            forged = one.to_dict() | {"id": id}
            (tmp_path / "x.jsonl").write_text(json.dumps({"memory": forged}))
            report = book.import_(str(tmp_path / "x.jsonl"))
            assert (report.added, len(report.kept_aside)) == ({}, 1)
        assert book.verify().ok

    @pytest.mark.parametrize(
        ("field", "value"),
        [("fingerprint", "sha256:forged"), ("content", ""), ("content", "a\x00b"), ("title", "t" * 301), ("id", ""),
         ("content", "x" * 70_000), ("confidence", 2), ("kind", ""), ("occurrences", -5), ("id", "x" * 1_000),
         ("occurrences", 10**30), ("tags", ["t"] * 100), ("scope", "project"), ("status", "active\x00")],
    )  # fmt: skip
    def test_a_memory_no_save_would_take_is_not_taken_from_a_file(self, book, other, tmp_path, field, value):
        """R13: the same input gives the same outcome by every way in."""
        good = book.save("A good memory.", type="episode").to_dict()
        bad = good | {"id": "bad", "content": "Another.", "fingerprint": _fingerprint("Another.")} | {field: value}
        report = other.import_(write(tmp_path / "y.jsonl", [{"memory": good}, {"memory": bad}]))
        assert [finding.where for finding in report.kept_aside] == ["line 2"]
        assert [record.content for record in other.list(statuses="all")] == ["A good memory."]
        assert other.verify().ok


def test_what_came_in_without_any_source_is_not_confirmed_without_one(book, tmp_path):
    """R-g: promotion is refused without a source or evidence."""
    good = book.save("A good memory.", type="episode").to_dict()
    bare = good | {"id": "bare", "content": "Hearsay.", "fingerprint": _fingerprint("Hearsay."), "status": "inbox",
                   "source_ref": None, "evidence_ref": None, "source_kind": "import"}  # fmt: skip
    book.import_(write(tmp_path / "y.jsonl", [{"memory": bare}]))
    with pytest.raises(ConflictError):
        book.confirm("bare")
    assert book.confirm("bare", evidence_ref="chat/1").status == "active"


def _fingerprint(text):
    from commonplace.model.fingerprint import fingerprint

    return fingerprint(text)


class TestForeignAndLater:
    def test_a_later_format_is_refused_whole(self, other, exported, tmp_path, everything):
        lines = lines_of(exported)
        lines[0]["manifest"]["version"] = 2
        for prepare in (lambda: None, lambda: other.save("Here before.", type="episode")):
            prepare()
            before = everything(other)
            with pytest.raises(UnavailableError) as refused:
                other.import_(write(tmp_path / "y.jsonl", lines))
            assert (refused.value.code, bool(refused.value.hint)) == ("newer", True)
            assert everything(other) == before

    def test_another_programs_file_brings_nothing_in(self, other, tmp_path):
        report = other.import_(write(tmp_path / "y.jsonl", [{"text": "hello"}, {"text": "there"}]))
        assert (report.added, report.complete, len(report.kept_aside)) == ({}, False, 2)

    def test_a_forged_journal_is_not_adopted(self, full, other, exported, tmp_path):
        """Row 133: what does not verify is not taken for history."""
        lines = exported.read_text().replace("8080", "8081").splitlines()
        report = other.import_(write(tmp_path / "y.jsonl", lines))
        assert report.kept_aside
        assert other.verify().ok

    def test_nor_is_one_whose_last_line_was_forged_with_it(self, full, other, exported, tmp_path):
        """The file is whole by its own word; only the chain gives it away."""
        lines = exported.read_text().replace('"actor":"alice","trust"', '"actor":"mallory","trust"').splitlines()[:-1]
        whole = "".join(f"{line}\n" for line in lines).encode()
        end = {"end": {"lines": len(lines), "sha256": sha256(whole).hexdigest()}}
        (tmp_path / "y.jsonl").write_bytes(whole + json.dumps(end).encode())
        report = other.import_(str(tmp_path / "y.jsonl"))
        assert report.complete
        assert "journal" not in report.added
        assert any("not what was written" in finding.message for finding in report.kept_aside)
        assert other.verify().ok

    @pytest.mark.parametrize("path", ["missing.jsonl", "."])
    def test_a_file_that_cannot_be_read_is_said(self, other, tmp_path, path):
        with pytest.raises(CommonplaceError) as refused:
            other.import_(str(tmp_path / path))
        assert refused.value.hint

    def test_an_empty_file_is_not_a_whole_export(self, other, tmp_path):
        (tmp_path / "y.jsonl").write_bytes(b"")
        assert not other.import_(str(tmp_path / "y.jsonl")).complete


@pytest.mark.parametrize("pack", ["zip", "tar", "gztar"])
def test_an_archive_is_refused_in_one_word(book, tmp_path, pack):
    """Row 89: its lines would all be kept aside, one by one."""
    book.save("One.", type="episode")
    (tmp_path / "inside").mkdir()
    book.export(tmp_path / "inside" / "book.jsonl")
    packed = shutil.make_archive(str(tmp_path / "packed"), pack, tmp_path / "inside")
    with pytest.raises(InvalidError, match="archive"):
        book.import_(packed)
    assert [finding.code for finding in book.doctor().findings] == []


def test_a_book_is_no_export(book, tmp_path):
    book.save("One.", type="episode")
    book.backup(tmp_path / "copy.sqlite")
    with pytest.raises(InvalidError, match="database") as refused:
        book.import_(tmp_path / "copy.sqlite")
    assert "commonplace copy" in refused.value.hint
