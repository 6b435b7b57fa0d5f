"""The full text index: what it finds, in which order, and that nothing asked for is syntax."""

from __future__ import annotations

import pytest

from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.model.filter import Filter
from commonplace.model.terms import query_terms
from commonplace.model.words import Entity
from commonplace.testing.makers import a_memory, a_signature

ALL = Filter()


@pytest.fixture
def canon(tmp_path):
    made = SqliteCanon(str(tmp_path / "book.sqlite"), timeout=5.0)
    yield made
    made.close()


def put(canon, *records):
    with canon.writing(5.0) as draft:
        for record in records:
            draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
    return records


def become(canon, before, **fields):
    after = type(before).from_dict({**before.to_dict(), **fields})
    with canon.writing(5.0) as draft:
        draft.commit(a_signature("evolve"), [(Entity.MEMORY, before, after)])
    return after


def asked(*words):
    return [term for word in words for term in query_terms(word)]


def found(canon, *words, where=ALL, limit=10):
    with canon.reading() as view:
        return view.lexical(asked(*words), where, limit)


def texts(canon, *words, **more):
    hits = found(canon, *words, **more)
    with canon.reading() as view:
        return [view.memory(hit.id).content for hit in hits]


@pytest.fixture(params=["fresh", "taken in"])
def settled(request, canon):
    """Every promise holds for memories that wait beside the index and for those inside it."""
    return (lambda: canon.settle(5.0)) if request.param == "taken in" else (lambda: None)


IDENTIFIERS = {
    "max_inject_chars": ["max_inject_chars", "inject", "maxInjectChars", "MAX_INJECT_CHARS", "max inject chars"],
    "us-east-1": ["us-east-1", "east", "us_east_1"],
    "maxInjectChars": ["maxInjectChars", "maxinjectchars", "max_inject_chars", "inject"],
    "parseHTTPResponse": ["parseHTTPResponse", "http", "parse_http_response"],
    "C++": ["C++", "c++"],
    "C#": ["C#"],
    "20.04": ["20.04"],
    "Zoë's": ["Zoe", "zoë", "Zoë's"],
    "日本語を勉強": ["日本語", "勉強", "日", "強", "日本語を勉強"],
    "한국어": ["한국어", "국어", "한"],
    "สวัสดี": ["สวัสดี"],
}


@pytest.mark.parametrize(("name", "question"), [(name, q) for name, asked in IDENTIFIERS.items() for q in asked])
def test_a_name_is_found_by_its_whole_and_by_its_parts(canon, settled, name, question):
    put(
        canon,
        a_memory(f"We set {name} here."),
        a_memory("Nothing of the sort."),
        a_memory("C is old, 20 people, 4 years."),
    )
    settled()
    assert texts(canon, question)[:1] == [f"We set {name} here."]


def test_the_whole_ranks_above_its_parts(canon, settled):
    put(canon, a_memory("The max is inject, in chars."), a_memory("Set max_inject_chars here."), a_memory("chars"))
    settled()
    assert texts(canon, "max_inject_chars")[0] == "Set max_inject_chars here."


@pytest.mark.parametrize(
    "question",
    ["a-b", "C++", "don't", "foo/bar", "x:y", "AND", "OR", "NEAR(", "*", "", '"', "'", "(", "^a", "a\0b", "\0", "{x}", "col:x",
     "\ud800", "%", "_", "\\", "-", "+", "a" * 10_000, "🦅", "²", "\u202e", "title:port", "日" * 500],
)  # fmt: skip
def test_any_text_is_a_legal_question(canon, settled, question):
    """Row 85."""
    put(canon, a_memory("The port is 8080."))
    settled()
    with canon.reading() as view:
        view.lexical([(question,)], ALL, 10)
        view.lexical(query_terms(question), ALL, 10)
        view.spellings(question, 5)


def test_a_title_counts_more_than_a_summary_and_that_more_than_the_content(canon, settled):
    put(
        canon,
        a_memory("A word: harbour and so on and so forth, three more."),
        a_memory("A word or so and so on and so forth, three more.", summary="harbour"),
        a_memory("A word or so and so on and so forth, three more.", title="harbour"),
        *(a_memory() for _ in range(10)),
    )
    settled()
    with canon.reading() as view:
        best = [view.memory(hit.id) for hit in view.lexical([("harbour",)], ALL, 10)]
    assert [(record.title, record.summary) for record in best] == [("harbour", None), (None, "harbour"), (None, None)]


def test_words_of_a_phrase_must_stand_together(canon, settled):
    put(canon, a_memory("blue sky"), a_memory("sky blue"), a_memory("blue and sky"))
    settled()
    with canon.reading() as view:
        assert [view.memory(hit.id).content for hit in view.lexical([("blue", "sky")], ALL, 10)] == ["blue sky"]


def test_ties_break_by_id(canon, settled):
    records = put(canon, *(a_memory(f"harbour {letter}") for letter in "abcdef"))
    settled()
    assert [hit.id for hit in found(canon, "harbour")] == sorted(record.id for record in records)


def test_the_filter_comes_first_and_the_answer_is_not_short(canon, settled):
    put(canon, *(a_memory("harbour " * 3, project_id="loud", scope="project") for _ in range(50)))
    put(
        canon,
        *(a_memory(f"harbour and very many other words {i}", project_id="quiet", scope="project") for i in range(5)),
    )
    settled()
    hits = found(canon, "harbour", where=Filter(project_id="quiet"), limit=4)
    assert len(hits) == 4


def test_a_changed_memory_is_found_by_its_new_words_only(canon, settled):
    (one,) = put(canon, a_memory("It is maxInjectChars."))
    settled()
    become(canon, one, content="It is minEjectBytes.", fingerprint="sha256:" + "0" * 64)
    assert texts(canon, "inject") == []
    assert texts(canon, "eject") == ["It is minEjectBytes."]


def test_a_place_is_the_order_in_which_the_book_learnt_it(canon, settled):
    put(canon, a_memory("harbour one"), a_memory("harbour two"), a_memory("harbour three"))
    settled()
    assert sorted(hit.place for hit in found(canon, "harbour")) == [1, 2, 3]
