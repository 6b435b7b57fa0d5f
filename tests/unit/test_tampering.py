"""Tampering: whatever somebody changes behind the book's back, `verify` sees it, says where, and does not fall over."""

from __future__ import annotations

import shutil

import apsw
import pytest

from commonplace.catalog.sqlite.rows import MEMORIES, checksum
from commonplace.errors import CorruptError
from commonplace.model.fingerprint import fingerprint
from commonplace.model.operation import GENESIS, chain_hash, payload_hash
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Verb


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """One book with every sort of thing in it, closed."""
    import commonplace
    from commonplace.testing.clocks import TickingClock

    folder = tmp_path_factory.mktemp("original")
    with commonplace.open(f"sqlite:{folder / 'book.sqlite'}", actor="alice", clock=TickingClock()) as book:
        one = book.save(
            "The port is 8080.", type="project", project_id="shop", title="Port", tags=["net"], aliases=["m"]
        )
        two = book.save("The port is 9090.", type="episode", evidence_ref="log/7", rationale="seen")
        book.contradict(one.id, two.id)
        book.archive(two.id, reason="old")
        gone = book.save("Call Bob on Tuesday.", type="episode")
        new = book.evolve(gone.id, "Call Bob on Friday.", reason="he is away")
        book.purge(gone.id)
        book.link(new.id, one.id, "supports")
        assert book.verify().ok
    return folder / "book.sqlite"


@pytest.fixture
def tampered(original, tmp_path, open_book):
    """Run SQL on a closed copy of the book, then verify it."""

    def run(*statements, **options):
        copy = tmp_path / "copy.sqlite"
        shutil.copy(original, copy)
        db = apsw.Connection(str(copy))
        for statement in statements:
            sql, values = statement if isinstance(statement, tuple) else (statement, ())
            db.execute(sql, values).fetchall()
        assert db.total_changes() > 0
        db.close()
        return open_book(at=copy).verify(**options)

    return run


def codes(examination):
    return {finding.code for finding in examination.findings}


@pytest.mark.parametrize("limit", [1, 2**63 - 1, 2**63, 10**30])
def test_any_number_of_findings_may_be_asked_for(book, limit):
    """Group A: a number that no machine counts to is still a number."""
    assert book.verify(limit=limit).ok


def test_the_untouched_copy_verifies(original, tmp_path, open_book):
    shutil.copy(original, tmp_path / "copy.sqlite")
    examined = open_book(at=tmp_path / "copy.sqlite").verify()
    assert (examined.ok, examined.findings) == (True, ())
    assert examined.checked["entries"] == 8


COLUMNS = [field for field in MemoryRecord.__struct_fields__ if field != "id"]
TIMES = ("created_at", "updated_at", "observed_at", "valid_from", "valid_to", "deleted_at")
WORDS = {
    "type": "decision",
    "scope": "session",
    "status": "inbox",
    "source_kind": "run",
    "tier": "T1",
    "trust": "external",
}
OTHER = {
    **WORDS, **dict.fromkeys(TIMES, 1_800_000_000_000_000), "tags": '["other"]', "aliases": '["other"]',
    "anchors": '["commit:1"]', "always_load": 1, "occurrences": 9, "confidence": 0.5, "freshness": 0.5,
    "fingerprint": "sha256:" + "0" * 64,
}  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS)
def test_an_altered_column_of_a_record_is_seen(tampered, column):
    """Somebody who knows no better changes a value; the row's own checksum gives him away."""
    examined = tampered((f"UPDATE memories SET {column} = ? WHERE title = 'Port'", (OTHER.get(column, "other"),)))
    assert not examined.ok
    assert "differs_from_journal" in codes(examined)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_altered_with_its_checksum_is_seen_and_named(tampered, forged, column):
    """Somebody who knows the format forges the checksum too; the journal gives him away, and names the field."""
    examined = tampered(*forged(**{column: OTHER.get(column, "other")}))
    assert "differs_from_journal" in codes(examined)
    assert any(column in finding.message for finding in examined.findings)


@pytest.fixture
def forged(original):
    """The statement that gives a memory other values and the checksum that goes with them."""

    def statement(**values):
        db = apsw.Connection(str(original), flags=apsw.SQLITE_OPEN_READONLY)
        row = db.execute(f"SELECT {', '.join(MEMORIES.fields)} FROM memories WHERE title = 'Port'").fetchone()
        db.close()
        stored = dict(zip(MEMORIES.fields, row, strict=True)) | values
        sets = ", ".join(f"{name} = ?" for name in (*stored, "checksum"))
        return [(f"UPDATE memories SET {sets} WHERE title = 'Port'", (*stored.values(), checksum([*stored.values()])))]

    return statement


