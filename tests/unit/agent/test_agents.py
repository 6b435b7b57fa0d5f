"""An agent is a template: it merges, it shares memory by its binding, and many of its calls can run at once."""

from __future__ import annotations

import json
import threading
import time

import pytest

from commonplace.agent import Agent, ErrorValue, Host, pmap

from .conftest import Scripted, patch


class TestWith:
    """V48."""

    AGENT = Agent(
        model=str.upper,
        prompt="P",
        skills=["a", "b"],
        permissions={"read": True, "write": {"deep": 1}},
        memory={"scope": "project", "key": "a"},
        name="helper",
    )

    def test_a_table_is_merged_one_level_deep(self):
        assert self.AGENT.with_(memory={"key": "b"}).memory == {"scope": "project", "key": "b"}
        assert self.AGENT.with_(permissions={"write": {"x": 2}}).permissions == {"read": True, "write": {"x": 2}}

    def test_single_values_and_lists_are_replaced(self):
        other = self.AGENT.with_(prompt="Q", skills=["c"])
        assert (other.prompt, other.skills) == ("Q", ("c",))

    def test_what_is_not_named_stays(self):
        other = self.AGENT.with_(prompt="Q")
        kept = ("model", "skills", "permissions", "memory", "name", "host")
        assert all(getattr(other, key) == getattr(self.AGENT, key) for key in kept)

    def test_the_agent_itself_does_not_change(self):
        self.AGENT.with_(memory={"key": "b"}, prompt="Q")
        assert (self.AGENT.memory["key"], self.AGENT.prompt) == ("a", "P")

    def test_a_memory_can_be_given_and_taken_away(self):
        bare = self.AGENT.with_(memory=None)
        assert bare.memory is None
        assert bare.with_(memory={"scope": "user", "key": "k"}).memory == {"scope": "user", "key": "k"}

    def test_a_key_that_no_agent_has_is_refused(self):
        with pytest.raises(TypeError):
            self.AGENT.with_(mood="good")


class TestIdentity:
    def test_two_agents_with_one_binding_share_one_memory(self, desk):
        """V8: the name and the model are no part of it."""
        desk.agent(patch(digest="Shared."), name="one", prompt="P")("Go.")
        desk.agent("Text.", name="two", prompt="Q")("Go.")
        assert "Shared." in desk.model.prompts[0]

    def test_one_agent_with_two_keys_has_two_memories(self, desk):
        """V8, V11: a new thread is a new key."""
        helper = desk.agent(patch(digest="Alice's."))
        helper("Go.")
        bob = helper.with_(memory={"key": "user:bob"})
        bob("Go.")
        assert "Alice's." not in desk.model.prompts[1]
        assert (desk.root / ".vvm/memory/user%3Abob/digest.md").read_text() == "Alice's."

    def test_the_name_is_who_wrote_in_the_journal(self, desk):
        import commonplace

        desk.agent(patch(digest="One."), name="tutor")("Go.")
        desk.agent(patch(digest="Two."))("Go.", name="reviewer")
        with commonplace.open(f"ledger:{desk.folder}") as book:
            assert [operation.actor for operation in book.journal()] == ["agent:tutor", "agent:reviewer"]

    def test_user_and_path_scopes_work_alike(self, desk, home, tmp_path):
        """V9."""
        desk.agent(patch(digest="U"), memory={"scope": "user", "key": "k"})("Go.")
        assert (home / ".vvm/memory/k/digest.md").read_text() == "U"
        desk.agent(patch(digest="P"), memory={"scope": "path", "key": "k", "path": str(tmp_path / "m")})("Go.")
        assert (tmp_path / "m/k/digest.md").read_text() == "P"
        assert not (desk.root / ".vvm").exists()


class TestErrorValues:
    def test_its_json_is_the_languages(self):
        """V53."""
        assert ErrorValue("locked", "m").to_dict() == {"error": {"kind": "locked", "message": "m"}}
        assert json.loads(ErrorValue("locked", "m", {"a": 1}).to_json()) == {
            "error": {"kind": "locked", "message": "m", "data": {"a": 1}}
        }

    def test_it_is_true_frozen_and_equal_by_what_it_says(self):
        """V53: it never changes control flow by itself."""
        assert ErrorValue("locked", "")
        assert ErrorValue("locked", "m") == ErrorValue("locked", "m")
        with pytest.raises(AttributeError):
            ErrorValue("locked", "m").kind = "other"


