"""What every catalog promises a search: hits by words and by vectors, what stands beside them, and receipts."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from commonplace.errors import NotSearchedError
from commonplace.model.filter import EVERY_STATUS, Circle, Filter
from commonplace.model.fingerprint import fingerprint
from commonplace.model.receipt import Moment, Receipt
from commonplace.model.record import MemoryRecord
from commonplace.seam.canon import Canon
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_link, a_memory, a_receipt, a_signature
from commonplace.testing.opened import OpenedCatalog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANY = Filter(statuses=EVERY_STATUS)
_NOBODY = "nobody"


def axis(number: int, dimensions: int = 8) -> NDArray[np.float32]:
    """One passage that points along one axis."""
    import numpy as np

    made = np.zeros((1, dimensions), dtype=np.float32)
    made[0, number] = 1.0
    return made


class FindingContract(OpenedCatalog):
    """The questions of `seam.catalog.View` that a search asks. `ReadingContract` includes it."""

    @pytest.fixture
    def birds(self, catalog: Canon) -> list[MemoryRecord]:
        """Four memories, each with a vector of its own."""
        made = [a_memory(f"A {name} sat there.") for name in ("falcon", "sparrow", "heron", "kestrel")]
        self.put(catalog, *made)
        self.embed(catalog, made, [axis(number) for number in range(4)])
        return made

    # By id, by place, by link ----------------------------------------------------------------------------------------

    def test_many_memories_are_had_by_one_question(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        with catalog.reading() as view:
            found = view.by_id([birds[2].id, _NOBODY, birds[0].id, birds[0].id])
            assert found == {birds[0].id: birds[0], birds[2].id: birds[2]}
            assert view.by_id([]) == {}

    def test_an_alias_is_no_id(self, catalog: Canon) -> None:
        self.put(catalog, a_memory(aliases=("m-1",)))
        with catalog.reading() as view:
            assert view.by_id(["m-1"]) == {}

    def test_places_lead_back_to_memories_and_follow_the_order_of_learning(
        self, catalog: Canon, birds: list[MemoryRecord]
    ) -> None:
        with catalog.reading() as view:
            place = {hit.id: hit.place for hit in view.nearest("m", axis(0)[0], ANY, 10)}
            found = view.at_places([*place.values(), 10**9])
            names = {at: id for id, at in place.items()}
            assert {at: record.id for at, record in found.items()} == names
            assert view.names([*place.values(), 10**9]) == names
            assert view.at_places([]) == {}
            assert view.names([]) == {}
        assert [id for id, _ in sorted(place.items(), key=lambda pair: pair[1])] == [record.id for record in birds]

    def test_a_strand_says_whose_it_is_when_it_was_and_how_it_begins(self, catalog: Canon) -> None:
        one = a_memory("Alice: hello there", type="episode", scope="project", project_id="p", observed_at=EPOCH)
        other = a_memory("Bob: hello", type="episode", scope="project", project_id="q")
        self.put(catalog, one, other)
        self.embed(catalog, [one, other], [axis(0), axis(1)])
        with catalog.reading() as view:
            first, second = (hit.place for hit in view.nearest("m", axis(0)[0], ANY, 10))
            strands = view.strands([first, second, 10**9])
            assert strands.keys() == {first, second}
            assert strands[first].owner != strands[second].owner
            assert strands[first].owner[0] == "episode"
            assert strands[first].length == len(one.content)
            assert one.content.startswith(strands[first].opening[:5])
            assert strands[second].at - strands[first].at == (other.created_at - EPOCH) // timedelta(microseconds=1)

    def test_links_of_many_are_each_named_once_from_both_sides(self, catalog: Canon) -> None:
        if not catalog.capabilities.keeps_links:
            return  # that it refuses them is tested where canons are tested
        one, two, three, four = (a_memory() for _ in range(4))
        links = [a_link(one, "supports", two), a_link(three, "derived_from", one), a_link(three, "related_to", four)]
        self.put(catalog, one, two, three, four, *links)
        with catalog.reading() as view:
            assert {link.id for link in view.links_of([one.id, two.id])} == {links[0].id, links[1].id}
            assert len(view.links_of([one.id, two.id])) == 2
            assert view.links_of([four.id, _NOBODY]) == links[2:]
            assert view.links_of([one.id, three.id]) == view.links_of([three.id, one.id])
            assert view.links_of([]) == []
            by_id = sorted(links, key=lambda link: link.id, reverse=True)
            assert view.links_behind(None, 10) == by_id
            assert view.links_behind(by_id[0].id, 1) == by_id[1:2]

    def test_hits_are_the_same_column_by_column_and_one_by_one(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        import numpy as np

        long = a_memory("Many words.")
        self.put(catalog, long)
        self.embed(catalog, [long], [np.concatenate([axis(5), axis(6)])])
        with catalog.reading() as view:
            hits = view.nearest("m", axis(6)[0], ANY, 10)
            passages = hits.passages or [0] * len(hits)
            columns = [*zip(hits.places, hits.scores, passages, strict=True)]
            assert [(hit.place, hit.score, hit.passage) for hit in hits] == columns
            assert (hits[0].id, passages[0], len(hits)) == (long.id, 1, 1 + len(birds))
            assert [hit.id for hit in hits] == [view.names(hits.places)[place] for place in hits.places]
            both = hits + view.similar("m", axis(6)[0], hits.places[:1])
            assert [*both] == [*hits, hits[0]]

    # By words --------------------------------------------------------------------------------------------------------

    def test_a_term_of_several_words_must_stand_together(self, catalog: Canon) -> None:
        if not catalog.capabilities.full_text:
            return  # that it says so is tested with `words`
        together, apart = a_memory("The red kite flies."), a_memory("The kite is red.")
        self.put(catalog, apart, together)
        with catalog.reading() as view:
            assert [hit.id for hit in view.lexical([("red", "kite")], ANY, 10)] == [together.id]
            assert {hit.id for hit in view.lexical([("red",), ("kite",)], ANY, 10)} == {together.id, apart.id}
            assert view.lexical([], ANY, 10) == []
            assert view.lexical([("red",)], ANY, 0) == []

    def test_equal_hits_come_in_the_order_of_their_ids(self, catalog: Canon) -> None:
        if not catalog.capabilities.full_text:
            return
        same = [a_memory("A falcon.", project_id=f"p{n}", scope="project") for n in range(6)]
        self.put(catalog, *same[::-1])
        self.embed(catalog, same, [axis(0)] * 6)
        with catalog.reading() as view:
            wanted = sorted(record.id for record in same)
            assert [hit.id for hit in view.lexical([("falcon",)], ANY, 10)] == wanted
            assert [hit.id for hit in view.lexical([("falcon",)], ANY, 3)] == wanted[:3]
            assert [hit.id for hit in view.nearest("m", axis(0)[0], ANY, 10)] == wanted
            assert [hit.id for hit in view.nearest("m", axis(0)[0], ANY, 3)] == wanted[:3]

    def test_how_many_hold_a_word_is_about_right(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        if not catalog.capabilities.full_text:
            return
        for _ in range(2):
            with catalog.reading() as view:
                counts, total = view.held_by(["falcon", "sat", "nothing"])
                assert (counts["falcon"], counts["sat"], counts["nothing"], total) == (1, len(birds), 0, len(birds))
            catalog.settle(5)  # wherever they wait
        if catalog.capabilities.purge:
            with catalog.writing(5) as draft:
                draft.erase(a_signature("purge"), [birds[0].id], [])
            with catalog.reading() as view:
                assert view.held_by(["sat"]) == ({"sat": len(birds) - 1}, len(birds) - 1)

    def test_a_slip_finds_the_word_that_was_meant(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        if not catalog.capabilities.full_text:
            return
        with catalog.reading() as view:
            assert view.spellings("flacon", 3) == ["falcon"]
            assert view.spellings("kestral", 3) == ["kestrel"]
            assert view.spellings("falcon", 3) == []  # it is here: nothing is to be mended
            assert view.spellings("zzzzzz", 3) == view.spellings("", 3) == view.spellings("flacon", 0) == []

    # By vectors ------------------------------------------------------------------------------------------------------

    def test_the_nearest_comes_first_with_its_cosine(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        asked = 0.8 * axis(1)[0] + 0.6 * axis(2)[0]
        with catalog.reading() as view:
            found = view.nearest("m", asked, ANY, 2)
            assert [hit.id for hit in found] == [birds[1].id, birds[2].id]
            assert [hit.score for hit in found] == pytest.approx([0.8, 0.6], abs=0.01)
            assert view.nearest("m", asked, ANY, 0) == []

    def test_the_same_is_said_of_memories_at_given_places(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        asked = 0.8 * axis(1)[0] + 0.6 * axis(2)[0]
        with catalog.reading() as view:
            every = {hit.id: hit for hit in view.nearest("m", asked, ANY, 10)}
            places = [every[birds[2].id].place, every[birds[0].id].place, 10**9]
            found = {hit.id: hit for hit in view.similar("m", asked, places)}
            assert found.keys() == {birds[0].id, birds[2].id}
            for id, hit in found.items():
                assert (hit.place, hit.passage) == (every[id].place, every[id].passage)
                assert hit.score == pytest.approx(every[id].score, abs=1e-6)
            assert view.similar("m", asked, []) == view.similar("another", asked, places) == []

    def test_the_best_passage_is_named_and_all_of_them_can_be_read(self, catalog: Canon) -> None:
        import numpy as np

        long = a_memory("Many words.")
        self.put(catalog, long)
        self.embed(catalog, [long], [np.concatenate([axis(3), axis(5), axis(6)])])
        with catalog.reading() as view:
            (hit,) = view.nearest("m", axis(5)[0], ANY, 1)
            assert (hit.id, hit.passage) == (long.id, 1)
            assert view.similar("m", axis(6)[0], [hit.place])[0].passage == 2
            vectors = view.vectors_of("m", [hit.place, 10**9])
            assert vectors.keys() == {hit.place}
            asked = np.concatenate([axis(3), 0.6 * axis(5) + 0.8 * axis(6), axis(7)])
            assert vectors[hit.place] @ asked.T == pytest.approx(
                np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.0], [0.0, 0.8, 0.0]]), abs=0.02
            )
            assert view.vectors_of("another", [hit.place]) == view.vectors_of("m", []) == {}

    def test_a_vector_counts_only_for_the_words_it_was_made_of(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        """A45, A77."""
        with catalog.reading() as view:
            place = view.nearest("m", axis(0)[0], ANY, 1)[0].place
        said = "An eagle sat there."
        changed = birds[0].with_(content=said, fingerprint=fingerprint(said))
        self.change(catalog, birds[0], changed, "evolve")
        with catalog.reading() as view:
            assert birds[0].id not in {hit.id for hit in view.nearest("m", axis(0)[0], ANY, 10)}
            assert view.vectors_of("m", [place]) == {}
            assert view.similar("m", axis(0)[0], [place]) == []
            assert ([record.id for record in view.unembedded("m", 10)], view.count_unembedded("m")) == ([changed.id], 1)
        self.embed(catalog, birds[:1], [axis(0)])  # made of the old words meanwhile: too late
        with catalog.reading() as view:
            assert view.count_unembedded("m") == 1
        self.embed(catalog, [changed], [axis(7)])
        with catalog.reading() as view:
            assert view.nearest("m", axis(7)[0], ANY, 1)[0].id == changed.id
            assert view.unembedded("m", 10) == []

    def test_and_only_under_the_title_it_was_made_with(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        """A45, A77: the model reads the title too, if that says more than the memory itself."""
        renamed = birds[0].with_(title="What was seen at the lake")
        self.change(catalog, birds[0], renamed, "edit")
        with catalog.reading() as view:
            assert birds[0].id not in {hit.id for hit in view.nearest("m", axis(0)[0], ANY, 10)}
            assert ([record.id for record in view.unembedded("m", 10)], view.count_unembedded("m")) == ([renamed.id], 1)
        self.embed(catalog, [renamed], [axis(7)])
        with catalog.reading() as view:
            assert view.nearest("m", axis(7)[0], ANY, 1)[0].id == renamed.id
            assert view.unembedded("m", 10) == []

    def test_each_model_has_its_own_vectors(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        with catalog.reading() as view:
            assert (view.has_vectors("m"), view.has_vectors("other")) == (True, False)
            assert view.nearest("other", axis(0)[0], ANY, 10) == []
            assert view.count_unembedded("other") == len(birds) == len(view.unembedded("other", 10))
            assert len(view.unembedded("other", 3)) == 3
        self.embed(catalog, birds[:1], [axis(5)], model="other")
        with catalog.reading() as view:
            assert [hit.id for hit in view.nearest("other", axis(5)[0], ANY, 10)] == [birds[0].id]
            assert view.nearest("m", axis(5)[0], ANY, 10)[0].score == pytest.approx(0.0, abs=0.02)
        with catalog.writing(5) as draft:
            draft.drop_vectors("m")
        with catalog.reading() as view:
            assert (view.has_vectors("m"), view.has_vectors("other")) == (False, True)

    def test_another_number_of_dimensions_could_not_be_looked_for(
        self, catalog: Canon, birds: list[MemoryRecord]
    ) -> None:
        with catalog.reading() as view:
            place = view.nearest("m", axis(0)[0], ANY, 1)[0].place
            with pytest.raises(NotSearchedError):
                view.nearest("m", axis(0, dimensions=5)[0], ANY, 10)
            with pytest.raises(NotSearchedError):
                view.similar("m", axis(0, dimensions=5)[0], [place])
        assert birds

    def test_the_background_is_what_any_memory_is_like(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        with catalog.reading() as view:
            assert view.background("m", axis(0)[0]) is None  # four are too few to tell
            assert view.background("another", axis(0)[0]) is None
        more = [a_memory() for _ in range(60)]
        self.put(catalog, *more)
        self.embed(catalog, more, [axis(number % 4) for number in range(60)])
        with catalog.reading() as view:
            said = view.background("m", axis(0)[0])
        assert said is not None
        assert said[0] == pytest.approx(0.25, abs=0.06)
        assert said[1] == pytest.approx(0.43, abs=0.06)
        with catalog.writing(5) as draft:
            draft.drop_vectors(None)
        self.embed(catalog, more, [axis(5, dimensions=6)] * 60, model="another")
        with catalog.reading() as view:
            said = view.background("another", axis(0, dimensions=6)[0])
        assert said is not None
        assert said[0] == pytest.approx(0.0, abs=0.01)  # nothing is left of what the first model said
        assert birds

    # The filter comes first ------------------------------------------------------------------------------------------

    def test_every_stream_looks_behind_the_filter_and_is_not_short(self, catalog: Canon) -> None:
        """rfc 39: metadata first. Many better ones outside do not hide the few inside."""
        outside = [a_memory("Falcon falcon falcon.", scope="project", project_id="q") for _ in range(40)]
        inside = [a_memory(f"A falcon among {n} other words.", scope="project", project_id="p") for n in range(3)]
        own = a_memory("A falcon of mine.", scope="agent", agent_id="a")
        self.put(catalog, *outside, *inside, own)
        tilted = (axis(0) + 0.5 * axis(1)) / 1.25**0.5
        self.embed(catalog, [*outside, *inside, own], [axis(0)] * 40 + [tilted] * 4)
        wanted = {record.id for record in inside}
        for where, ids in (
            (Filter(project_id="p"), wanted),
            (Filter(within=Circle(project_id="p")), wanted),
            (Filter(within=Circle(project_id="p", agent_id="a")), {*wanted, own.id}),
            (Filter(beyond=Circle(project_id="p")), {record.id for record in outside}),
            (Filter(beyond=Circle(project_id="q")), wanted),
        ):
            with catalog.reading() as view:
                assert {hit.id for hit in view.nearest("m", axis(0)[0], where, 50)} == ids
                if catalog.capabilities.full_text:
                    assert {hit.id for hit in view.lexical([("falcon",)], where, 50)} == ids

    # Receipts --------------------------------------------------------------------------------------------------------

    def test_receipts_come_newest_first_and_by_what_they_looked_at(self, catalog: Canon) -> None:
        made = [
            a_receipt(chosen=["a"], near_misses=["b"]),
            a_receipt(chosen=["b", "c"], session="s"),
            a_receipt(session="s", chosen=["a", "a"]),
        ]
        _keep(catalog, *made)
        with catalog.reading() as view:
            assert view.receipts() == made[::-1]
            assert view.receipts(limit=1) == made[2:]
            assert view.receipts(memory_id="a") == [made[2], made[0]]
            assert view.receipts(memory_id="b") == [made[1], made[0]]  # nearly brought up is brought up
            assert view.receipts(session="s") == [made[2], made[1]]
            assert view.receipts(since=made[1].at) == [made[2], made[1]]
            assert view.receipts(memory_id="a", session="s", since=made[2].at) == made[2:]
            assert view.receipts(memory_id=_NOBODY) == view.receipts(session=_NOBODY) == []
            assert (view.receipt(made[0].id), view.receipt(_NOBODY)) == (made[0], None)

    def test_what_was_handed_over_is_known_however_often_it_was_only_looked_at_since(self, catalog: Canon) -> None:
        """Who hears it again must not take it for something new (the echo guard)."""
        handed = [a_receipt(moment=Moment.PROMPT, chosen=["a"], near_misses=["b"])]
        looked = [a_receipt(moment=Moment.SEARCH, chosen=["a", "b"]) for _ in range(90)]
        nearly = [a_receipt(moment=Moment.PROMPT, chosen=["c"], near_misses=["a", "b"]) for _ in range(90)]
        for some in (handed, looked, nearly):
            _keep(catalog, *some)
        with catalog.reading() as view:
            assert [view.was_handed_over(id) for id in ("a", "b", "c", _NOBODY)] == [True, False, True, False]

    def test_keeping_a_receipt_twice_is_keeping_it_once(self, catalog: Canon) -> None:
        one = a_receipt(chosen=["a"])
        _keep(catalog, one)
        _keep(catalog, one, one)
        with catalog.reading() as view:
            assert view.receipts() == view.receipts(memory_id="a") == [one]

    def test_the_oldest_receipts_make_room_and_the_newest_stay(self, catalog: Canon) -> None:
        made = [a_receipt(chosen=["a"]) for _ in range(260)]
        for start in range(0, 260, 20):
            _keep(catalog, *made[start : start + 20], most=30)
        with catalog.reading() as view:
            left = view.receipts(limit=1000)
            assert left == made[::-1][: len(left)]
            assert 30 <= len(left) < 260
            assert view.receipts(memory_id="a", limit=1000) == left
            assert view.receipt(made[0].id) is None

    def test_a_receipt_that_comes_late_is_found_like_any_other(self, catalog: Canon) -> None:
        """It waited behind a busy writer while others wrote theirs."""
        late, *others = (a_receipt(chosen=["a"]) for _ in range(200))
        _keep(catalog, *others)
        _keep(catalog, late)
        with catalog.reading() as view:
            assert view.receipts(memory_id="a", limit=1000) == view.receipts(limit=1000)
            assert view.receipts(limit=1000)[-1] == late

    def test_looking_is_no_operation(self, catalog: Canon, birds: list[MemoryRecord]) -> None:
        with catalog.reading() as view:
            before = (view.highest_seq(), [*view.memories(ANY)])
        _keep(catalog, a_receipt(chosen=[birds[0].id]))
        self.embed(catalog, birds[:1], [axis(0)], model="another")
        with catalog.reading() as view:
            assert (view.highest_seq(), [*view.memories(ANY)]) == before


def _keep(catalog: Canon, *receipts: Receipt, most: int = 1000) -> None:
    with catalog.writing(5) as draft:
        draft.keep_receipts(receipts, most)