@pytest.mark.parametrize("column", [*WORDS, *TIMES, "tags", "confidence", "occurrences", "content"])
def test_a_column_that_makes_no_sense_is_a_finding_and_not_a_crash(tampered, column):
    examined = tampered((f"UPDATE memories SET {column} = ? WHERE title = 'Port'", (b"\xff\x00nonsense",)))
    assert not examined.ok


@pytest.mark.parametrize("column", ["from_id", "relation", "to_id", "evidence_ref", "created_at"])
def test_an_altered_link_is_seen(tampered, column):
    value = {"relation": "derived_from", "created_at": 7}.get(column, "other")
    assert not tampered((f"UPDATE memory_links SET {column} = ? WHERE relation = 'supports'", (value,))).ok


@pytest.mark.parametrize("column", ["left_id", "reason", "right_evidence", "state", "loser_id", "resolved_at"])
def test_an_altered_conflict_is_seen(tampered, column):
    value = {"state": "resolved", "resolved_at": 7}.get(column, "other")
    assert not tampered((f"UPDATE conflicts SET {column} = ?", (value,))).ok


@pytest.mark.parametrize("column", ["kind", "title", "uri", "body", "captured_at", "actor"])
def test_an_altered_source_is_seen(tampered, column):
    value = {"kind": "run", "captured_at": 7}.get(column, "other")
    assert not tampered((f"UPDATE sources SET {column} = ?", (value,))).ok


FIELDS = ", ".join(field for field in MemoryRecord.__struct_fields__ if field != "id")
COPIED = (
    f"INSERT INTO memories (n, id, {FIELDS}, checksum)"
    f" SELECT 99, 'forged', {FIELDS}, checksum FROM memories WHERE title = 'Port'"
)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("DELETE FROM memories WHERE title = 'Port'", "differs_from_journal"),
        ("DELETE FROM memory_links WHERE relation = 'supports'", "differs_from_journal"),
        ("DELETE FROM conflicts", "differs_from_journal"),
        ("DELETE FROM sources", "differs_from_journal"),
        ("INSERT INTO memory_links VALUES ('a>supports>b', 'a', 'supports', 'b', NULL, 7)", "not_in_journal"),
        (COPIED, "not_in_journal"),
    ],
)  # fmt: skip
def test_what_was_deleted_or_put_in_is_seen(tampered, sql, code):
    examined = tampered(sql)
    assert not examined.ok
    assert code in codes(examined)


def test_a_record_deleted_with_every_trace_in_the_journals_index_is_seen(tampered):
    """The index of subjects is derived; it must not decide what is checked."""
    assert not tampered(
        "DELETE FROM journal_names WHERE name = (SELECT id FROM memories WHERE title = 'Port')",
        "DELETE FROM memories WHERE title = 'Port'",
    ).ok


def test_a_status_turned_back_with_its_index_entry_removed_is_seen(tampered):
    assert not tampered(
        "UPDATE memories SET updated_at = created_at, status = 'active', status_reason = NULL WHERE status = 'archived'",
        "DELETE FROM journal_names WHERE seq = (SELECT seq FROM journal WHERE verb = 'archive')",
    ).ok


