"""What every catalog promises of its journal: each change once, in order, chained; and what is erased is gone."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from commonplace.errors import UnavailableError
from commonplace.model.filter import Filter
from commonplace.model.operation import GENESIS, Entry
from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.seam.catalog import View
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_link, a_memory, a_signature, a_source
from commonplace.testing.reading_contract import ANY, ReadingContract
from commonplace.testing.state import nouns_of


class Interrupted(Exception):  # noqa: N818 - it is not an error of ours
    """Raised inside a draft, to see that nothing of it stays."""


class CatalogContract(ReadingContract):
    """Everything a catalog promises, reading and writing."""

    def test_one_commit_is_one_entry_with_both_sides(self, catalog: Canon) -> None:
        record = a_memory()
        signed = [a_signature(reason="why"), a_signature("archive")]
        with catalog.writing(5) as draft:
            draft.commit(signed[0], [(Entity.MEMORY, None, record)])
            draft.commit(signed[1], [(Entity.MEMORY, record, record.with_(status="archived"))])
        with catalog.reading() as view:
            made, changed = [*view.operations()]
            assert [view.operation(signature.id) for signature in signed] == [made, changed]
        assert (made.seq, changed.seq, made.reason, made.id) == (1, 2, "why", signed[0].id)
        assert [(c.id, c.before, c.after) for c in made.changes] == [(record.id, None, record.to_dict())]
        assert [(c.before, c.after) for c in changed.changes] == [({"status": "active"}, {"status": "archived"})]

    def test_a_draft_sees_its_own_writing_and_others_see_it_when_it_ends(self, catalog: Canon, tmp_path: Path) -> None:
        record, other = a_memory(), self.open_catalog(tmp_path)
        with catalog.writing(5) as draft:
            draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
            assert draft.memory(record.id) == record
            with other.reading() as view:
                assert view.memory(record.id) is None
        with other.reading() as view:
            assert view.memory(record.id) == record
        other.close()

    def test_a_view_belongs_to_one_moment(self, catalog: Canon, tmp_path: Path) -> None:
        other = self.open_catalog(tmp_path)
        first, second = a_memory(), a_memory()
        self.put(catalog, first)
        with other.reading() as view:
            assert view.highest_seq() == 1
            self.put(catalog, second)
            assert view.memory(second.id) is None
            assert [*view.memories(ANY)] == [first]
        other.close()

    def test_an_exception_inside_undoes_everything(self, catalog: Canon) -> None:
        record = a_memory(aliases=("m-9",), tags=("x",))
        with pytest.raises(Interrupted), catalog.writing(5) as draft:  # noqa: PT012 - all of it must be undone
            draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
            draft.remember("k", "asked", record.id)
            draft.keep_aside("file", 1, "bad", b"raw", EPOCH)
            draft.bury("gone", None, 1)
            raise Interrupted
        with catalog.reading() as view:
            assert (view.memory(record.id), view.memory("m-9"), view.remembered("k")) == (None, None, None)
            assert (view.highest_seq(), [*view.chain()], [*view.tombstones()]) == (0, [], [])
            assert view.counts()["total"]["quarantine"] == 0
        self.put(catalog, record)
        with catalog.reading() as view:
            assert view.memory("m-9") == record

    def test_the_chain_is_whole(self, catalog: Canon) -> None:
        if not catalog.capabilities.keeps_journal:
            return
        self.put(catalog, *(a_memory() for _ in range(5)))
        with catalog.reading() as view:
            entries, prev = [*view.chain()], GENESIS
            assert view.highest_seq() == 5
        for number, entry in enumerate(entries, 1):
            assert (entry.seq, entry.prev, entry.is_sound()) == (number, prev, True)
            prev = entry.hash

    def test_operations_are_narrowed_by_every_question(self, catalog: Canon) -> None:
        one, two = a_memory(), a_memory()
        hour = timedelta(hours=1)
        signed = [a_signature(), a_signature(actor="bob", at=EPOCH + hour, run="r1"),
                  a_signature("archive", at=EPOCH + 2 * hour, run="r1")]  # fmt: skip
        with catalog.writing(5) as draft:
            draft.commit(signed[0], [(Entity.MEMORY, None, one)])
            draft.commit(signed[1], [(Entity.MEMORY, None, two)])
            draft.commit(signed[2], [(Entity.MEMORY, one, one.with_(status="archived"))])
        with catalog.reading() as view:
            assert _seqs(view) == [1, 2, 3]
            assert _seqs(view, newest_first=True) == [3, 2, 1]
            assert _seqs(view, subject=one.id) == [1, 3]
            assert _seqs(view, subject=one.id, newest_first=True) == [3, 1]
            assert _seqs(view, subject=one.id, after_seq=1) == [3]
            assert _seqs(view, actor="bob") == _seqs(view, verb="save", run="r1") == [2]
            assert _seqs(view, run="r1") == _seqs(view, after_seq=1) == _seqs(view, since=EPOCH + hour) == [2, 3]
            assert _seqs(view, until=EPOCH + hour) == [1, 2]
            assert _seqs(view, since=EPOCH + hour, until=EPOCH + hour) == [2]
            assert {*view.subjects()} == {one.id, two.id}
            assert [*view.subjects()] == sorted(view.subjects())

    def test_the_journal_knows_what_it_speaks_of(self, catalog: Canon) -> None:
        one, other, signed = a_memory(), a_memory(), a_signature()
        with catalog.writing(5) as draft:
            draft.commit(signed, [(Entity.MEMORY, None, one), (Entity.MEMORY, None, other)])
        with catalog.reading() as view:
            assert view.is_subject(one.id)
            assert not view.is_subject("nobody")
            assert view.is_named(1, [one.id, other.id, signed.id])
            assert not view.is_named(1, [one.id, "nobody"])
            assert not view.any_purged()

    def test_a_link_is_part_of_the_history_of_both_ends(self, catalog: Canon) -> None:
        if not catalog.capabilities.keeps_links:
            return
        one, other, stranger = a_memory(), a_memory(), a_memory()
        self.put(catalog, one, other, stranger, a_link(one, "supports", other))
        with catalog.reading() as view:
            assert [_seqs(view, subject=record.id) for record in (one, other, stranger)] == [[1, 4], [2, 4], [3]]

    def test_a_moment_is_the_last_entry_the_book_had_then(self, catalog: Canon) -> None:
        """The clock may go back; then a later entry has an earlier time and still counts."""
        hours = (1, 2, 2, 1, 4)
        with catalog.writing(5) as draft:
            for hour in hours:
                draft.commit(a_signature(at=EPOCH + timedelta(hours=hour)), [(Entity.MEMORY, None, a_memory())])
        with catalog.reading() as view:
            at = [view.seq_at(EPOCH + timedelta(hours=hour)) for hour in (0, 1, 2, 3, 4, 5)]
        assert at == [0, 4, 4, 4, 5, 5]

    def test_committing_many_is_committing_each(self, catalog: Canon, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        other = self.open_catalog(tmp_path / "other")
        source, records = (
            a_source(),
            [a_memory(tags=("t",), aliases=(f"m-{n}",), title=f"falcon {n}") for n in range(4)],
        )
        several = [(a_signature("import", run="r"), Entity.SOURCE, source)]
        several += [(a_signature("import", run="r"), Entity.MEMORY, record) for record in records]  # type: ignore[misc]
        with catalog.writing(5) as draft:
            draft.commit_all(several)
        with other.writing(5) as draft:
            for signature, entity, noun in several:
                draft.commit(signature, [(entity, None, noun)])
        with catalog.reading() as bulk, other.reading() as single:
            assert nouns_of(bulk) == nouns_of(single)
            told = [[op.to_dict() | {"hash": None} for op in view.operations()] for view in (bulk, single)]
            assert told[0] == told[1]
            assert bulk.memory("m-3") == records[3]
            assert all(entry.is_sound() for entry in bulk.chain())
            if catalog.capabilities.full_text:
                assert len(bulk.words(("falcon",), Filter(tags=("t",)), 10)) == 4
        other.close()

    def test_another_books_journal_is_adopted_verbatim(self, catalog: Canon, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        other = self.open_catalog(tmp_path / "other")
        record = a_memory("A falcon.", tags=("t",))
        self.put(catalog, record, a_source())
        self.change(catalog, record, record.with_(status="archived", title="bird"))
        with catalog.reading() as theirs, other.writing(5) as draft:
            draft.adopt_all([(entry, entry.operation()) for entry in theirs.chain()])
        with catalog.reading() as theirs, other.reading() as ours:
            assert [entry.to_json() for entry in ours.chain()] == [entry.to_json() for entry in theirs.chain()]
            assert nouns_of(ours) == nouns_of(theirs)
            assert ours.highest_seq() == 3
        self.put(other, a_memory())
        with other.reading() as ours:
            assert all(entry.is_sound() for entry in ours.chain())
        other.close()

    def test_a_key_remembers_what_was_asked_and_who_answered(self, catalog: Canon) -> None:
        with catalog.writing(5) as draft:
            draft.remember("k", "hash", "m1")
        with catalog.reading() as view:
            assert view.remembered("k") == ("hash", "m1")

    def test_keeping_aside_or_beside_twice_is_keeping_once(self, catalog: Canon) -> None:
        record = a_memory()
        self.put(catalog, record)
        with catalog.reading() as view:
            entry: Entry = next(view.chain())
        for _ in range(2):
            with catalog.writing(5) as draft:
                draft.keep_aside("file", 7, "not json", b"raw bytes", EPOCH)
                draft.keep_foreign("elsewhere", [(entry, entry.operation())])
                draft.bury("gone", None, 3)
        with catalog.reading() as view:
            assert view.counts()["total"]["quarantine"] == 1
            assert [op.id for op in view.foreign_history(record.id)] == [entry.id]
            assert (view.is_purged("gone"), [*view.tombstones()]) == (True, [("gone", 3)])

    def test_what_is_erased_is_gone_and_leaves_a_tombstone(self, catalog: Canon) -> None:
        gone, stays, source = a_memory("A falcon.", aliases=("m-1",), tags=("t",)), a_memory(), a_source(body="raw")
        self.put(catalog, gone, stays, source)
        if catalog.capabilities.keeps_links:
            self.put(catalog, a_link(stays, "supports", gone))
        if not catalog.capabilities.purge:
            self._refuses_to_erase(catalog, gone.id)
            return
        with catalog.writing(5) as draft:
            draft.remember("k", "hash", gone.id)
            payloads = draft.erase(a_signature("purge"), [gone.id], [source.id])
        assert payloads == (3 if catalog.capabilities.keeps_links else 2)
        with catalog.reading() as view:
            assert view.memory(gone.id) is view.memory("m-1") is view.noun(Entity.SOURCE, source.id) is None
            assert (view.links(stays.id), view.same_words(gone.fingerprint), view.remembered("k")) == ([], [], None)
            assert [*view.memories(ANY)] == [stays]
            assert view.any_purged()
            assert view.is_purged(gone.id)
            assert view.is_purged("another id", gone.fingerprint)
            assert not view.is_purged(stays.id, stays.fingerprint)
            assert (gone.id, view.highest_seq()) in [*view.tombstones()]
            assert all(entry.is_sound() for entry in view.chain())
            assert not next(view.operations(subject=stays.id)).purged
            assert "falcon" not in "".join(op.to_json() for op in view.operations())
            if catalog.capabilities.full_text:
                assert view.words(("falcon",), ANY, 10) == []

    def _refuses_to_erase(self, catalog: Canon, id: str) -> None:
        with pytest.raises(UnavailableError) as refused, catalog.writing(5) as draft:
            draft.erase(a_signature("purge"), [id], [])
        assert refused.value.code == "unsupported"
        with catalog.reading() as view:
            assert view.memory(id) is not None
            assert [*view.tombstones()] == []


def _seqs(view: View, **asked: object) -> list[int]:
    return [operation.seq for operation in view.operations(**asked)]  # type: ignore[arg-type]
