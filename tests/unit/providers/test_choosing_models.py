"""Which model is used is decided by the settings and by what is here, without asking anybody, and never by accident."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commonplace.errors import InvalidError, UnavailableError
from commonplace.providers.choice import choose, choose_reranker
from commonplace.providers.weights import E5, POTION, RERANKER, TAUGHT, TAUGHT_RERANKER


@pytest.fixture
def only(no_models, monkeypatch):
    """A models folder that has only these, as links to the ones that `make setup` brought."""

    def link(*wanted):
        for weights in wanted:
            monkeypatch.delenv("COMMONPLACE_MODELS")
            origin = weights.folder
            monkeypatch.setenv("COMMONPLACE_MODELS", str(no_models))
            no_models.mkdir(exist_ok=True)
            os.symlink(origin, weights.folder)

    return link


def test_without_settings_the_best_that_is_here_is_used(only):
    only(TAUGHT, E5, POTION, TAUGHT_RERANKER, RERANKER)
    assert choose({}).model == TAUGHT.mark
    assert choose_reranker({}).model == TAUGHT_RERANKER.mark


def test_who_has_the_models_of_an_earlier_version_goes_on_with_those(only):
    only(E5, POTION, RERANKER)
    assert choose({}).model == E5.mark
    assert choose_reranker({}).model == RERANKER.mark


def test_without_a_transformer_the_table_of_vectors_is_used(only):
    only(POTION)
    assert choose({}).model == POTION.mark


def test_without_any_model_everything_works_on_words(no_models):
    assert choose({}) is None
    assert choose_reranker({}) is None


def test_half_a_model_is_no_model(only, no_models):
    Path(E5.folder).mkdir(parents=True)
    Path(E5.path("vocab.txt")).write_bytes(b"\0" * 231_508)
    assert choose({}) is None


@pytest.mark.parametrize("config", [{"embedder": "none"}, {"embedder": {"use": "none"}}])
def test_none_is_none(config):
    assert choose(config) is None


def test_the_environment_goes_before_the_file_and_the_caller_before_both(monkeypatch):
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "potion-base-8m")
    monkeypatch.setenv("COMMONPLACE_RERANKER", "none")
    assert choose({"embedder": "none"}).model == POTION.mark
    assert choose_reranker({"reranker": RERANKER.name}) is None
    assert choose({"embedder": "none"}, "e5-small-v2").model == E5.mark
    assert choose_reranker({}, "auto").model == TAUGHT_RERANKER.mark


@pytest.mark.parametrize("name", ["commonplace-e5", "e5-small-v2", "bge-small", "potion-base-8m"])
def test_a_model_that_is_named_and_not_here_is_an_error_and_not_a_demotion(no_models, name):
    with pytest.raises(UnavailableError) as missing:
        choose({"embedder": name})
    assert missing.value.code == "no_model"
    assert f"python -m commonplace.providers.fetch {name}" in missing.value.hint


@pytest.mark.parametrize("use", ["gpt", "E5", "", "file:///etc/passwd", "ms-marco-minilm-l12", 7, None])
def test_a_name_that_nobody_knows_is_refused_with_the_known_ones(use):
    with pytest.raises(InvalidError):
        choose({"embedder": {"use": use}})


@pytest.mark.parametrize("table", [["e5-small-v2"], 7, True])
def test_a_table_that_is_no_table_is_refused(table):
    with pytest.raises(InvalidError):
        choose({"embedder": table})


def test_an_embedder_is_no_reranker():
    with pytest.raises(InvalidError, match="ms-marco-minilm-l12"):
        choose_reranker({"reranker": "e5-small-v2"})


@pytest.mark.parametrize("extra", [{"model": "x"}, {"thread": 2}, {"threads": 0}, {"threads": "2"}, {"threads": True}])
def test_settings_that_mean_nothing_are_refused(extra):
    with pytest.raises(InvalidError):
        choose({"embedder": {"use": "e5-small-v2", **extra}})


def test_an_address_in_the_environment_does_not_get_the_key_of_the_file(monkeypatch):
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "https://other.example/v1#some-model")
    chosen = choose({"embedder": {"use": "https://mine.example/v1", "model": "m", "api_key": "the-key-of-mine"}})
    assert repr(chosen).endswith("at https://other.example:443>")
    assert chosen._server._key() == ""