class TestTheChain:
    @pytest.mark.parametrize("column", ["id", "run", "actor", "surface"])
    def test_an_altered_header_is_seen_and_named(self, tampered, column):
        examined = tampered((f"UPDATE journal SET {column} = 'other' WHERE seq = 3", ()))
        assert "journal_altered" in codes(examined)
        assert any("entry 3" in finding.message for finding in examined.findings)

    @pytest.mark.parametrize(
        ("column", "value"),
        [("verb", "link"), ("trust", "agent"), ("at", 7), ("salt", b"0" * 16), ("payload_hash", b"0" * 32),
         ("hash", b"0" * 32), ("prev", b"0" * 32), ("verb", "nonsense"), ("trust", "nonsense"), ("seq", 99),
         ("payload", b"garbage"), ("payload", b"{}"), ("payload", b'{"changes":7}'), ("salt", None)],
    )  # fmt: skip
    def test_an_altered_entry_is_seen_whatever_it_says_now(self, tampered, column, value):
        examined = tampered((f"UPDATE journal SET {column} = ? WHERE seq = 3", (value,)))
        assert not examined.ok
        assert codes(examined) & {"journal_altered", "journal_broken"}

    def test_one_altered_word_of_a_payload_is_seen(self, tampered):
        """Row 42."""
        examined = tampered("UPDATE journal SET payload = CAST(replace(payload, '8080', '8081') AS BLOB) WHERE seq = 1")
        assert "journal_altered" in codes(examined)

    @pytest.mark.parametrize("seq", [1, 3, 4, 7, 8])
    def test_a_missing_entry_is_seen_wherever_it_stood(self, tampered, seq):
        """Row 135: the first, the middle, a purge, and the last."""
        examined = tampered((f"DELETE FROM journal WHERE seq = {seq}", ()))
        assert codes(examined) & {"journal_broken", "journal_cut"}

    def test_an_entry_cut_out_of_a_chain_that_was_made_anew_is_seen(self, tampered, original):
        """Somebody who knows the format makes every later link again; the number that is missing gives him away."""
        db = apsw.Connection(str(original), flags=apsw.SQLITE_OPEN_READONLY)
        headers = "seq, id, run, verb, actor, trust, surface, at, payload_hash"
        prev, links = GENESIS, []
        for *header, digest in db.execute(f"SELECT {headers} FROM journal WHERE seq <> 3 ORDER BY seq").fetchall():
            links.append((f"UPDATE journal SET prev = ?, hash = ? WHERE seq = {header[0]}",
                          (prev, prev := chain_hash(prev, tuple(header), digest))))  # fmt: skip
        db.close()
        gone = ("journal WHERE seq = 3", "journal_names WHERE seq = 3", "conflicts",
                "memory_links WHERE relation = 'contradicts'")  # fmt: skip
        examined = tampered(*(f"DELETE FROM {what}" for what in gone), *links)
        assert codes(examined) == {"journal_broken"}

    def test_words_put_beside_a_payload_are_seen(self, tampered):
        """What stays of a purged entry lies there; where nothing was purged, nothing does."""
        examined = tampered("""UPDATE journal SET kept = '{"reason":"because mallory says so"}' WHERE seq = 2""")
        assert codes(examined) == {"journal_altered"}

    def test_a_journal_cut_to_nothing_is_seen(self, tampered):
        assert "journal_cut" in codes(tampered("DELETE FROM journal"))

    def test_swapped_entries_are_seen(self, tampered):
        examined = tampered(
            "UPDATE journal SET seq = -3 WHERE seq = 3",
            "UPDATE journal SET seq = 3 WHERE seq = 2",
            "UPDATE journal SET seq = 2 WHERE seq = -3",
        )
        assert "journal_broken" in codes(examined)

    def test_an_entry_put_in_at_the_end_without_the_chain_is_seen(self, tampered):
        assert not tampered(
            "INSERT INTO journal SELECT 9, 'forged', run, verb, actor, trust, surface, at, salt, payload, kept,"
            " payload_hash, prev, hash FROM journal WHERE seq = 8"
        ).ok

    def test_an_emptied_payload_is_seen_though_the_chain_holds(self, tampered):
        examined = tampered("UPDATE journal SET payload = NULL, salt = NULL WHERE seq = 2")
        assert "journal_emptied" in codes(examined)

    def test_a_forged_rest_of_a_purged_entry_is_seen(self, tampered):
        examined = tampered(
            "UPDATE journal SET kept = CAST(replace(kept, 'Friday', 'Monday') AS BLOB) WHERE payload IS NULL AND kept NOT NULL"
        )
        assert "journal_emptied" in codes(examined)

    def test_a_removed_rest_of_a_purged_entry_is_seen(self, tampered):
        examined = tampered("UPDATE journal SET kept = NULL WHERE payload IS NULL AND kept NOT NULL")
        assert "journal_emptied" in codes(examined)

    def test_a_payload_rehashed_without_its_chain_is_seen(self, original, tampered):
        db = apsw.Connection(str(original), flags=apsw.SQLITE_OPEN_READONLY)
        salt, payload = db.execute("SELECT salt, payload FROM journal WHERE seq = 1").fetchone()
        db.close()
        forged = payload.replace(b"8080", b"8081")
        values = (forged, payload_hash(salt, forged))
        assert not tampered(("UPDATE journal SET payload = ?, payload_hash = ? WHERE seq = 1", values)).ok

    def test_an_entry_rehashed_whole_breaks_at_the_next(self, original, tampered):
        db = apsw.Connection(str(original), flags=apsw.SQLITE_OPEN_READONLY)
        columns = "seq, id, run, verb, actor, trust, surface, at, payload_hash, prev"
        *header, digest, prev = db.execute(f"SELECT {columns} FROM journal WHERE seq = 2").fetchone()
        db.close()
        header[4] = "mallory"
        forged = chain_hash(prev, tuple(header), digest)
        examined = tampered(("UPDATE journal SET actor = 'mallory', hash = ? WHERE seq = 2", (forged,)))
        assert "journal_broken" in codes(examined)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM tombstones",
        "UPDATE tombstones SET id = 'other' WHERE id = (SELECT min(id) FROM tombstones)",
    ],
)
def test_a_tombstone_that_was_taken_away_is_seen(tampered, sql):
    """R12: without its tombstone, what was purged could come back."""
    assert not tampered(sql).ok


