"""What a result says: the record, its score and where that comes from, the evidence, and why (rfc 34, 39, 41, 45)."""

from __future__ import annotations

import pytest

from commonplace.errors import InvalidError
from commonplace.model.result import Reach, SearchResults
from commonplace.model.source import Source
from commonplace.model.words import Entity, Verb
from commonplace.retrieve.confidence import worth

PROFILES = ("hybrid", "words", "recent", "vault")


@pytest.fixture
def shop(understood):
    said = [
        ("The shop keeps its orders in a database.", {}),
        ("Postgres is the storage of the shop.", {"title": "Orders", "confidence": 0.9}),
        ("Deploys go out on Tuesday.", {}),
        ("A physician comes on Friday.", {"summary": "about the orders of the clinic"}),
    ]
    for content, more in said:
        understood.save(content, type="project", project_id="shop", **more)
    understood.index_pending()
    return understood


@pytest.mark.parametrize("profile", PROFILES)
def test_the_components_add_up_to_the_score_and_the_score_is_the_order(shop, profile):
    results = shop.search("where are the orders stored in the database", project="shop", profile=profile)
    assert len(results) >= 2
    for result in results:
        assert sum(result.scores.values()) == pytest.approx(result.score, abs=1e-5)
    assert [*results] == sorted(results, key=lambda result: -result.score)


@pytest.mark.parametrize("profile", ["hybrid", "words", "recent"])
def test_scores_of_two_questions_can_be_compared(shop, profile):
    """ADR 36: the best has what the search is sure of, however many points it made. What is absent and on topic makes many."""
    there, absent = (shop.search(f"the orders of the {what}", profile=profile) for what in ("shop", "hamster"))
    for found in (there, absent):
        assert found[0].score == pytest.approx(max(found.confidence, 0.01), abs=1e-3)
    assert there[0].score > absent[0].score


def test_a_best_one_with_hardly_a_point_scores_less_than_the_search_is_sure():
    assert worth(12.0, 0.6) * 12.0 == pytest.approx(0.6)
    assert worth(0.25, 0.6) * 0.25 == pytest.approx(0.15)
    assert worth(12.0, 0.0) * 12.0 == pytest.approx(0.01), "who is better can still be told"
    assert worth(-1.0, 0.6) * -1.0 < 0


@pytest.mark.parametrize("profile", PROFILES)
def test_each_component_ranks_the_results_by_what_it_adds(shop, profile):
    results = shop.search("orders database", project="shop", profile=profile)
    for name in {name for result in results for name in result.scores}:
        having = [result for result in results if name in result.scores]
        assert sorted(result.ranks[name] for result in having) == [*range(1, len(having) + 1)]
        best_first = sorted(having, key=lambda result: result.ranks[name])
        assert [r.scores[name] for r in best_first] == sorted((r.scores[name] for r in having), reverse=True)


def test_every_field_is_there(shop):
    results = shop.search("orders database", project="shop")
    for result in results:
        assert result.record == shop.get(result.record.id)
        assert result.matched_scope == result.record.scope == "project"
        assert result.reach is Reach.NEAR
        assert 0.0 <= result.relevance <= 1.0
        assert result.explanation
        assert "\n" not in result.explanation
        assert result.evidence.quote in result.record.content
        assert result.record.content[result.evidence.start : result.evidence.end] == result.evidence.quote
        assert result.evidence.ref == result.record.source_ref
    assert 0.0 <= results.confidence <= 1.0
    assert results.outcome == "found"
    assert SearchResults.from_json(results.to_json()) == results
    assert results[0] == next(iter(results)) == results.results[0]


def test_the_explanation_names_what_really_counted(shop):
    by_words, by_meaning = shop.search("Tuesday deploys", project="shop")[0], None
    assert "tuesday, deploys" in by_words.explanation
    for result in shop.search("medical help", project="shop"):
        if "physician" in result.record.content:
            by_meaning = result
    assert "its meaning is close" in by_meaning.explanation
    assert "words" not in by_meaning.explanation


def test_what_is_better_by_words_and_by_meaning_is_first(shop):
    assert "database" in shop.search("the database of the shop", project="shop")[0].record.content


@pytest.mark.parametrize(
    ("ref", "quoted_from", "quote"),
    [
        ("#4-15", "source", "port is 8080"[:11]),
        ("#char=4-15", "source", "port is 8080"[:11]),
        ("#4-4000", "memory", "The port is eighty-eighty."),  # beyond the source's end
        ("#15-4", "memory", "The port is eighty-eighty."),
        ("#L3", "memory", "The port is eighty-eighty."),
    ],
)
def test_a_span_of_a_source_is_quoted_from_the_source(book, ref, quoted_from, quote):
    with book._scribe.writing() as pen:
        pen.write(
            Entity.SOURCE, None, Source(id="s-1", kind="document", captured_at=pen.now, body="The port is 8080 now.")
        )
        pen.sign(Verb.SAVE)
    book.save("The port is eighty-eighty.", type="project", project_id="p", evidence_ref=f"s-1{ref}")
    (result,) = book.search("port", project="p")
    assert result.evidence.ref == f"s-1{ref}"
    assert (result.evidence.quoted_from, result.evidence.quote) == (quoted_from, quote)


@pytest.mark.parametrize("filler", ["Nothing is said here about anything else. ", "这里没有什么可说的", "x" * 50])
def test_of_a_long_memory_the_telling_stretch_is_quoted(book, filler):
    book.save(filler * 60 + " The kestrel nests in the tower. " + filler * 60, type="episode")
    (result,) = book.search("kestrel tower")
    assert "kestrel" in result.evidence.quote
    assert 40 <= len(result.evidence.quote) <= 240


def test_a_long_text_without_spaces_is_quoted_by_more_than_a_letter(book):
    book.save("数据库" + "的配置在服务器上运行良好并且每天备份" * 30, type="episode")
    (result,) = book.search("数据库")
    assert len(result.evidence.quote) > 100


def test_equal_scores_come_in_the_order_of_their_ids(open_book, path):
    from commonplace.testing.clocks import FixedClock

    book = open_book(clock=FixedClock())
    saved = [book.save(f"Falcon number {n}.", type="project", project_id="p") for n in range(20)]
    results = book.search("falcon", limit=20)
    assert len({result.score for result in results}) == 1
    assert [result.record.id for result in results] == sorted(record.id for record in saved)
    assert [r.record.id for r in book.search("falcon", limit=5)] == sorted(record.id for record in saved)[:5]
    assert path.exists()


@pytest.mark.parametrize("limit", [0, -1, 1001, True, "many"])
def test_a_limit_that_makes_no_sense_is_refused(book, limit):
    with pytest.raises(InvalidError):
        book.search("x", limit=limit)


def test_an_unknown_profile_is_refused_with_the_list(book):
    with pytest.raises(InvalidError, match="hybrid, vault, recent, words"):
        book.search("x", profile="best")


def test_never_more_than_the_limit(shop):
    assert [len(shop.search("orders database", limit=n)) for n in (1, 2)] == [1, 2]
