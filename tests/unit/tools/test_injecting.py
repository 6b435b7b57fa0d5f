"""Where the block goes, for any form of messages, and when it is made anew."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.errors import InvalidError
from commonplace.testing.clocks import TickingClock
from commonplace.tools import Toolset

from .conftest import Opener, stored, user

_BLOCK = "[Memories]\n- (m-1, preference) I prefer tabs over spaces"


@pytest.fixture
def one(tools: Toolset) -> Toolset:
    stored(tools, "I prefer tabs over spaces", "preference")
    return tools


def _system(messages: list[Any]) -> Any:
    assert messages[0]["role"] == "system"
    return messages[0]["content"]


def test_the_block_stands_behind_the_system_prompt(one: Toolset) -> None:
    """G32, G50: after a blank line."""
    asked = user("tabs?")
    assert one.inject(asked) == [{"role": "system", "content": f"Be brief.\n\n{_BLOCK}"}, asked[1]]


def test_what_was_handed_in_stays_as_it_is(one: Toolset) -> None:
    asked = [{"role": "system", "content": [{"type": "text", "text": "Be brief."}]}, *user("tabs?")[1:]]
    before = copy.deepcopy(asked)
    injected = one.inject(asked)
    assert asked == before
    assert injected is not asked


def test_without_a_system_prompt_the_block_is_one(one: Toolset) -> None:
    asked = [{"role": "user", "content": "tabs?"}]
    assert one.inject(asked) == [{"role": "system", "content": _BLOCK}, *asked]
    assert one.inject([]) == [{"role": "system", "content": _BLOCK}]


def test_a_prompt_in_parts_gets_one_more_part(one: Toolset) -> None:
    parts = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    injected = one.inject([{"role": "system", "content": parts}, *user("tabs?")[1:]])
    assert _system(injected) == [*parts, {"type": "text", "text": _BLOCK}]


def test_of_several_prompts_the_last_one_gets_it(one: Toolset) -> None:
    asked = [{"role": "system", "content": "a"}, {"role": "developer", "content": "b"}, *user("tabs?")[1:]]
    assert [message["content"] for message in one.inject(asked)] == ["a", f"b\n\n{_BLOCK}", "tabs?"]


def test_a_prompt_that_travels_by_itself_gets_it_too(one: Toolset) -> None:
    messages = [{"role": "user", "content": "tabs?"}]
    assert one.system("Be brief.", messages) == f"Be brief.\n\n{_BLOCK}"
    assert one.system("", messages) == _BLOCK
    assert one.system(one.system("Be brief.", messages), messages) == f"Be brief.\n\n{_BLOCK}"


def test_injecting_twice_is_injecting_once(one: Toolset) -> None:
    for asked in (
        user("tabs?"),
        user("tabs?")[1:],
        [{"role": "system", "content": [{"type": "text", "text": "x"}]}, *user("?")[1:]],
    ):
        assert one.inject(one.inject(asked)) == one.inject(asked)


def test_a_block_from_before_goes_when_there_is_nothing_to_say_any_more(one: Toolset) -> None:
    """A deleted memory does not live on in messages that are handed in again."""
    before = one.inject(user("tabs?"))
    one.dispatch("memory_delete", {"id": "m-1"})
    assert one.inject(before) == user("tabs?")


def test_a_prompt_that_only_speaks_of_memories_is_left_alone(one: Toolset) -> None:
    prompt = "You may see a block:\n\n[Memories]\n- (m-0) like this\n\nTrust it."
    assert _system(one.inject([{"role": "system", "content": prompt}])) == f"{prompt}\n\n{_BLOCK}"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ([{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}], "one"),
        ([{"role": "user", "content": "one"}, {"role": "user", "content": "two"}], "two"),
        ([{"role": "user", "content": "one"}, {"role": "tool", "content": "two"}], "one"),
        ([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}], "a\nb"),
        ([{"role": "user", "content": "one"}, {"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], ""),
        ([{"role": "user", "content": "one"}, {"role": "user", "content": [{"type": "tool_result", "content": "two"}]}], "one"),
        ([{"role": "user", "content": None}], ""),
        ([{"role": "user"}], ""),
        ([{"role": "user", "content": ["one", 7, None, {"text": 8}]}], "one"),
        ([{"role": "system", "content": "one"}], ""),
        ([{}], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_the_last_words_of_the_user_are_found_in_any_form(said: list[dict[str, Any]], meant: str) -> None:
    """G29, G50: results of tools are not the user's words, and a picture has none."""
    from commonplace.surfaces.tools.messages import last_user_text

    assert last_user_text(said) == meant


