"""Words and meaning together, with the real model (rfc 54): each finds what the other cannot, and the explanation says which."""

from __future__ import annotations

import pytest

import commonplace

FACTS = [
    "The billing service listens on port 8443.",
    "Error code E1234-X means that the disk quota is exhausted.",
    "She adopted a golden retriever puppy last spring.",
    "Our physician recommended more sleep.",
    "We moved the nightly backups to object storage in Frankfurt.",
    "The team prefers short stand-up meetings in the morning.",
    "The garden needs water twice a week in summer.",
    "Invoices are sent on the first working day of a month.",
    "The staging cluster runs Kubernetes 1.29.",
    "He plays the violin in an amateur orchestra.",
    "The office moved to the third floor.",
    "Tickets are triaged every Monday.",
]


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    with commonplace.open(f"sqlite:{folder}/book.sqlite", embedder="e5-small-v2", reranker="none") as book:
        for fact in FACTS:
            book.save(fact, type="project", project_id="p")
        report = book.index_pending()
        assert (report.embedded, report.waiting) == (len(FACTS), 0)
        yield book


@pytest.mark.parametrize(
    ("question", "fact"),
    [("who owns a dog", 2), ("what did the doctor say", 3), ("music hobby", 9), ("taking care of plants outside", 6)],
)
def test_meaning_finds_what_shares_no_word(real, question, fact):
    results = real.search(question)
    assert results[0].record.content == FACTS[fact]
    assert results[0].scores["semantic"] > 0
    assert "its meaning is close" in results[0].explanation
    assert real.search(question, profile="words").outcome == "nothing_found" or (
        real.search(question, profile="words")[0].record.content != FACTS[fact]
    )


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Which floor must be kept moist in the hot months?", 6),
        ("Which breed of dog lives with her third cousin in Frankfurt?", 2),
    ],
)
def test_one_word_in_common_does_not_outdo_what_is_meant(real, question, fact):
    assert real.search(question, profile="words")[0].record.content != FACTS[fact]
    assert real.search(question)[0].record.content == FACTS[fact]


@pytest.mark.parametrize(("question", "fact"), [("E1234-X", 1), ("8443", 0), ("1.29", 8)])
def test_words_find_what_has_no_meaning(real, question, fact):
    result = real.search(question)[0]
    assert result.record.content == FACTS[fact]
    assert result.scores["lexical"] > 0
    assert "it holds the words" in result.explanation


def test_both_add_to_one_score(real):
    result = real.search("on which port does the billing service listen")[0]
    assert result.record.content == FACTS[0]
    assert min(result.scores["lexical"], result.scores["semantic"]) > 0
    receipt = real.receipts(limit=1)[0]
    assert {stream.name: stream.searched for stream in receipt.streams} == {"lexical": True, "semantic": True}
    assert receipt.models["embedder"].startswith("e5-small-v2")


def test_the_reranker_reads_the_best_again_and_its_word_is_a_component(real):
    with commonplace.open(real.url, create=False, embedder="none", reranker="ms-marco-minilm-l12") as book:
        results = book.search("which code means that the disk is full")
        assert results[0].record.content == FACTS[1]
        assert results[0].scores["rerank"] > 0
        assert sum(results[0].scores.values()) == pytest.approx(results[0].score, abs=1e-5)
        assert book.receipts(limit=1)[0].models["reranker"].startswith("ms-marco")
        assert "rerank" not in book.search("which code means that the disk is full", rerank=False)[0].scores


def test_a_reranker_that_cannot_be_had_leaves_the_order_and_says_so(real):
    with commonplace.open(real.url, create=False, embedder="none", reranker="no-such-model") as book:
        results = book.search("disk quota")
        assert results[0].record.content == FACTS[1]
        (said,) = [stream for stream in results.streams if stream.name == "rerank"]
        assert (said.searched, bool(said.why_not)) == (False, True)


def test_a_long_question_is_legal(real):
    assert len(real.search("dog " * 100_000)) > 0


def test_confidence_tells_what_is_there_from_what_is_not(real):
    there = [real.search(q).confidence for q in ("billing port", "disk quota error code", "nightly backups storage")]
    absent = [
        real.search(q).confidence for q in ("passport number", "submarine maintenance", "Hungarian lottery results")
    ]
    assert min(there) > max(absent)


def test_what_waits_for_its_vector_is_found_by_its_words(real):
    """rfc 17, 41, 50."""
    waiting = real.save("The zeppelin hangar opens at dawn.", type="project", project_id="p")
    result = real.search("zeppelin hangar")[0]
    assert result.record.id == waiting.id
    assert "semantic" not in result.scores
    real.purge(waiting.id)
