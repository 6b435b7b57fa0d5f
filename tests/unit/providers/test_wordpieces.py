"""Text is cut into the very pieces the models were trained with, whatever is in it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.providers.onnx import read_vocabulary
from commonplace.providers.weights import E5
from commonplace.providers.wordpiece import words_of

# What the reference implementation of this tokenizer answers, taken once.
GOLDEN = json.loads(Path(__file__).with_name("wordpiece.json").read_text())


@pytest.fixture(scope="module")
def tokenizer():
    return read_vocabulary(E5)


@pytest.mark.parametrize("case", GOLDEN["texts"], ids=lambda case: case["about"])
def test_a_text_has_the_pieces_of_the_reference(tokenizer, case):
    assert tokenizer.text(case["text"], 512) == case["ids"]


@pytest.mark.parametrize("case", GOLDEN["pairs"])
def test_a_pair_has_the_pieces_and_the_parts_of_the_reference(tokenizer, case):
    assert tokenizer.pair(case["first"], case["second"], 512) == (case["ids"], case["parts"])


def test_a_long_text_is_cut_and_keeps_its_marks(tokenizer):
    whole, cut = tokenizer.text("word " * 1000, 5000), tokenizer.text("word " * 1000, 16)
    assert len(whole) == 1002
    assert len(cut) == 16
    assert cut == [*whole[:15], tokenizer.end]


def test_a_long_pair_is_cut_in_the_passage_first_and_never_passes_the_limit(tokenizer):
    ids, parts = tokenizer.pair("why " * 10, "because " * 1000, 32)
    assert (len(ids), parts.count(0)) == (32, 12)
    ids, parts = tokenizer.pair("why " * 1000, "because " * 1000, 32)
    assert (len(ids), parts.count(0)) == (32, 18)
    assert ids.count(tokenizer.end) == 2


def test_nobody_can_write_a_mark(tokenizer):
    """A text that says `[SEP]` does not end where it says so."""
    assert {tokenizer.begin, tokenizer.end} & {*tokenizer.pieces("[CLS] a [SEP] b [MASK] [PAD]", 100)} == set()


@given(st.text())
def test_any_text_has_words_without_spaces_or_controls(text):
    for word in words_of(text):
        assert word
        assert not any(char.isspace() for char in word)


@given(text=st.text(), most=st.integers(2, 20))
def test_any_text_fits_into_its_limit(text, most):
    assert 2 <= len(read_once().text(text, most)) <= most


_read = []


def read_once():
    if not _read:
        _read.append(read_vocabulary(E5))
    return _read[0]


def test_cutting_is_linear_in_the_length_of_the_text(tokenizer):
    """A megabyte of one letter, of many words, of ideographs: none of them takes long."""
    for text in ("x" * 1_000_000, "word1 " * 170_000, "数" * 300_000, "é" * 500_000, "\u0301" * 500_000):
        start = time.process_time()
        tokenizer.text(text, 512)
        assert time.process_time() - start < 2