class TestPmap:
    """V54."""

    def test_answers_come_in_the_order_of_the_items(self):
        def slow_for_the_first(n):
            time.sleep(0.05 if n == 0 else 0)
            return n * n

        assert pmap(range(10), slow_for_the_first) == [n * n for n in range(10)]

    def test_several_run_at_once(self):
        together = threading.Barrier(3, timeout=30)
        assert pmap("abc", lambda _: together.wait() >= 0) == [True, True, True]

    def test_the_first_error_value_in_order_wins(self):
        errors = {2: ErrorValue("timeout", "second"), 1: ErrorValue("locked", "first")}
        assert pmap(range(4), lambda n: errors.get(n, n)) == ErrorValue("locked", "first")

    def test_the_first_error_in_order_is_raised(self):
        def fail(n):
            time.sleep(0.05 if n == 1 else 0)
            if n:
                raise ValueError(str(n))

        with pytest.raises(ValueError, match=r"^1$"):
            pmap(range(4), fail)

    def test_an_error_value_before_a_raised_error_wins(self):
        def fail(n):
            if n == 2:
                raise ValueError("later")
            return ErrorValue("locked", "m") if n == 1 else n

        assert pmap(range(3), fail).kind == "locked"

    def test_nothing_in_nothing_out(self):
        assert pmap([], str) == []

    def test_calls_with_one_key_wait_for_each_other_and_none_is_lost(self, desk):
        """V37, V40: sharing a key is intended serialisation."""
        running = []

        def model(prompt):
            running.append(1)
            assert len(running) == 1, "one at a time"
            time.sleep(0.01)
            running.pop()
            word = prompt.rpartition("number ")[2]
            return patch(retain=[f"W number {word}"])

        helper = desk.agent().with_(model=model)
        answers = pmap(range(6), lambda n: helper("number {n}", n=n))
        assert answers == ["Done."] * 6
        assert sorted(line["retain"] for line in desk.lines()) == [[f"W number {n}"] for n in range(6)]

    def test_calls_with_keys_of_their_own_do_not(self, desk):
        """V40."""
        together = threading.Barrier(4, timeout=30)

        def model(_):
            together.wait()
            return patch(digest="D")

        helper = desk.agent().with_(model=model)
        assert pmap(range(4), lambda n: helper.with_(memory={"key": f"k{n}"})("Go.")) == ["Done."] * 4


class TestLocked:
    def test_a_call_that_does_not_get_its_turn_says_so_and_asks_nobody(self, desk):
        """V39, V-a: never proceeds."""
        inside, leave = threading.Event(), threading.Event()

        def holding(_):
            inside.set()
            leave.wait(60)
            return patch(digest="First.")

        first = desk.agent().with_(model=holding)
        thread = threading.Thread(target=lambda: first("Go."))
        thread.start()
        assert inside.wait(60)
        late = desk.agent("Text.", host={"lock_timeout": 0.2})
        answer = late("Go.", retry=3)
        leave.set()
        thread.join()
        assert answer.kind == "locked"
        assert desk.model.prompts == [], "not in the retry list (V49)"
        assert desk.digest == "First."

    def test_a_call_waits_ten_seconds_unless_the_host_says_otherwise(self):
        """V-a."""
        assert Host().lock_timeout == 10.0

    def test_no_lock_lies_in_the_memorys_folder(self, desk):
        """V-k: a sync client would carry it to another machine."""
        inside = []
        helper = desk.agent().with_(model=lambda _: inside.extend(desk.files()) or patch(digest="D"))
        helper("One.")
        helper("Two.")
        assert not [name for name in (*inside, *desk.files()) if "lock" in name.rpartition("/")[2]]

    def test_two_that_only_read_do_not_wait_for_each_other(self, desk):
        """V38: shared."""
        together = threading.Barrier(2, timeout=30)
        helper = desk.agent().with_(model=lambda _: f"Text {together.wait() * 0}")
        assert pmap(range(2), lambda _: helper("Go.", memory_mode="dry_run")) == ["Text 0"] * 2

    def test_an_agent_that_calls_itself_with_its_own_memory_is_told_at_once(self, desk):
        """A nested call would wait for ever; it is `locked` instead."""
        inner = []

        def model(prompt):
            if not inner:
                inner.append(None)
                inner[0] = helper("Again.")
            return "Text."

        helper = desk.agent().with_(model=model)
        began = time.monotonic()
        assert helper("Go.") == "Text."
        assert inner[0].kind == "locked"
        assert time.monotonic() - began < 9

    def test_people_and_other_writers_need_not_wait_while_an_agent_thinks(self, desk):
        """X-12: the write mutex is never held while an agent runs."""
        import commonplace

        def model(_):
            with commonplace.open(f"ledger:{desk.folder}", timeout=1) as book:
                book.retain(["W written meanwhile."])
            return patch(retain=["W from the agent."])

        assert desk.agent().with_(model=model)("Go.") == "Done."
        assert [line["retain"] for line in desk.lines()] == [["W written meanwhile."], ["W from the agent."]]


def test_an_agent_is_made_without_touching_anything(tmp_path):
    """V2: everything happens inside a call."""
    made = Agent(model=Scripted(), memory={"scope": "project", "key": "k"}, host=Host(project=str(tmp_path / "p")))
    assert "Agent" in repr(made)
    assert not (tmp_path / "p").exists()