@pytest.mark.parametrize("messages", ["hello", {"role": "user"}, ["hello"], [None]])
def test_what_are_no_messages_is_the_hosts_mistake(tools: Toolset, messages: Any) -> None:
    with pytest.raises(InvalidError, match="list of messages"):
        tools.inject(messages)


def test_the_mode_can_be_chosen_for_one_call(one: Toolset) -> None:
    """G33: off means no injection, and search still works."""
    assert one.inject(user("tabs?"), mode="off") == user("tabs?")
    assert one.dispatch("memory_search")["count"] == 1
    assert one.inject(user("tabs?"), mode="recent_only") == one.inject(user("tabs?"))
    with pytest.raises(InvalidError, match="relevant, recent_only, off"):
        one.inject(user("tabs?"), mode="sometimes")


def test_limits_can_be_chosen_for_one_call(one: Toolset) -> None:
    """G37: with the same care as in `agent.json`."""
    assert one.inject(user("tabs?"), max_inject_chars=24) == user("tabs?")
    assert one.memories_for(user("tabs?"), max_inject_chars=25).ids == ("m-1",)
    stored(one, "lunch at noon")
    assert one.memories_for(user("tabs?"), fill_recent=True).ids == ("m-1", "m-2")
    assert one.memories_for(user("tabs?")).ids == ("m-1",)
    with pytest.raises(InvalidError, match="whole number"):
        one.inject(user("tabs?"), recent_count=0)
    with pytest.raises(TypeError):
        one.inject(user("tabs?"), budget=7)


def test_it_is_the_same_for_every_round_of_one_user_message(open_tools: Opener, clock: TickingClock) -> None:
    """G27, G50, G-g: rounds of tools change nothing, also hours later."""
    tools = open_tools()
    stored(tools, "deploy with make")
    asked = user("How do I deploy?")
    first = tools.memories_for(asked)
    clock.move(hours=5)
    later = [*asked, {"role": "assistant", "tool_calls": []}, {"role": "tool", "content": "deploy log"}]
    assert tools.memories_for(later) is first
    assert tools.memories_for(user("How do I deploy now?")).scores != first.scores


def test_it_is_made_anew_when_the_file_changed_meanwhile(one: Toolset, open_tools: Opener, file: Path) -> None:
    """G28, G-g: by this agent, by another process, by a person."""
    asked = user("Which tabs?")
    assert one.memories_for(asked).ids == ("m-1",)
    stored(one, "Tabs are four wide")
    assert one.memories_for(asked).ids == ("m-2", "m-1")
    stored(open_tools(), "Tabs in Go, too")
    assert one.memories_for(asked).ids == ("m-3", "m-2", "m-1")
    with file.open("a") as appended:
        appended.write('{"id":"m-9","text":"by hand: tabs"}\n')
    assert "m-9" in one.memories_for(asked).ids


def test_being_reminded_makes_nothing(tools: Toolset, workspace: Path, cache: Path) -> None:
    assert tools.inject(user("tabs?")) == user("tabs?")
    assert [*workspace.iterdir()] == []
    assert not cache.exists()


def test_every_injection_says_what_it_took(one: Toolset) -> None:
    """X-20."""
    injection = one.memories_for(user("tabs?"))
    assert (injection.used, injection.limit, injection.omitted) == (len("I prefer tabs over spaces"), 2_000, ())


_ALONE = """
import sys
from commonplace.tools import Toolset
with Toolset(sys.argv[1]) as tools:
    tools.dispatch("memory_store", {"text": "I prefer tabs over spaces"})
    tools.dispatch("memory_search", {"query": "tabs"})
    tools.inject([{"role": "user", "content": "tabs?"}])
    tools.dispatch("memory_delete", {"id": "m-1"})
loaded = ("numpy", "socket", "ssl", "http.client", "onnxruntime", "commonplace.providers")
print([name for name in sys.modules if name.startswith(loaded)])
"""


def test_no_model_and_no_network_are_needed(workspace: Path) -> None:
    """G2, X-8: whatever models are installed, this surface does not even load what could use them."""
    words = {name: value for name, value in os.environ.items() if name != "COMMONPLACE_EMBEDDER"}
    ran = subprocess.run(
        [sys.executable, "-c", _ALONE, workspace], capture_output=True, check=True, text=True, env=words
    )
    assert ran.stdout == "[]\n"
