"""Who crosses over from another project, to the digit: at least T1 if linked to something near, at least T2 if not (R-a, rfc 40).

Without a model a memory is as relevant as the share of the question's words that it holds, so that the numbers can be counted.
"""

from __future__ import annotations

import pytest

from commonplace import settings

FIVE = "kestrel cluster spot region budget"
FOUR = "kestrel cluster spot region"


@pytest.fixture
def away(book):
    return lambda content, project="osprey": book.save(content, type="project", project_id=project)


def crossed(results):
    return {result.record.id: str(result.reach) for result in results if result.reach != "near"}


def reason_of(book, memory):
    return next(one.reason for one in book.receipts()[0].near_misses if one.memory_id == memory.id)


def test_exactly_the_second_threshold_is_enough(book, away):
    assert settings.STRONG_THRESHOLD == 0.75
    enough = away("The kestrel cluster spot.")
    assert crossed(book.search(FOUR, project="falcon")) == {enough.id: "strong"}


def test_just_below_the_second_threshold_stays_away(book, away):
    below = away("The kestrel cluster in a region.")
    assert crossed(book.search(FIVE, project="falcon")) == {}
    assert "relevance 0.60 is below 0.75" in reason_of(book, below)


def test_exactly_the_first_threshold_is_enough_for_who_is_linked(book, away):
    assert settings.LINKED_THRESHOLD == 0.4
    here = book.save("Falcon has a budget.", type="project", project_id="falcon")
    linked = away("The kestrel cluster.")
    book.link(linked.id, here.id, "related_to")
    assert crossed(book.search(FIVE, project="falcon")) == {linked.id: "linked"}


def test_a_link_between_strangers_lets_nobody_in(book, away):
    """It must be linked to something that is near."""
    one, other = away("The kestrel cluster in a region."), away("The spot budget of the region.", "heron")
    book.link(one.id, other.id, "supports")
    assert crossed(book.search(FIVE, project="falcon")) == {}
    assert "not linked" in reason_of(book, one)


def test_a_link_to_something_global_is_a_link_to_something_near(book, away):
    person = book.save("Alice watches the budget.", type="profile")
    linked = away("The kestrel cluster in a region.")
    book.link(linked.id, person.id, "applies_to")
    assert crossed(book.search(FIVE, project="falcon")) == {linked.id: "linked"}


def test_three_strong_strangers_are_enough(book, away):
    for number in range(5):
        away(f"The kestrel cluster spot region budget {number}.", f"project-{number}")
    assert len(crossed(book.search(FIVE, project="falcon"))) == 3
    reasons = [one.reason for one in book.receipts()[0].near_misses]
    assert sum("3 such are enough" in reason for reason in reasons) == 2


@pytest.mark.parametrize(
    ("asked", "comes"),
    [
        ({"tags": ["ops"]}, True), ({"tags": ["other"]}, False), ({"statuses": ["archived"]}, False),
        ({"statuses": ["active"], "types": ["project"]}, True), ({"types": ["decision"]}, False),
        ({"scopes": ["global"]}, False), ({"until": "2020-01-01T00:00:00Z"}, False),
    ],
    ids=str,
)  # fmt: skip
def test_a_filter_holds_for_who_crosses_over_too(book, asked, comes):
    """rfc 39: first the filter, then everything else."""
    strong = book.save(f"The {FOUR}.", type="project", project_id="osprey", tags=["ops"])
    linked = book.save("The kestrel region.", type="project", project_id="osprey", tags=["ops"])
    here = book.save("Falcon has a budget.", type="project", project_id="falcon", tags=["ops", "other"])
    book.link(linked.id, here.id, "related_to")
    expected = {strong.id: "strong", linked.id: "linked"} if comes else {}
    assert crossed(book.search(f"{FOUR} budget", project="falcon", **asked)) == expected
