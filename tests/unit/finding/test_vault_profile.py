"""The `vault` profile: 0.85 similarity + 0.05 for each word, worked out by hand (A73)."""

from __future__ import annotations

import pytest

from .meanings import cosine

QUESTION = "which database has the orders"
WORDS = {"which", "database", "has", "the", "orders"}


@pytest.fixture
def vault(understood):
    return understood


def put(book, content, **more):
    return book.save(content, **({"type": "project", "project_id": "p"} | more))


def by_hand(content, slug="", tags=()):
    text = " ".join((slug, *tags, content[:500])).lower()
    return 0.85 * cosine(QUESTION, content) + 0.05 * sum(word in text for word in WORDS)


def test_the_scores_are_those_that_one_works_out_by_hand(vault):
    said = [
        "Postgres has the orders.",
        "The database of the shop.",
        "A physician has other orders, reordersomething.",
        "Orders, orders, orders.",
    ]
    records = [put(vault, content) for content in said]
    vault.index_pending()
    results = vault.search(QUESTION, profile="vault")
    assert {result.record.id: result.score for result in results} == pytest.approx(
        {record.id: by_hand(record.content, record.slug) for record in records}, abs=0.01
    )
    for result in results:
        assert result.scores.keys() <= {"semantic", "lexical"}


def test_a_word_counts_once_and_as_a_part_and_in_slug_and_tags_and_not_beyond_500_characters(vault):
    twice = put(vault, "orders orders preorders")
    tagged = put(vault, "Nothing here.", tags=["orders-database"])
    far = put(vault, "x " * 260 + "orders")
    vault.index_pending()
    lexical = {r.record.id: r.scores.get("lexical", 0.0) for r in vault.search("orders of", profile="vault")}
    assert lexical[twice.id] == pytest.approx(0.05)
    assert lexical[tagged.id] == pytest.approx(0.05)
    assert lexical[far.id] == 0.0


def test_words_of_two_letters_do_not_count(vault):
    put(vault, "It is on an ox.")
    assert len(vault.search("it is on an ox", profile="vault")) == 0  # nothing scores without a vector


def test_without_vectors_the_words_alone_count_and_nothing_is_made_up(book):
    one = put(book, "The orders database.")
    put(book, "Lunch is at noon.")
    (result,) = book.search(QUESTION, profile="vault")
    assert (result.record.id, result.scores) == (one.id, {"lexical": pytest.approx(0.15)})


def test_a_tie_goes_to_the_more_similar_then_to_the_path_that_comes_first(vault):
    paths = ["b.md", "a.md", "c.md"]
    same = [put(vault, f"Database {path[0]}.", aliases=[path]) for path in paths]
    vault.index_pending()
    results = vault.search("database", profile="vault")
    assert len({result.score for result in results}) == 1
    assert [result.record.id for result in results] == [same[1].id, same[0].id, same[2].id]


def test_what_has_no_score_is_left_out(vault, server):
    """Combined <= 0: something that points away from the question."""
    from .meanings import answering, vector_of

    server.replies[:] = [answering(lambda text: [-x for x in vector_of(text)] if "away" in text else vector_of(text))]
    put(vault, "Points away.")
    put(vault, "Points there.")
    vault.index_pending()
    assert [r.record.content for r in vault.search("something", profile="vault")] == ["Points there."]
