"""A server elsewhere: what it is asked, what is accepted from it, and how long it may keep us."""

from __future__ import annotations

import time
import traceback

import numpy as np
import pytest

from commonplace.errors import CommonplaceError, InvalidError, UnavailableError
from commonplace.providers.choice import choose

from .server import Server, vectors

KEY = "sk-test-1234567890"


def at(server, **settings):
    return choose({"embedder": {"use": server.url, "model": "m", "query_timeout": 0.8, "timeout": 0.8, **settings}})


def test_choosing_it_and_naming_its_model_calls_nobody():
    with Server() as server:
        chosen = at(server)
        assert chosen.model.startswith("m/endpoint/")
        assert chosen.max_tokens == 512
        assert server.seen == []


def test_documents_come_back_in_their_order_and_of_length_one():
    with Server() as server:
        rows = at(server).documents(["a", "bbbb", "cc"])
    expected = np.array([[2, 0, 2, 3], [5, 1, 2, 3], [3, 2, 2, 3]], dtype=np.float64)
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert rows.dtype == np.float32


def test_a_server_that_leaves_out_the_index_keeps_the_order():
    answer = {"data": [{"embedding": [1.0, 0.0]}, {"embedding": [0.0, 2.0]}]}
    with Server(answer) as server:
        assert at(server).documents(["a", "b"]).tolist() == [[1, 0], [0, 1]]


def test_what_is_asked_is_what_the_settings_say(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with Server() as server:
        chosen = at(
            server,
            api_key_env="MY_KEY",
            query_prefix="query: ",
            document_prefix="passage: ",
            query_extra={"input_type": "query"},
            document_extra={"input_type": "document"},
            dimensions=4,
            dimensions_field="output_dimension",
        )
        chosen.query("why?")
        chosen.documents(["because"])
        (path, headers, asked), (_, _, told) = server.seen
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert asked == {"model": "m", "input": ["query: why?"], "output_dimension": 4, "input_type": "query"}
    assert told == {"model": "m", "input": ["passage: because"], "output_dimension": 4, "input_type": "document"}


def test_without_a_key_none_is_sent():
    with Server() as server:
        at(server).query("x")
        assert "Authorization" not in server.seen[0][1]


def test_any_text_can_be_sent():
    """Servers refuse empty texts, half characters, and what is longer than their model reads."""
    with Server() as server:
        at(server, max_tokens=10).documents(["", "\ud800", "x" * 1000, "数" * 1000, "\x00"])
        assert server.seen[0][2]["input"] == [" ", "?", "x" * 30, "数" * 10, "\x00"]


def test_many_documents_go_in_batches():
    with Server() as server:
        rows = at(server, batch_size=3).documents([str(n) for n in range(8)])
        assert [len(asked["input"]) for _, _, asked in server.seen] == [3, 3, 2]
    assert rows.shape == (8, 4)


def test_how_many_dimensions_is_asked_once_and_kept():
    with Server() as server:
        chosen = at(server)
        assert (chosen.dimensions, chosen.dimensions) == (4, 4)
        assert chosen.documents([]).shape == (0, 4)
        assert len(server.seen) == 1


def test_the_mark_of_a_model_changes_with_all_that_shapes_its_vectors_and_not_with_the_address():
    marks = set()
    with Server() as one, Server() as other:
        assert at(one).model == at(other).model == at(one, batch_size=7, api_key="k").model
        for differing in (
            {},
            {"query_prefix": "q"},
            {"document_prefix": "q"},
            {"dimensions": 4},
            {"query_extra": {"a": 1}},
        ):
            marks.add(at(one, **differing).model)
    assert len(marks) == 5


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"garbage",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"data": null}',
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
        b'{"data": [{"index": 0, "embedding": [null, 1]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e308, 1e308, 1e308]}]}',
        b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        b'{"data": [{"index": 1, "embedding": [1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}',
    ],
)
def test_an_answer_that_is_not_one_vector_for_each_text_is_refused(answer):
    with Server(answer) as server, pytest.raises(UnavailableError) as refused:
        at(server).query("x")
    assert refused.value.code == "embedder"


