"""What every catalog promises a reader: the questions of `seam.catalog.View`, one promise a test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from commonplace.errors import NotFoundError, NotSearchedError
from commonplace.model.base import Noun
from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Status
from commonplace.seam.canon import Canon
from commonplace.seam.catalog import View
from commonplace.seam.terms import Page
from commonplace.testing.clocks import EPOCH
from commonplace.testing.finding_contract import FindingContract
from commonplace.testing.makers import a_conflict, a_full_memory, a_link, a_memory, a_source
from commonplace.testing.opened import ENTITIES

ANY = Filter(statuses=EVERY_STATUS)


class ReadingContract(FindingContract):
    """Subclass, provide `open_catalog`, and you are done."""

    def test_every_field_of_a_memory_comes_back_as_it_went(self, catalog: Canon) -> None:
        record = a_full_memory()
        self.put(catalog, record)
        with catalog.reading() as view:
            found = view.memory(record.id)
        assert found is not None
        if catalog.capabilities.keeps_every_field:
            assert found == record
        assert (found.id, found.content, found.status) == (record.id, record.content, record.status)

    def test_links_conflicts_and_sources_come_back_too(self, catalog: Canon) -> None:
        one, other = a_memory(), a_memory()
        things: list[Noun] = [a_source(body="raw", title="t", uri="u", actor="bob"), a_conflict(one, other)]
        if catalog.capabilities.keeps_links:
            things.append(a_link(one, "supports", other))
        self.put(catalog, one, other, *things)
        with catalog.reading() as view:
            assert [view.noun(ENTITIES[type(thing).__name__], thing.id) for thing in things] == things  # type: ignore[attr-defined]

    def test_what_is_not_there_is_none(self, catalog: Canon) -> None:
        with catalog.reading() as view:
            assert (view.memory("nobody"), view.operation("nobody"), view.remembered("nobody")) == (None, None, None)
            assert [view.noun(entity, "nobody") for entity in ENTITIES.values()] == [None] * 4
            assert [*view.links("nobody"), *view.conflicts_of("nobody"), *view.same_words("nobody")] == []
            assert [*view.operations(subject="nobody"), *view.foreign_history("nobody")] == []

    def test_an_alias_answers_where_no_id_does(self, catalog: Canon) -> None:
        named = a_memory(aliases=("m-1",))
        impostor = a_memory(aliases=(named.id,))
        self.put(catalog, named, impostor)
        with catalog.reading() as view:
            assert view.memory("m-1") == view.memory(named.id) == named

    def test_memories_come_newest_first_then_last_learnt_first(self, catalog: Canon) -> None:
        early, late = a_memory(created_at=EPOCH), a_memory(created_at=EPOCH + timedelta(hours=1))
        twins = [a_memory(created_at=EPOCH + timedelta(minutes=1)) for _ in range(3)]
        self.put(catalog, late, *twins, early)
        with catalog.reading() as view:
            assert [*view.memories(Filter())] == [late, *twins[::-1], early]

    @pytest.fixture
    def many(self, catalog: Canon) -> list[MemoryRecord]:
        """Memories that differ in everything one can ask for."""
        made = [
            a_memory(
                status=("active", "inbox", "archived")[n % 3],
                type=("episode", "decision")[n % 2],
                scope=("global", "project", "repo")[n % 3],
                project_id=f"p{n % 4}",
                repo_id="r" if n % 3 == 2 else None,
                agent_id="a" if n % 5 == 0 else None,
                tenant="t" if n % 7 == 0 else None,
                kind=("note", "log")[n % 2],
                trust=("operator", "agent", "external")[n % 3],
                tags=tuple(tag for tag, k in (("even", 2), ("third", 3)) if n % k == 0),
                always_load=n % 6 == 0,
                source_ref="s1" if n % 2 else None,
                source_kind="run" if n % 4 else "manual",
            )
            for n in range(24)
        ]
        self.put(catalog, *made)
        return made

    FILTERS: tuple[dict[str, Any], ...] = (
        {}, {"statuses": ()}, {"statuses": ("inbox", "archived")}, {"statuses": ("active", "active")},
        {"statuses": EVERY_STATUS}, {"types": ("decision",)}, {"types": ()}, {"types": ("decision", "episode")},
        {"scopes": ("repo",)}, {"kinds": ("log",), "statuses": EVERY_STATUS}, {"tags": ("even", "third")}, {"tags": ()},
        {"tags": ("even",), "statuses": EVERY_STATUS}, {"tags": ("nothing",)}, {"trusts": ("agent", "external")},
        {"project_id": "p1", "statuses": EVERY_STATUS}, {"project_id": "p"}, {"repo_id": "r", "statuses": EVERY_STATUS},
        {"agent_id": "a"}, {"tenant": "t"}, {"source_ref": "s1"}, {"source_ref": "s1", "statuses": EVERY_STATUS},
        {"always_load": True}, {"always_load": False}, {"project_id": "%"}, {"kinds": ("n_te",)},
        {"types": ("episode",), "project_id": "p2", "tags": ("even",), "statuses": EVERY_STATUS},
    )  # fmt: skip

    @pytest.mark.parametrize("asked", FILTERS, ids=str)
    def test_a_filter_gives_exactly_what_it_says(self, catalog: Canon, many: list[MemoryRecord], asked: Any) -> None:
        where = Filter(**asked)
        wanted = [record for record in reversed(many) if where.matches(record)]
        with catalog.reading() as view:
            assert [*view.memories(where)] == wanted
            assert [record for _, record in view.in_order(where)] == wanted

    def test_since_is_included_and_until_is_not(self, catalog: Canon, many: list[MemoryRecord]) -> None:
        where = Filter(statuses=EVERY_STATUS, since=many[3].created_at, until=many[9].created_at)
        with catalog.reading() as view:
            assert [*view.memories(where)] == many[3:9][::-1]

    @pytest.mark.parametrize("limit", [1, 5, 100])
    @pytest.mark.parametrize("asked", FILTERS[:14], ids=str)
    def test_pages_give_each_once_and_in_order(
        self, catalog: Canon, many: list[MemoryRecord], asked: Any, limit: int
    ) -> None:
        where = Filter(**asked)
        wanted = [record for record in reversed(many) if where.matches(record)]
        with catalog.reading() as view:
            assert [*_pages(view, where, limit)] == wanted

    def test_going_on_behind_what_is_not_there_is_not_found(self, catalog: Canon) -> None:
        with catalog.reading() as view, pytest.raises(NotFoundError):
            [*view.memories(Filter(), Page(limit=1, after="nobody"))]
        with catalog.reading() as view, pytest.raises(NotFoundError):
            view.order_of("nobody")

    def test_places_are_greater_when_newer(self, catalog: Canon, many: list[MemoryRecord]) -> None:
        with catalog.reading() as view:
            places = [view.order_of(record.id) for record in many]
        assert places == sorted(places)
        assert len({*places}) == len(places)

    def test_a_twin_says_the_same_to_the_same_readers(self, catalog: Canon) -> None:
        first, second = a_memory("Tabs."), a_memory("TABS. ")
        self.put(catalog, first, second)
        now = EPOCH + timedelta(days=1)
        with catalog.reading() as view:
            assert view.twin(a_memory("tabs."), now) == first
            for other in ({"type": "decision"}, {"scope": "session"}, {"project_id": "p"}, {"repo_id": "r"},
                          {"agent_id": "a"}, {"tenant": "t"}):  # fmt: skip
                assert view.twin(a_memory("Tabs.", **other), now) is None

    @pytest.mark.parametrize("status", [status for status in Status if status not in ("active", "inbox")])
    def test_what_does_not_stand_is_no_twin(self, catalog: Canon, status: str) -> None:
        gone, expired = a_memory("Tabs.", status=status), a_memory("Tabs.", valid_to=EPOCH)
        waiting = a_memory("Tabs.", status="inbox")
        self.put(catalog, gone, expired)
        with catalog.reading() as view:
            assert view.twin(a_memory("Tabs."), EPOCH + timedelta(days=1)) is None
            assert {*view.same_words(gone.fingerprint)} == {gone.id, expired.id}
        self.put(catalog, waiting)
        with catalog.reading() as view:
            assert view.twin(a_memory("Tabs."), EPOCH + timedelta(days=1)) == waiting

    def test_links_and_conflicts_are_seen_from_both_sides(self, catalog: Canon) -> None:
        if not catalog.capabilities.keeps_links:
            return  # that it refuses them is tested where canons are tested
        one, two, three = a_memory(), a_memory(), a_memory()
        links = [a_link(one, "supports", two), a_link(two, "supports", one), a_link(three, "derived_from", one)]
        conflict = a_conflict(two, one)
        self.put(catalog, one, two, three, *links, conflict)
        with catalog.reading() as view:
            assert {link.id for link in view.links(one.id)} == {link.id for link in links}
            assert view.links(one.id) == view.links(one.id)
            assert view.links(three.id) == links[2:]
            assert view.conflicts_of(one.id) == view.conflicts_of(two.id) == [conflict]
            assert view.conflicts_of(three.id) == []

    def test_nouns_come_in_the_order_of_their_ids(self, catalog: Canon, many: list[MemoryRecord]) -> None:
        with catalog.reading() as view:
            assert [*view.nouns(Entity.MEMORY)] == sorted(many, key=lambda record: record.id)
            assert [*view.ids(Entity.MEMORY)] == sorted(record.id for record in many)
            assert view.present(Entity.MEMORY, [many[0].id, "nobody"]) == {many[0].id}

    def test_words_find_memories_best_first(self, catalog: Canon) -> None:
        title = a_memory("Something.", title="The falcon")
        content, away = a_memory("There is a falcon, among much else."), a_memory("A falcon.", status="archived")
        self.put(catalog, content, title, away, a_memory("A sparrow."))
        with catalog.reading() as view:
            if not catalog.capabilities.full_text:
                with pytest.raises(NotSearchedError):
                    view.words(("falcon",), Filter(), 10)
                return
            found = view.words(("falcon", "eagle"), Filter(), 10)
            assert [record.id for record, _ in found] == [title.id, content.id]
            assert found[0][1] > found[1][1]
            assert [record for record, _ in view.words(("falcon",), Filter(statuses=(Status.ARCHIVED,)), 10)] == [away]
            assert len(view.words(("falcon",), ANY, 2)) == 2
            assert view.words((), ANY, 10) == []

    @pytest.mark.parametrize("word", ['"', "AND", "*", "a-b", "title:x", "NEAR(", "'; --", "^", "{}", "\\"])
    def test_nothing_in_a_word_is_syntax(self, catalog: Canon, word: str) -> None:
        if catalog.capabilities.full_text:
            with catalog.reading() as view:
                assert view.words((word,), ANY, 10) == []

    def test_what_changed_is_found_by_its_new_words_only(self, catalog: Canon) -> None:
        before = a_memory("A falcon.", title="bird", tags=("old",))
        self.put(catalog, before)
        after = before.with_(content="A sparrow.", title="fowl", tags=("new",), aliases=("m-2",))
        self.change(catalog, before, after)
        with catalog.reading() as view:
            assert [*view.memories(Filter(tags=("old",)))] == []
            assert [*view.memories(Filter(tags=("new",)))] == [after]
            assert view.memory("m-2") == after
            if catalog.capabilities.full_text:
                assert view.words(("falcon", "bird"), ANY, 10) == []
                assert [record for record, _ in view.words(("sparrow",), ANY, 10)] == [after]

    def test_counts_are_right(self, catalog: Canon, many: list[MemoryRecord]) -> None:
        with catalog.reading() as view:
            counts = view.counts()
        assert counts["status"] == {"active": 8, "archived": 8, "inbox": 8}
        assert counts["type"] == {"decision": 12, "episode": 12}
        assert (counts["total"]["memories"], counts["total"]["journal"]) == (24, 24)


def _pages(view: View, where: Filter, limit: int) -> Iterator[MemoryRecord]:
    after = None
    while page := [*view.memories(where, Page(limit=limit, after=after))]:
        yield from page
        after = page[-1].id
