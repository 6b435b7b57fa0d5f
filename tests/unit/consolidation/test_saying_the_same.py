"""When do two statements say the same? When their words, values and denials are the same, and never because they look alike."""

from __future__ import annotations

import pytest

from commonplace.ingest.consolidate.match import forms_of, is_nearly
from commonplace.ingest.consolidate.values import differ, tokens_of

SAME = [
    ("The API listens on port 8080.", "the API is listening on port 8080"),
    ("Alice doesn't drink coffee", "Alice does not drink coffee."),
    ("Tests are run by pytest", "pytest runs the tests"),
    ("We've two databases.", "We have 2 databases"),
    ("The repo uses a config in the prod env", "The repository uses the configuration in the production environment"),
    ("No deployment happens on Fridays", "Deployments never happen on Friday"),
    ("The release is on 12 May 2026.", "The release is on May 12th, 2026"),
    ("The stand-up is at 5pm", "The stand-up is at 17:00"),
    ("The limit is 1,000 requests", "The limit is 1000 requests"),
    ("By the way, remember that tests are run by pytest", "Please note: pytest runs the tests"),
]
NOT_THE_SAME = [
    ("The API listens on port 8080.", "The API listens on port 9090."),
    ("The API used port 8080", "The API uses port 8080"),
    ("The cat chases the dog", "The dog chases the cat"),
    ("Alice uses tabs", "Alice never uses tabs"),
    ("The job must not fail and logs errors", "The job must fail and not log errors"),
    ("The staging API uses TLS", "The API uses TLS"),
    ("We use Python 3.1", "We use Python 3.10"),
    ("Take a note", "Take not"),
    ("Deploy from main or develop", "Deploy from main and develop"),
    ("All tests pass", "Some tests pass"),
    ("src/app.py is generated", "src/api.py is generated"),
    ("Remember passwords", "Passwords"),
    ("Note taking is easy", "Taking is easy"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_other_words_for_the_same_are_the_same(one, other):
    """rfc 43: near-duplicates are detected."""
    assert forms_of(one) == forms_of(other)
    assert not is_nearly(one, other)


@pytest.mark.parametrize(("one", "other"), NOT_THE_SAME)
def test_what_differs_in_a_value_a_word_a_tense_or_an_order_is_not_the_same(one, other):
    assert forms_of(one) != forms_of(other)


def test_a_word_more_is_nearly_the_same_unless_it_is_a_value_or_a_denial():
    said = "The nightly build uploads its logs"
    assert is_nearly(said, "The nightly build always uploads its logs")
    assert not is_nearly(said, "The nightly build never uploads its logs")
    assert not is_nearly(said, "The nightly build uploads its 3 logs")


@pytest.mark.parametrize(
    ("one", "other", "different"),
    [
        ("12 May 2026", "2026-05-13", True),
        ("12 May", "2026-05-12", False),
        ("Friday", "Tuesdays", True),
        ("Friday", "2026-05-12", False),
        ("v1.2.3", "1.2.4", True),
        ("3", "3.11", False),
        ("3.11", "3.12", True),
        ("2.50", "2.5", False),
        ("9:30", "9:30:00", False),
        ("9:30", "9:30 pm", True),
        ("12am", "0:00", False),
        ("twelve", "12", False),
        ("8080", "12 May", False),
    ],
)
def test_values_are_compared_as_what_they_are(one, other, different):
    assert differ(tokens_of(one)[0], tokens_of(other)[0]) is different


@pytest.mark.parametrize(
    "text", ["", "…", "日本語です", "a\nb", "1.2.3.4.5", "99999999999999999999", "٣ كتب", "🙂", "x" * 5000]
)
def test_any_text_can_be_read(text):
    assert forms_of(text) == forms_of(text)
