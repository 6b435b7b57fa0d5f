"""Which extractor is used: what the caller names, the environment, the config file, else the rules."""

from __future__ import annotations

import pytest

from commonplace.errors import InvalidError
from commonplace.ingest.choice import choose_extractor
from commonplace.ingest.llm import LlmExtractor
from commonplace.ingest.rules.extractor import RuleExtractor

from .talk import P, transcript


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch):
    monkeypatch.delenv("COMMONPLACE_EXTRACTOR", raising=False)


def test_rules_are_the_default():
    assert isinstance(choose_extractor({}), RuleExtractor)


@pytest.mark.parametrize("config", [{"extractor": "none"}, {"extractor": {"use": "none"}}])
def test_none_is_none(config):
    assert choose_extractor(config) is None


def test_the_environment_goes_before_the_file_and_the_caller_before_both(monkeypatch):
    monkeypatch.setenv("COMMONPLACE_EXTRACTOR", "none")
    assert choose_extractor({"extractor": "rules"}) is None
    assert isinstance(choose_extractor({"extractor": "none"}, "rules"), RuleExtractor)


def test_an_address_is_a_model(monkeypatch):
    monkeypatch.setenv("COMMONPLACE_EXTRACTOR", "http://localhost:1/v1#m")
    chosen = choose_extractor({"extractor": {"use": "http://localhost:2", "api_key": "secret"}})
    assert isinstance(chosen, LlmExtractor)
    assert chosen._chat._settings.api_key == ""  # the key of the file does not go to the address of the environment


def test_how_many_are_proposed_is_a_setting():
    told = transcript((P, None, "The API port is 8080. The CI server is jenkins-2."))
    assert len(choose_extractor({"extractor": {"most": 1}}).proposals(told)) == 1
    assert len(choose_extractor({}).proposals(told)) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        "rule", "", 7, {"use": 7}, {"use": "rules", "model": "m"}, {"most": 0}, {"most": "x"}, {"most": True},
        {"use": "http://localhost/v1"}, {"use": "http://localhost/v1", "model": "m", "timeout": 0},
        {"use": "http://u:p@localhost/v1", "model": "m"}, {"use": "https://", "model": "m"},
        {"use": "http://localhost/v1", "model": "m", "format": "xml"}, {"use": "http://localhost/v1", "modle": "m"},
        {"use": "http://localhost/v1", "model": "m", "api_key": "a b"},
    ],
)  # fmt: skip
def test_settings_that_are_not_understood_are_refused(wrong):
    if wrong == "":
        assert isinstance(choose_extractor({"extractor": ""}), RuleExtractor)  # nothing was said
        return
    with pytest.raises(InvalidError) as refused:
        choose_extractor({"extractor": wrong})
    assert refused.value.hint
    assert refused.value.where == "extractor"