def test_rows_of_different_length_are_refused():
    answer = {"data": [{"index": 0, "embedding": [1.0, 2.0]}, {"index": 1, "embedding": [1.0]}]}
    with Server(answer) as server, pytest.raises(UnavailableError, match="dimensions"):
        at(server).documents(["a", "b"])


def test_another_number_of_dimensions_than_was_asked_for_or_came_before_is_refused():
    with Server() as server, pytest.raises(UnavailableError, match="do not all have 8 dimensions"):
        at(server, dimensions=8).query("x")
    with Server(vectors, lambda asked: vectors(asked, 3)) as server:
        chosen = at(server)
        chosen.query("x")
        with pytest.raises(UnavailableError, match="do not all have 4 dimensions"):
            chosen.query("x")


@pytest.mark.parametrize("first", [500, 503, 429, (429, [("Retry-After", "0")]), "close"])
def test_what_may_pass_is_tried_again(first):
    with Server(first, vectors) as server:
        assert at(server, query_timeout=5.0).query("x").shape == (4,)
        assert len(server.seen) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_tried_again(status):
    with Server(status) as server:
        with pytest.raises(UnavailableError, match=f"it answers {status}"):
            at(server).query("x")
        assert len(server.seen) == 1


@pytest.mark.parametrize("how", ["hang", "drip", 500, (429, [("Retry-After", "3600")]), "close"])
def test_a_server_that_does_not_answer_costs_only_the_time_limit(how):
    with Server(how) as server:
        for ask in (lambda: at(server).query("x"), lambda: at(server).documents(["x"])):
            start = time.monotonic()
            with pytest.raises(UnavailableError):
                ask()
            assert time.monotonic() - start < 3


def test_nobody_there_is_said_so():
    with Server() as server:
        chosen = at(server)
    with pytest.raises(UnavailableError, match="nobody listens there"):
        chosen.query("x")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_refused_and_its_goal_is_not_called(status):
    """Row 93: each hop would have to be checked; there is no second hop."""
    with Server() as goal, Server((status, [("Location", goal.url)])) as server:
        with pytest.raises(UnavailableError, match="elsewhere"):
            at(server).query("x")
        assert goal.seen == []


@pytest.mark.parametrize("reply", [401, 500, "hang", "close", b"garbage", (302, [("Location", f"http://{KEY}/")])])
def test_the_key_is_in_no_error_and_no_description(reply):
    """The server even says it back to us."""
    with Server(reply) as server:
        chosen = at(server, api_key=KEY)
        with pytest.raises(CommonplaceError) as failed:
            chosen.query("x")
    said = "".join(traceback.format_exception(failed.value))
    assert KEY not in said + str(failed.value.to_dict()) + repr(chosen) + repr(chosen._settings)


@pytest.mark.parametrize("key", [f"{KEY}\r\nX-Other: 1", f"{KEY}\n", f"{KEY} x", f"{KEY}é"])
def test_a_key_that_is_no_key_is_refused_without_being_quoted(key):
    with Server() as server:
        with pytest.raises(InvalidError) as refused:
            at(server, api_key=key)
        assert server.seen == []
    assert KEY not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": ""},
        {"api_key": 7},
        {"modle": "x"},
        {"timeout": "soon"},
        {"timeout": 0},
        {"timeout": float("inf")},
        {"timeout": float("nan")},
        {"query_timeout": -1},
        {"batch_size": 0},
        {"dimensions": 0},
        {"query_extra": "x"},
    ],
)
def test_settings_that_are_not_understood_are_refused(wrong):
    with Server() as server, pytest.raises(InvalidError) as refused:
        at(server, **wrong)
    assert refused.value.hint
