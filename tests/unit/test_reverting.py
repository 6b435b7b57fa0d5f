"""Reverting: undo an operation or a run, with all that was derived from it, or say what stands in the way."""

from __future__ import annotations

import pytest

from commonplace.errors import ConflictError, NotFoundError
from commonplace.testing.state import nouns_of


@pytest.fixture
def looks():
    """What the book holds, but for when it was last touched: a revert is a touch too."""

    def look(book):
        with book._scribe.canon.reading() as view:
            held = nouns_of(view)
        for record in held["memory"]:
            record["updated_at"] = None
        return held

    return look


@pytest.fixture
def pair(book):
    return [book.save(text, type="episode", evidence_ref=f"chat/{text}").id for text in ("one", "two")]


def last(book):
    return book.journal()[-1]


CHANGES = {
    "reinforce": lambda book, one, _: book.save("one", type="episode"),
    "evolve": lambda book, one, _: book.evolve(one, "uno", reason="italian"),
    "link": lambda book, one, two: book.link(one, two, "supports"),
    "contradict": lambda book, one, two: book.contradict(one, two),
    "archive": lambda book, one, _: book.archive(one, reason="r"),
    "forget": lambda book, one, _: book.forget(one),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_undoing_leaves_the_book_as_it_was_and_undoing_that_does_it_again(book, looks, pair, change):
    before = looks(book)
    change(book, *pair)
    after, done = looks(book), last(book)
    undone = book.revert(done)
    assert (undone.verb, undone.reverts) == ("revert", (done.id,))
    left = looks(book)
    if done.verb == "evolve":  # what was made is soft-deleted, not destroyed
        made = left["memory"].pop()
        assert (made["status"], made["content"]) == ("deleted", "uno")
    assert left == before
    book.revert(undone)
    assert looks(book) == after
    assert book.verify().ok


@pytest.mark.parametrize(
    ("prepare", "change"),
    [
        (lambda book, one, two: book.archive(one), lambda book, one, two: book.restore(one)),
        (lambda book, one, two: book.link(one, two), lambda book, one, two: book.unlink(one, two)),
        (lambda book, one, two: book.archive(one), lambda book, one, two: book.forget(one)),
    ],
    ids=["restore", "unlink", "forget after archive"],
)
def test_undoing_what_undid_something(book, looks, pair, prepare, change):
    prepare(book, *pair)
    before = looks(book)
    change(book, *pair)
    book.revert(last(book))
    assert looks(book) == before


@pytest.mark.parametrize("verb", ["confirm", "reject"])
def test_a_review_can_be_undone(book, agent, looks, verb):
    old = book.save("Tabs.", type="profile")
    waiting = agent.evolve(old.id, "Spaces.", reason="saw it")
    before = looks(book)
    getattr(book, verb)(waiting.id)
    book.revert(last(book))
    assert looks(book) == before


def test_undoing_a_save_soft_deletes_what_it_made(book):
    saved = book.save("One.", type="episode")
    book.revert(book.history(saved.id)[0], reason="mistake")
    gone = book.get(saved.id)
    assert (gone.status, gone.content) == ("deleted", "One.")
    assert book.history(saved.id)[-1].reason == "mistake"
    assert book.restore(saved.id).status == "active"


def test_undoing_the_first_save_keeps_the_source_others_cite(book):
    """rfc 25, 26: a source is not undone with the first memory that came from it."""
    first, second = book.save("One.", type="episode"), book.save("Two.", type="episode")
    undone = book.revert(book.history(first.id)[0])
    assert book.explain(second.id).source is not None
    book.save("Three.", type="episode")
    book.revert(undone)
    assert book.get(first.id).status == "active"
    assert book.verify().ok


def test_what_was_derived_goes_with_it(book):
    """Row 121: one command rolls back a source of error with everything that came of it, however far."""
    root, child, grandchild, stranger = (book.save(t, type="episode").id for t in ("root", "child", "grand", "else"))
    book.link(child, root, "derived_from")
    book.link(grandchild, child, "derived_from")
    book.link(stranger, root, "supports")
    undone = book.revert(book.history(root)[0])
    assert {book.get(id).status for id in (root, child, grandchild)} == {"deleted"}
    assert book.get(stranger).status == "active"
    assert len(undone.reverts) == 3
    book.revert(undone)
    assert {book.get(id).status for id in (root, child, grandchild)} == {"active"}


def test_an_agents_link_does_not_take_along_what_the_operator_said(book, agent):
    """R10: to call it derived is not to be able to undo it."""
    junk, precious = agent.save("Junk.", type="episode"), book.save("Precious.", type="episode")
    agent.link(precious.id, junk.id, "derived_from")
    book.revert(book.history(junk.id)[0])
    assert (book.get(junk.id).status, book.get(precious.id).status) == ("deleted", "active")


def test_a_later_change_that_rests_on_it_stands_in_the_way_by_name(book, everything):
    saved = book.save("Tabs.", type="profile")
    save = last(book)
    book.evolve(saved.id, "Spaces.", reason="new editor")
    evolve = last(book)
    before = everything(book)
    with pytest.raises(ConflictError) as refused:
        book.revert(save)
    assert f"{evolve.id} (evolve by alice)" in str(refused.value)
    assert "newest first" in refused.value.hint
    assert everything(book) == before
    book.revert(evolve)
    book.revert(save)
    assert book.get(saved.id).status == "deleted"


def test_all_that_stands_in_the_way_is_named_and_what_was_undone_is_not(book):
    saved = book.save("Tabs.", type="profile")
    save = last(book)
    book.save("Tabs.", type="profile")
    again = last(book)
    book.archive(saved.id)
    archive = last(book)
    book.revert(archive)
    book.forget(saved.id)
    forget = last(book)
    with pytest.raises(ConflictError) as refused:
        book.revert(save)
    assert again.id in str(refused.value)
    assert forget.id in str(refused.value)
    assert archive.id not in str(refused.value)


def test_what_was_undone_is_not_undone_twice(book, everything, pair):
    book.archive(pair[0])
    archive = last(book)
    book.revert(archive)
    before = everything(book)
    with pytest.raises(ConflictError, match="already"):
        book.revert(archive)
    assert everything(book) == before


def test_changes_that_do_not_touch_each_other_are_undone_in_any_order(book, pair):
    book.archive(pair[0])
    first = last(book)
    book.archive(pair[1])
    book.link(*pair, "supports")
    book.revert(first)
    assert [book.get(id).status for id in pair] == ["active", "archived"]


class TestRuns:
    """Operations of one run are undone together."""

    @pytest.fixture
    def run(self, book, open_book, tmp_path, pair):
        other = open_book(at=tmp_path / "other.sqlite")
        ids = [other.save(text, type="episode").id for text in ("three", "four")]
        other.link(*ids, "supports")
        other.contradict(*ids)
        other.export(str(tmp_path / "x.jsonl"))
        return book.import_(str(tmp_path / "x.jsonl")).run, ids

    def test_a_run_is_undone_whole(self, book, run, pair):
        undone = book.revert(run[0])
        assert {book.get(id).status for id in run[1]} == {"deleted"}
        assert (book.stats().links, book.stats().conflicts) == (0, 0)
        assert {*undone.reverts} == {op.id for op in book.journal(run=run[0])}
        assert {book.get(id).status for id in pair} == {"active"}
        assert book.verify().ok

    def test_and_done_again_whole(self, book, run, looks):
        before = looks(book)
        book.revert(book.revert(run[0]))
        assert looks(book) == before

    def test_a_memory_that_was_restored_since_can_be_undone_with_its_run_again(self, book, open_book, tmp_path, pair):
        """Though the run noted a source too, which stays whatever happens."""
        other = open_book("bob", at=tmp_path / "other.sqlite")
        id = other.save("Port 9090.", type="episode").id
        other.export(str(tmp_path / "y.jsonl"))
        run = book.import_(str(tmp_path / "y.jsonl")).run
        book.revert(run)
        book.restore(id)
        book.revert(run)
        assert book.get(id).status == "deleted"
        with pytest.raises(ConflictError, match="undone already"):
            book.revert(run)

    def test_a_change_since_stands_in_its_way(self, book, run, everything):
        book.archive(run[1][0])
        archive = last(book)
        before = everything(book)
        with pytest.raises(ConflictError, match=archive.id):
            book.revert(run[0])
        assert everything(book) == before

    @pytest.fixture
    def linked(self, book, run):
        return next(op for op in book.journal(run=run[0]) if ">supports>" in op.subjects()[0])

    def test_one_operation_of_a_run_can_be_undone_alone(self, book, run, linked):
        book.revert(linked)
        assert book.get(run[1][0]).status == "active"
        assert book.verify().ok

    def test_then_the_rest_of_it_can_be_undone_as_one(self, book, run, linked):
        book.revert(linked)
        undone = book.revert(run[0])
        assert linked.id not in undone.reverts
        assert {book.get(id).status for id in run[1]} == {"deleted"}
        with pytest.raises(ConflictError, match="already") as refused:
            book.revert(run[0])
        assert refused.value.hint

    def test_what_was_undone_and_done_again_is_undone_with_it(self, book, run, linked):
        book.revert(book.revert(linked))
        assert linked.id in book.revert(run[0]).reverts

    def test_what_was_purged_of_it_does_not_keep_the_rest(self, book, run):
        """One memory of a thousand was purged: the other 999 can still be undone as one."""
        book.purge(run[1][0])
        book.revert(run[0])
        assert book.get(run[1][1]).status == "deleted"
        assert book.verify().ok


def test_a_purge_cannot_be_undone(book, pair):
    book.purge(pair[0])
    purge = last(book)
    save = book.journal()[0]
    for operation in (purge, save):
        with pytest.raises(ConflictError, match="purged"):
            book.revert(operation)


def test_an_unknown_operation_is_not_found(book, pair):
    with pytest.raises(NotFoundError):
        book.revert(pair[0])
