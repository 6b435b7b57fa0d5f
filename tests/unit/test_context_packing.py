"""Packing: the strongest lines that fit, shared fairly, and never a token more than the budget."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.errors import InvalidError
from commonplace.guard.fence import fenced
from commonplace.guard.quoting import on_one_line
from commonplace.model.receipt import Moment
from commonplace.retrieve.budgets import DEFAULT_BUDGETS, PHASES, RECALL_CEILING, budget_for, phase_of
from commonplace.retrieve.pack import NO_ROOM, TOO_LITTLE_TRUST, TOO_MANY, Entry, pack
from commonplace.retrieve.tokens import count
from commonplace.testing.strategies import storable, texts


def write(lines):
    return fenced(lines, "id | text", "book")


def entry(id, text="a few plain words", group="fact", **fields):
    return Entry(ids=(id,), lines=(f"- {id} | {text}",), group=group, place=(0, int(id)), **fields)


_long = st.sampled_from(
    ["x" * 3000, "日本語" * 200, "\U0001f9d1\u200d\U0001f680" * 50, "word " * 300, "0123456789" * 40]
)
_said = st.one_of(texts, _long, st.text(storable, max_size=60)).map(on_one_line)
_groups = st.sampled_from(["profile", "fact", "decision", "episode"])


@st.composite
def entries(draw):
    made = []
    for number in range(draw(st.integers(0, 12))):
        lines = draw(st.lists(_said, min_size=1, max_size=2))
        ids = tuple(f"{number}.{side}" for side in range(len(lines)))
        doubtful = draw(st.none() | st.sampled_from(["s1", "s2"]))
        made.append(
            Entry(ids, tuple(f"- {line}" for line in lines), draw(_groups), (draw(st.integers(0, 3)), number), doubtful)
        )
    return made


@settings(max_examples=300)
@given(entries(), st.integers(0, 3000), st.integers(0, 10))
def test_the_budget_is_kept_whatever_is_packed(made, budget, most):
    packed = pack(made, budget, write, most)
    assert packed.tokens == count(packed.text) <= budget
    shown = [line for one in packed.chosen for line in one.lines]
    assert packed.text == (write(shown) if shown else "")
    assert sum(len(one.ids) for one in packed.chosen) <= most
    everything = [*packed.chosen, *(one for one, _ in packed.left_out)]
    assert sorted(one.ids for one in everything) == sorted(one.ids for one in made)


@given(entries(), st.integers(0, 2000))
def test_the_same_entries_give_the_same_bytes(made, budget):
    assert pack(made, budget, write, 10) == pack(made, budget, write, 10)


def test_a_budget_too_small_for_one_line_gives_nothing_rather_than_a_broken_fence():
    for budget in range(30):
        packed = pack([entry("1")], budget, write, 5)
        assert (packed.text, packed.tokens) == ("", 0)
        assert [why for _, why in packed.left_out] == [NO_ROOM]


def test_whole_lines_only_and_a_weaker_one_may_use_the_room_a_stronger_one_cannot():
    packed = pack([entry("1", "word " * 2000), entry("2")], 200, write, 5)
    assert [one.ids for one in packed.chosen] == [("2",)]
    assert packed.left_out[0][1] == NO_ROOM


def test_both_sides_of_a_conflict_go_in_together_or_not_at_all():
    pair = Entry(("1", "2"), ("- 1 | port 8080", "- 2 | " + "port 8443 " * 100), "fact")
    assert pack([pair], 150, write, 5).text == ""
    assert len(pack([pair], 1500, write, 5).text.splitlines()) == 4


def test_one_sort_cannot_crowd_out_the_others():
    """Thirty strong facts come first; the one decision and the one preference are there all the same (A44)."""
    facts = [entry(str(n), "a fact of some length " * 3) for n in range(30)]
    made = [*facts, entry("90", "a decision", "decision"), entry("91", "a preference", "profile")]
    packed = pack(made, 600, write, 100)
    assert {one.group for one in packed.chosen} == {"fact", "decision", "profile"}


def test_room_that_others_do_not_want_is_not_wasted():
    facts = [entry(str(n), "a fact of some length " * 3) for n in range(30)]
    packed = pack(facts, 600, write, 100)
    assert packed.tokens > 0.85 * 600


def test_the_number_of_memories_is_bounded_too():
    packed = pack([entry(str(n)) for n in range(20)], 10_000, write, 5)
    assert len(packed.chosen) == 5
    assert {why for _, why in packed.left_out} == {TOO_MANY}


class TestWhatNobodyVouchesFor:
    def share(self, packed, of=None):
        costs = {one.ids: count(one.lines[0] + "\n") for one in packed.chosen}
        doubtful = [one for one in packed.chosen if one.doubtful and (of is None or one.doubtful == of)]
        return sum(costs[one.ids] for one in doubtful) / sum(costs.values())

    def test_it_stays_a_small_part_of_what_is_handed_over(self):
        """Ten fake records of one source among as many honest ones (row 113, G18)."""
        fakes = [entry(str(n), doubtful="web") for n in range(10)]
        others = [entry(str(n), doubtful=f"web-{n}") for n in range(10, 20)]
        honest = [entry(str(n)) for n in range(20, 40)]
        packed = pack([*fakes, *others, *honest], 10_000, write, 100)
        assert 0 < self.share(packed, of="web") <= 0.2
        assert self.share(packed) <= 0.3
        assert TOO_LITTLE_TRUST in {why for _, why in packed.left_out}
        assert len([one for one in packed.chosen if one.doubtful is None]) == 20

    def test_alone_it_is_one_line_and_no_more(self):
        packed = pack([entry(str(n), doubtful="web") for n in range(10)], 10_000, write, 100)
        assert len(packed.chosen) == 1


class TestBudgets:
    def test_what_is_asked_for_wins_then_the_environment_then_the_moment(self, monkeypatch):
        assert budget_for(Moment.TASK) == DEFAULT_BUDGETS[Moment.TASK]
        monkeypatch.setenv("RECALL_TOKEN_BUDGET", "700")
        assert budget_for(Moment.TASK) == 700
        assert budget_for(Moment.TASK, 90) == 90

    def test_nothing_or_less_in_the_environment_means_the_ceiling(self, monkeypatch):
        for said in ("0", "-5"):
            monkeypatch.setenv("RECALL_TOKEN_BUDGET", said)
            assert budget_for(Moment.TASK) == RECALL_CEILING

    @pytest.mark.parametrize("said", ["many", "1.5", "12 tokens"])
    def test_a_garbled_variable_is_named(self, monkeypatch, said):
        monkeypatch.setenv("RECALL_TOKEN_BUDGET", said)
        with pytest.raises(InvalidError, match="RECALL_TOKEN_BUDGET"):
            budget_for(Moment.TASK)

    def test_phases_have_the_budgets_of_the_harness(self, monkeypatch):
        said = {
            "setup": 4000,
            "plan": 6000,
            "work": 6000,
            "review": 4000,
            "release": 6000,
            "bugfix": 6000,
            "documenter": 10_000,
        }
        assert {name: budget_for(Moment.PHASE, phase=name) for name in PHASES} == said
        monkeypatch.setenv("HARNESS_RECALL_BUDGET_PLAN", "123")
        assert budget_for(Moment.PHASE, phase="plan") == 123
        assert budget_for(Moment.PHASE, phase="work") == 6000

    def test_an_unknown_phase_is_refused_with_the_list(self):
        for name in ("deploy", None, ""):
            with pytest.raises(InvalidError, match="setup, plan, work, review, release, bugfix, documenter"):
                phase_of(name)

    @pytest.mark.parametrize("asked", [-1, 1_000_001])
    def test_an_impossible_budget_is_refused(self, asked):
        with pytest.raises(InvalidError, match="budget"):
            budget_for(Moment.TASK, asked)
