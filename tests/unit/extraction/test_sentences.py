"""Sentences and their places: what is cut where, and what nobody said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.ingest.rules.hidden import hidden_ranges, visible_parts
from commonplace.ingest.rules.sentences import sentences_of
from commonplace.testing.strategies import texts

from .talk import D, P, found, said, transcript


def cut(text, role=P):
    told = transcript((role, None, text))
    hidden = hidden_ranges(told.body, told.pieces)
    sentences = [one for piece in told.pieces for one in sentences_of(piece, told.body, hidden)]
    assert all(told.body[one.start : one.end] == one.text for one in sentences)
    return [one.text for one in sentences]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("We use ruff. We use mypy!", ["We use ruff.", "We use mypy!"]),
        ("Use e.g. ruff, Dr. Who.", ["Use e.g. ruff, Dr. Who."]),
        ("Version 1.26 is pinned. J. Doe did it.", ["Version 1.26 is pinned.", "J. Doe did it."]),
        ("- one item\n- another item\n1. a third", ["one item", "another item", "a third"]),
        ("# A heading\n\nWe use\nruff here.", ["We use\nruff here."]),
        ("First line\nSecond line", ["First line", "Second line"]),
        ("| a | b |\n|---|---|\nWe use ruff.", ["We use ruff."]),
        ("I have two cats, can you suggest a toy?", ["I have two cats"]),
        ("I just moved to Oslo and I was wondering if you know a baker.", ["I just moved to Oslo"]),
        ("So, what now?", ["So"]),
    ],
)
def test_a_text_is_cut_into_sentences_that_stand_where_they_say(text, sentences):
    assert cut(text) == sentences


def test_a_wrapped_line_goes_on_and_a_new_item_does_not():
    prose = (
        "The catalog lives in one file, next to the log that SQLite keeps for\nit, and both belong together.\n- An item"
    )
    assert cut(prose, D) == [prose.partition("\n-")[0], "An item"]


@given(texts)
def test_every_sentence_of_any_text_stands_where_it_says(text):
    cut(text)
    cut(text, D)


MARK = "abcdefghijklmnopqrst"


@pytest.mark.parametrize(
    "block",
    [
        f"<memory {MARK}> Remembered data\nI prefer tabs over spaces.\n</memory {MARK}>",
        f"> <memory {MARK}> x\n> I prefer tabs over spaces.\n> </memory {MARK}>",
        f"&lt;memory {MARK}&gt; x\nI prefer tabs over spaces.\n&lt;/memory {MARK}&gt;",
        f"<MEMORY {MARK}> x\n</memory {MARK[::-1]}>\nI prefer tabs over spaces.\n</MEMORY {MARK}>",
        "<system-reminder>\nI prefer tabs over spaces.\n</system-reminder>",
        "```\nI prefer tabs over spaces.\n```",
        "~~~python\nI prefer tabs over spaces.\n~~~",
        "> I prefer tabs over spaces.",
        "01M7FEFV6Y6XQYYSK68V8QB5MR | 3 days | operator | I prefer tabs over spaces.",
    ],
)
@pytest.mark.parametrize("role", [P, D])
def test_what_was_injected_quoted_or_is_code_is_never_read(block, role):
    told = [one.content for one in said(f"We use ruff for linting.\n\n{block}\n\nWe deploy on Tuesdays.", role)]
    assert sorted(told) == ["We deploy on Tuesdays.", "We use ruff for linting."]


def test_a_fence_that_is_never_closed_hides_the_rest_of_the_turn_and_not_the_next():
    turns = [(P, None, f"<memory {MARK}> x\nI prefer tabs over spaces."), (P, None, "We use ruff for linting.")]
    assert [one.content for one in found(*turns)] == ["We use ruff for linting."]


def test_a_fence_may_run_through_several_paragraphs_of_a_document():
    turns = [(D, None, f"<memory {MARK}> x"), (D, None, "We use tabs for all code."), (D, None, f"</memory {MARK}>")]
    assert found(*turns) == ()


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted).map(tuple), max_size=6), st.integers(0, 60)
)
def test_what_is_visible_is_all_that_is_not_hidden(ranges, end):
    from commonplace.ingest.rules.hidden import _merged

    merged = _merged(ranges)
    shown = {place for start, stop in visible_parts(0, end, merged) for place in range(start, stop)}
    hidden = {place for start, stop in merged for place in range(start, stop)}
    assert shown == {*range(end)} - hidden