def test_findings_are_limited_and_hold_no_content(tampered):
    examined = tampered("UPDATE memories SET content = content || ' forged'", limit=2)
    assert len(examined.findings) == 2
    assert not any("8080" in finding.to_json() or "forged" in finding.to_json() for finding in examined.findings)
    assert all(finding.hint and finding.where for finding in examined.findings)


def test_a_forged_fingerprint_does_not_catch_another_memorys_words(original, tmp_path, open_book, forged):
    """A70: a match is verified against the living words."""
    shutil.copy(original, tmp_path / "copy.sqlite")
    db = apsw.Connection(str(tmp_path / "copy.sqlite"))
    for sql, values in forged(fingerprint=fingerprint("Something else.")):
        db.execute(sql, values)
    db.close()
    book = open_book(at=tmp_path / "copy.sqlite")
    assert book.save("Something else.", type="project", project_id="shop").content == "Something else."


@pytest.mark.parametrize(("column", "bad"), [("type", "nonsense"), ("created_at", "yesterday"), ("tags", "not json")])
def test_one_unreadable_memory_does_not_hide_the_others(original, tmp_path, open_book, column, bad):
    """Bad data on disk is a finding, and the rest keeps working."""
    shutil.copy(original, tmp_path / "copy.sqlite")
    db = apsw.Connection(str(tmp_path / "copy.sqlite"))
    id = db.execute("SELECT id FROM memories WHERE title = 'Port'").get
    db.execute(f"UPDATE memories SET {column} = ? WHERE id = ?", (bad, id))
    db.close()
    book = open_book(at=tmp_path / "copy.sqlite")
    assert "Call Bob on Friday." in [record.content for record in book.list()]
    assert [result.record.content for result in book.search("Friday port")] == ["Call Bob on Friday."]
    with pytest.raises(CorruptError):
        book.get(id)
    assert not book.doctor(full=True).ok


@pytest.fixture
def mistaken(book):
    """A fault of ours, or a forger's work: written by the rules, under the fingerprint of other words."""
    saved = book.save("The port is 8080.", type="episode")
    with book._scribe.writing() as pen:
        pen.change(saved, content="The port is 9090.")
        pen.sign(Verb.EDIT)
    return saved


def test_a_fingerprint_of_other_words_is_seen_though_the_journal_tells_the_same(book, mistaken):
    examined = book.verify()
    assert [(finding.code, finding.where) for finding in examined.findings] == [("fingerprint", mistaken.id)]


def test_a_journal_that_tells_of_such_a_one_is_not_adopted(book, mistaken, open_book, tmp_path):
    """What would be kept aside line by line does not come in because it stands in a journal."""
    book.export(str(tmp_path / "x.jsonl"))
    other = open_book(at=tmp_path / "other.sqlite")
    report = other.import_(str(tmp_path / "x.jsonl"))
    assert any("fingerprint" in finding.message for finding in report.kept_aside)
    assert other.verify().ok


def test_other_letters_with_the_same_fingerprint_are_adopted(book, agent, open_book, tmp_path):
    """A70: case and white space do not count, so an edit of them leaves the fingerprint as it was."""
    waiting = agent.save("Alice likes tea.", type="profile")
    kept = book.inbox_edit(waiting.id, "Alice  likes TEA.")
    assert kept.fingerprint == waiting.fingerprint
    book.export(str(tmp_path / "x.jsonl"))
    other = open_book(at=tmp_path / "other.sqlite")
    report = other.import_(str(tmp_path / "x.jsonl"))
    assert (report.run, report.kept_aside, other.get(kept.id)) == (None, (), kept)
