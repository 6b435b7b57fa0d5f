"""What a change does to the notes: where they go, what is archived, what stays, what is refused (A17-A37, A67-A69)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace.errors import ConflictError, DeniedError
from commonplace.model.words import Status
from commonplace.seam.format import Put, Remove

from .vault_shelf import NOW, VaultInMemory, known_by

_ID = "01M7G1X7951CZ3GKZE87EK02FT"


@pytest.fixture
def vault() -> VaultInMemory:
    return VaultInMemory()


class TestSaving:
    def test_a_new_note_has_the_locked_fields_in_their_order(self, vault: VaultInMemory) -> None:
        """A23, A67, A68: LF only, and exactly one newline at the end."""
        saved = vault.save("Run `make` first.\n\n\n", kind="workflow", slug="run-make", tags=("build",), id=_ID)
        assert vault.text(saved) == (
            "---\n"
            "kind: workflow\n"
            "status: active\n"
            "created: 2026-05-03T12:00:00Z\n"
            "updated: 2026-05-03T12:00:00Z\n"
            "tags: [build]\n"
            "group: workflow\n"
            "slug: run-make\n"
            "always_load: false\n"
            "type: episode\n"
            f"id: {_ID}\n"
            "---\n"
            "\n"
            "Run `make` first.\n"
        )

    def test_moments_are_in_utc(self, vault: VaultInMemory) -> None:
        """A-l."""
        local = datetime.fromisoformat("2026-05-03T01:30:00+02:00")
        assert "created: 2026-05-02T23:30:00Z\n" in vault.text(vault.save("x", created_at=local))

    def test_saving_never_overwrites(self, vault: VaultInMemory) -> None:
        """A68: the second of a name gets `-2`; also names that only differ in case or in Unicode form (row 46)."""
        first, second = vault.save("One.", slug="same", kind="fix"), vault.save("Two.", slug="same", kind="fix")
        vault.edit("Agent/Memory/fix/Caf\u00e9.md", b"theirs\n")
        third, fourth = vault.save("3", slug="cafe\u0301", kind="fix"), vault.save("4", slug="SAME", kind="fix")
        names = [vault.path(one).rsplit("/", 1)[1] for one in (first, second, third, fourth)]
        assert names == ["same.md", "same-2.md", "café-2.md", "SAME-3.md"]
        assert vault.files["Agent/Memory/fix/Caf\u00e9.md"] == b"theirs\n"

    def test_a_new_note_does_not_make_a_copy_of_one_that_stood_alone(self, vault: VaultInMemory) -> None:
        """Row 49: `plan (1).md` is a note until there is a `plan.md` beside it. Nor does a note that is moved become one."""
        vault.edit("Agent/Memory/fix/plan (1).md", b"theirs\n")
        assert vault.path(vault.save("Ours.", slug="plan", kind="fix")) == "Agent/Memory/fix/plan-2.md"
        vault.save("Put away.", slug="plan", status="archived")
        theirs = vault.records[known_by("Agent/Memory/fix/plan (1).md")]
        vault.change(theirs.with_(status=Status.ARCHIVED))
        assert vault.path(theirs) == "Agent/Memory/_archive/plan%20%281%29.md"

    def test_two_of_a_name_in_one_transaction_are_kept_apart(self, vault: VaultInMemory) -> None:
        one = vault.save("One.", slug="a")
        vault.change(one.with_(id="second", slug="b"), one.with_(id="third", slug="b"))
        assert sorted(vault.files)[1:] == ["Agent/Memory/note/b-2.md", "Agent/Memory/note/b.md"]

    def test_the_hundredth_of_a_name_is_called_by_its_id(self, vault: VaultInMemory) -> None:
        for number in range(99):
            vault.save(f"Number {number}.", slug="same")
        last = vault.save("The hundredth.", slug="same")
        assert vault.path(last) == f"Agent/Memory/note/same-{last.id.lower()}.md"

    def test_the_first_save_makes_the_store(self) -> None:
        vault = VaultInMemory({"Diary.md": b"Dear diary\n"})
        vault.save("First.")
        assert sorted(vault.files) == ["Agent/Memory/note/first.md", "Diary.md"]

    def test_a_text_that_looks_like_a_merge_is_refused_before_it_breaks_the_note(self, vault: VaultInMemory) -> None:
        """Row 55: what could not be read again is not written."""
        merge = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other"
        with pytest.raises(ConflictError, match="unresolved merge"):
            vault.save(merge)
        saved = vault.save(f"example\n\n```\n{merge}\n```", slug="example")
        assert vault.found(vault.path(saved)) is not None


class TestSuperseding:
    def test_the_old_note_is_archived_and_the_new_one_takes_its_place(self, vault: VaultInMemory) -> None:
        """A26, A37, A69: one change, the archive first, both ends of the chain named."""
        old = vault.save("Port 8080.", slug="port", kind="fix")
        new = vault.evolve(old, "Port 9090.")
        assert vault.path(new) == "Agent/Memory/fix/port.md"
        assert vault.path(old) == "Agent/Memory/_archive/port.md.20260503.md"
        kept = vault.text(old)
        for line in (
            "status: superseded", 'superseded_by: "[[Agent/Memory/fix/port]]"', "superseded_at: 2026-05-03T12:00:00Z",
            "superseded_reason: it moved", "Port 8080.",
        ):  # fmt: skip
            assert f"\n{line}\n" in kept
        assert '\nsupersedes: "[[Agent/Memory/_archive/port.md.20260503]]"\n' in vault.text(new)
        found = vault.found(vault.path(new))
        assert found is not None
        assert ("supersedes", "Agent/Memory/_archive/port.md.20260503.md") in found.links

    def test_the_archive_is_written_before_anything_is_replaced_or_removed(self, vault: VaultInMemory) -> None:
        old = vault.save("Port 8080.", slug="port")
        new = old.with_(id="new", supersedes=old.id, content="Port 9090.")
        done = vault.change(old.with_(status=Status.SUPERSEDED, superseded_by="new"), new)
        assert [(type(step), step.replaces is None) for step in done.steps] == [(Put, True), (Put, False)]
        moved = vault.change(vault.save("Another.").with_(status=Status.ARCHIVED))
        assert [type(step) for step in moved.steps] == [Put, Remove]

    def test_a_second_version_of_a_day_is_numbered(self, vault: VaultInMemory) -> None:
        """A69: `-2` … `-99`."""
        first = vault.save("One.", slug="port")
        second = vault.evolve(first, "Two.")
        third = vault.evolve(second, "Three.")
        assert vault.path(second) == "Agent/Memory/_archive/port.md.20260503-2.md"
        assert vault.path(third) == "Agent/Memory/note/port.md"
        assert 'superseded_by: "[[Agent/Memory/_archive/port.md.20260503-2]]"' in vault.text(first)

    def test_what_is_always_loaded_is_not_renamed(self, vault: VaultInMemory) -> None:
        """A69."""
        old = vault.save("Be brief.", slug="brief", always_load=True)
        new = vault.evolve(old, "Be briefer.", slug="briefer")
        assert vault.path(new) == "Agent/Memory/_always-load/brief.md"

    def test_undoing_brings_the_old_note_back_under_its_name(self, vault: VaultInMemory) -> None:
        old = vault.save("Port 8080.", slug="port")
        before = vault.text(old)
        new = vault.evolve(old, "Port 9090.", slug="other")
        vault.change(new.with_(status=Status.DELETED, deleted_at=NOW), old)
        assert vault.path(old) == "Agent/Memory/note/port.md"
        assert vault.text(old) == before

    def test_what_only_waits_replaces_nothing_yet(self, vault: VaultInMemory) -> None:
        old = vault.save("Port 8080.", slug="port")
        waiting = vault.save("Port 9090.", slug="new-port", status="inbox", supersedes=old.id)
        assert "supersedes" not in vault.text(waiting)
        vault.change(
            old.with_(status=Status.SUPERSEDED, superseded_by=waiting.id, updated_at=NOW),
            waiting.with_(status=Status.ACTIVE),
        )
        assert "supersedes: " in vault.text(waiting)
        assert vault.path(waiting) == "Agent/Memory/note/new-port.md"


class TestPuttingAway:
    def test_forgetting_leaves_the_file_where_it_is(self, vault: VaultInMemory) -> None:
        """A30: `status: deleted` and `deleted_at`; the file is never unlinked."""
        saved = vault.save("Gone soon.", slug="gone")
        vault.change(saved.with_(status=Status.DELETED, deleted_at=NOW))
        assert vault.path(saved) == "Agent/Memory/note/gone.md"
        text = vault.text(saved)
        assert "\nstatus: deleted\n" in text
        assert "\ndeleted_at: 2026-05-03T12:00:00Z\n" in text
        vault.change(saved)
        assert "deleted" not in vault.text(saved)

    @pytest.mark.parametrize(("status", "folder"), [("archived", "_archive"), ("inbox", "_inbox")])
    def test_forgetting_what_waits_or_was_put_away_leaves_it_there_too(
        self, vault: VaultInMemory, status: str, folder: str
    ) -> None:
        """A30: and what is brought back goes where its status wants it."""
        saved = vault.save("Gone soon.", slug="gone")
        away = saved.with_(status=Status(status))
        vault.change(away)
        vault.change(away.with_(status=Status.DELETED, deleted_at=NOW))
        assert vault.path(saved) == f"Agent/Memory/{folder}/gone.md"
        assert "\nstatus: deleted\n" in vault.text(saved)
        vault.change(saved)
        assert vault.path(saved) == "Agent/Memory/note/gone.md"

    @pytest.mark.parametrize(
        ("status", "folder"), [("archived", "_archive"), ("inbox", "_inbox"), ("contradicted", "note")]
    )
    def test_a_status_moves_the_note(self, vault: VaultInMemory, status: str, folder: str) -> None:
        """A19, A20: and back again."""
        saved = vault.save("Here.", slug="here")
        before = vault.text(saved)
        vault.change(saved.with_(status=Status(status)))
        assert vault.path(saved) == f"Agent/Memory/{folder}/here.md"
        assert len(vault.files) == 1
        vault.change(saved)
        assert vault.path(saved) == "Agent/Memory/note/here.md"
        assert vault.text(saved) == before

    def test_always_load_changes_folder_and_line_together(self, vault: VaultInMemory) -> None:
        """A25, A-a."""
        saved = vault.save("Be brief.", slug="brief", kind="preference")
        vault.change(saved.with_(always_load=True))
        assert vault.path(saved) == "Agent/Memory/_always-load/brief.md"
        assert "\nalways_load: true\n" in vault.text(saved)

    def test_a_purge_takes_the_file_away(self, vault: VaultInMemory) -> None:
        saved = vault.save("A secret.")
        vault.change(purged=(saved.id,))
        assert vault.files == {}


class TestPeoplesNotes:
    ODD = (
        b"\xef\xbb\xbf---\r\n# my own order\r\nzeta: {a: [1, 2]}\r\nstatus: active  # for now\r\naliases:\r\n  - one\r\n"
        b"  - 'two'\r\nanchor: &x 5\r\nref: *x\r\n---\r\n\r\n\r\n# Title\r\n\r\n---\r\nstatus: not this one\r\n---\r\nno newline"
    )

    def test_editing_one_field_changes_one_line(self) -> None:
        """Rows 31, 36: BOM, CRLF, comments, unknown fields, order, `---` in the body, no final newline."""
        path = "Agent/Memory/fix/odd.md"
        vault = VaultInMemory({path: self.ODD})
        record = vault.records[known_by(path)]
        vault.change(record.with_(status=Status.DELETED, deleted_at=NOW))
        wanted = self.ODD.replace(b"status: active  # for now", b"status: deleted  # for now", 1)
        added = b"deleted_at: 2026-05-03T12:00:00Z\r\n"
        at = wanted.index(b"aliases:")
        assert vault.files[path] == wanted[:at] + added + wanted[at:]

    def test_a_list_in_lines_stays_one(self) -> None:
        path = "Agent/Memory/fix/odd.md"
        vault = VaultInMemory({path: self.ODD})
        record = vault.records[known_by(path)]
        vault.change(record.with_(aliases=("two", "three")))
        assert vault.files[path] == self.ODD.replace(b"  - one\r\n  - 'two'\r\n", b"  - 'two'\r\n  - three\r\n")

    def test_another_content_changes_the_body_only(self) -> None:
        path = "Agent/Memory/fix/odd.md"
        vault = VaultInMemory({path: self.ODD})
        record = vault.records[known_by(path)]
        vault.change(record.with_(content="# Title\nOne.\nTwo."))
        head = self.ODD[: self.ODD.index(b"# Title")]
        assert vault.files[path] == head + b"# Title\r\nOne.\r\nTwo.\r\n"

    def test_nothing_is_said_in_the_frontmatter_that_nobody_asked_for(self) -> None:
        path = "Agent/Memory/fix/n.md"
        vault = VaultInMemory({path: b"# Title\n\nOne. #tag\n"})
        vault.change(vault.records[known_by(path)].with_(content="Two."))
        assert vault.files[path] == b"Two.\n"

    def test_a_note_that_somebody_put_elsewhere_stays_there(self) -> None:
        path = "Agent/Memory/fix/2026/May/My note.md"
        vault = VaultInMemory({path: b"Mine.\n"})
        record = vault.records[known_by(path)]
        vault.change(record.with_(tags=("x",)))
        assert vault.path(record) == path
        assert vault.files[path] == b"---\ntags: [x]\n---\nMine.\n"

    def test_a_note_that_lies_where_it_belongs_is_not_renamed(self) -> None:
        """A person archived it by its line alone; restoring it changes the line alone."""
        path = "Agent/Memory/fix/n.md"
        vault = VaultInMemory({path: b"---\nstatus: Archived\n---\nMine.\n"})
        record = vault.records[known_by(path)]
        assert record.status is Status.ARCHIVED
        vault.change(record.with_(status=Status.ACTIVE))
        assert vault.files == {path: b"---\nstatus: active\n---\nMine.\n"}

    def test_a_folder_that_says_something_else_is_left(self) -> None:
        """A-a: put away by its line, but lying where everything is always loaded."""
        path = "Agent/Memory/_always-load/n.md"
        vault = VaultInMemory({path: b"---\nstatus: archived\n---\nMine.\n"})
        record = vault.records[known_by(path)]
        vault.change(record.with_(always_load=False))
        assert vault.path(record) == "Agent/Memory/_archive/n.md"

    def test_a_note_that_is_moved_gets_its_id_and_what_its_folder_said(self) -> None:
        """Until then it was known by where it lay."""
        path = "Agent/projects/atlas/known-issues/My note.md"
        vault = VaultInMemory({path: b"Mine. #tagged\n"})
        record = vault.records[known_by(path)]
        before = vault.found(path)
        vault.change(record.with_(status=Status.ARCHIVED))
        assert vault.path(record) == "Agent/_archive/My note.md"
        found = vault.found("Agent/_archive/My note.md")
        assert before is not None
        assert found is not None
        assert found.fields == {**before.fields, "status": Status.ARCHIVED, "id": record.id}

    def test_bytes_that_are_no_utf8_are_never_rewritten(self) -> None:
        """Row 32: served as far as they can be read, kept as they are."""
        path = "Agent/Memory/fix/latin.md"
        vault = VaultInMemory({path: b"caf\xe9\n"})
        record = vault.records[known_by(path)]
        assert record.content == "caf\ufffd"
        with pytest.raises(ConflictError) as refused:
            vault.change(record.with_(tags=("x",)))
        assert "UTF-8" in refused.value.hint
        assert vault.files[path] == b"caf\xe9\n"

    def test_a_personal_note_is_never_written(self) -> None:
        """A12: outside of the store root; nor moved, deleted or purged."""
        vault = VaultInMemory({"Diary.md": b"Dear diary\n"})
        record = vault.records[known_by("Diary.md")]
        for change in ({"title": "X"}, {"status": Status.ARCHIVED}, {"status": Status.DELETED}, {"content": "Y"}):
            with pytest.raises(DeniedError) as refused:
                vault.change(record.with_(**change))
            assert refused.value.hint
            assert refused.value.where == "Diary.md"
        with pytest.raises(DeniedError):
            vault.change(purged=(record.id,))
        assert vault.files == {"Diary.md": b"Dear diary\n"}

    def test_what_the_note_does_not_hold_may_change_all_the_same(self) -> None:
        vault = VaultInMemory({"Diary.md": b"Dear diary\n"})
        record = vault.records[known_by("Diary.md")]
        done = vault.change(record.with_(occurrences=2, updated_at=datetime(2026, 6, 1, tzinfo=UTC)))
        assert done.steps == []

    def test_with_the_operators_word_it_is_written_like_any_other(self) -> None:
        """A12, A61: the same writing, through a verb of its own."""
        vault = VaultInMemory({"Diary.md": b"Dear diary\n"}, personal=True)
        record = vault.records[known_by("Diary.md")]
        vault.change(record.with_(content="Dear reader"))
        assert vault.files["Diary.md"] == b"Dear reader\n"
        vault.change(record.with_(content="Dear reader", status=Status.ARCHIVED))
        assert sorted(vault.files) == ["_archive/Diary.md"]
        assert vault.path(vault.save("New.", tier="T1")) == "new.md"
        assert vault.path(vault.save("Other.", tier="T3")) == "Agent/Memory/note/other.md"
