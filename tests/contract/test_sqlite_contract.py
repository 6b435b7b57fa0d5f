"""SQLite keeps every promise of a canon, alone and behind each wrapper."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.errors import UnavailableError
from commonplace.seam.canon import Canon
from commonplace.testing.canon_contract import CanonContract
from commonplace.testing.makers import a_memory
from commonplace.testing.state import files_under, state_of
from commonplace.testing.wrappers import Lesser, ReadOnly, Traced


class TestSqlite(CanonContract):
    def open_canon(self, where: Path) -> Canon:
        return SqliteCanon(str(where / "book.sqlite"), timeout=5)

    def raw(self, where: Path) -> dict[str, bytes]:
        return {name: raw for name, raw in files_under(where).items() if name.startswith("book.sqlite")}


class TestTraced(TestSqlite):
    """A wrapper that only listens changes no answer."""

    def open_canon(self, where: Path) -> Canon:
        return Traced(super().open_canon(where))

    def test_it_tells_who_looked_and_who_wrote(self, tmp_path: Path) -> None:
        canon = self.open_canon(tmp_path)
        assert isinstance(canon, Traced)
        self.put(canon, a_memory())
        with canon.reading():
            pass
        assert canon.calls == ["writing", "written", "reading"]
        canon.close()


class TestLesser(TestSqlite):
    """The contract's other answers: what a canon cannot do it refuses, in our words, with nothing changed."""

    def open_canon(self, where: Path) -> Canon:
        return Lesser(super().open_canon(where), full_text=False, purge=False, keeps_links=False)


class TestReadOnly:
    """A book that may be looked at and not touched."""

    @pytest.fixture
    def full(self, tmp_path: Path):
        canon = TestSqlite().open_canon(tmp_path)
        TestSqlite.put(canon, a_memory("A falcon."), a_memory())
        yield canon
        canon.close()

    def test_every_question_has_the_same_answer(self, full: Canon):
        assert state_of(ReadOnly(full)) == state_of(full)

    def test_nothing_can_be_changed_through_it(self, full: Canon):
        before, shut = state_of(full), ReadOnly(full)
        for ask in (lambda: shut.writing(1), shut.rebuild_index, lambda: shut.scrub(1)):
            with pytest.raises(UnavailableError) as refused:
                ask()
            assert (refused.value.code, bool(refused.value.hint)) == ("read_only", True)
        assert state_of(full) == before
