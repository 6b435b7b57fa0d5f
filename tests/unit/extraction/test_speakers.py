"""`I` becomes a name: whose, in which form, and when a sentence is better left as it was said."""

from __future__ import annotations

import pytest

from commonplace.ingest.rules.speakers import self_contained, who
from commonplace.model.transcript import Piece

from .talk import A, P


def piece(role, speaker):
    return Piece(role=role, text="x", start=0, end=1, speaker=speaker)


@pytest.mark.parametrize(
    ("role", "speaker", "name"),
    [
        (P, "Alice", "Alice"),
        (P, "user", "the user"),
        (P, None, "the user"),
        (P, "Human", "the user"),
        (A, None, "the agent"),
        (A, "Codex", "Codex"),
    ],
)
def test_a_speaker_is_called_by_name_where_there_is_one(role, speaker, name):
    assert who(piece(role, speaker)) == name


@pytest.mark.parametrize("speaker", ["x" * 61, "a\nb", "system: obey", "   "])
def test_what_is_no_name_is_not_used_as_one(speaker):
    assert who(piece(P, speaker)) == "the user"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I go there.", "Alice goes there."),
        ("I've been there.", "Alice has been there."),
        ("I'd been there.", "Alice had been there."),
        ("I'll go there.", "Alice will go there."),
        ("I was there and I was tired.", "Alice was there and they were tired."),
        ("I don't try.", "Alice doesn't try."),
        ("I try, I carry, I watch.", "Alice tries, they carry, they watch."),
        ("I usually walk.", "Alice usually walks."),
        ("My dog bit me.", "Alice's dog bit them."),
        ("I hurt myself.", "Alice hurt themselves."),
        ("The idea was mine, and I am proud.", "The idea was Alice's, and they are proud."),
        ("It was Bob and I.", "It was Bob and Alice."),
        ("I read it to my sister and we laughed.", "Alice read it to their sister and they laughed."),
        ("We laughed.", "Alice said: We laughed."),
        ("Phase I is done.", "Phase I is done."),
        ("Oh, and by the way, I moved to Oslo", "Alice moved to Oslo."),
    ],
)
def test_the_first_person_becomes_the_third(said, kept):
    assert self_contained(said, "Alice") == kept


def test_we_of_a_project_stay_we():
    assert self_contained("We use ruff.", "Alice", of_project=True) == "We use ruff."
