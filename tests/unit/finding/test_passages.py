"""What a long memory is cut into: lines stay whole as long as they fit."""

from __future__ import annotations

from itertools import pairwise

import pytest

from commonplace.retrieve.passages import LENGTH, MOST, OVERLAP, embedded_passages, has_several, passages_of


def cut(content):
    return [content[passage.start : passage.end] for passage in passages_of(content)]


def test_a_passage_of_a_conversation_begins_with_who_speaks():
    talk = "\n".join(f"{('Ann', 'Bob')[n % 2]}: {'so it goes on and on. ' * (2 + n % 5)}" for n in range(40))
    parts = cut(talk)
    assert "".join(parts) == talk
    assert all(part.startswith(("Ann: ", "Bob: ")) for part in parts)
    assert all(len(one) + len(other.partition("\n")[0]) >= LENGTH for one, other in pairwise(parts))


def test_a_line_that_is_too_long_is_cut_where_a_sentence_ends():
    parts = cut("A heading\n" + "This is one sentence of many. " * 60)
    assert parts[0].startswith("A heading\nThis is"), "a heading alone is no passage"
    assert all(part.startswith("This is") for part in parts[1:])


def test_only_a_sentence_that_had_to_be_cut_is_told_again():
    parts = passages_of("word " * 400)
    assert all(0 < one.end - other.start <= OVERLAP for one, other in pairwise(parts))
    assert all((other.start % 5) == 0 for other in parts), "and from a word on"


@pytest.mark.parametrize(
    ("said", "condition"),
    [
        ("Always name the units when I ask about distances.", "distances"),
        ("Whenever you write Python tests, never use mocks.", "write Python tests"),
        ("Never guess if I ask for prices; look them up.", "prices"),
        ("Every time I mention my budget, remind me of the rent!", "my budget"),
        ("From now on answer in French.", None),
        ("When I went home it rained.", None),
        ("The port is 8080.", None),
    ],
)
def test_when_an_instruction_is_meant_is_a_passage_of_its_own(said, condition):
    whole, *more = [said[one.start : one.end] for one in embedded_passages(said)]
    assert (whole, more) == (said, [condition] if condition else [])
    assert has_several(said) is bool(condition)


def test_an_essay_has_no_condition():
    said = "Always name the units when I ask about distances. " * 40
    assert embedded_passages(said) == passages_of(said)


def a_talk(lines, speakers=("Ann", "Bob")):
    return "\n".join(f"{speakers[n % 2]}: {'so it goes on. ' * (2 + n % 5)}" for n in range(lines))


def test_a_long_conversation_has_a_vector_for_its_halves_too():
    """ADR 44. The passages come first: whoever counts them by number finds the same ones with and without halves."""
    talk = a_talk(40)
    whole, found = passages_of(talk), embedded_passages(talk)
    assert found[: len(whole)] == whole
    halves = found[len(whole) :]
    assert len(whole) < len(halves) < 3 * len(whole)
    assert all(one.end - one.start <= LENGTH // 2 for one in halves)
    assert all(talk[one.start : one.end].startswith(("Ann: ", "Bob: ")) for one in halves)
    assert len({*found}) == len(found), "what is a passage already has no second vector"


@pytest.mark.parametrize(
    "content",
    [a_talk(4), "So it goes on, and nobody speaks. " * 60, a_talk(12, ("- Ann", "* Bob")), a_talk(3) + "\nand on" * 60],
    ids=["short", "an essay", "a list", "hardly any line is said by anybody"],
)
def test_whatever_is_no_long_conversation_has_no_halves(content):
    assert embedded_passages(content) == passages_of(content)


def test_what_is_as_long_as_a_book_has_passages_alone():
    said = a_talk(1_200)
    assert embedded_passages(said) == passages_of(said)
    assert len(passages_of(said)) > MOST // 2
