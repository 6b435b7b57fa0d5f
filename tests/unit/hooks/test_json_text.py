"""A little is changed in a JSON file, and the rest stays as it is, to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.surfaces.hooks.json_text import NotJsonError, parse, with_item, with_value, without_item
from commonplace.surfaces.hooks.recipes import RECIPES, commands_for
from commonplace.surfaces.hooks.settings_file import commands_in, with_hooks, without_hooks

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_FORMS = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@given(_VALUES, _FORMS)
def test_what_it_reads_is_what_json_reads(value: Any, indent: Any) -> None:
    assert parse(json.dumps(value, indent=indent)).value == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1 2]", '{"a" 1}', "{a: 1}", "{'a': 1}", "[1] []", "nul", "/* open", "[" * 10_000, '{"a": }', "[,]"],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(NotJsonError):
        parse(text)


def test_comments_and_trailing_commas_are_understood_and_kept() -> None:
    text = '// mine\n{\n  "a": [1, 2,], /* why */\n  "b": {} // end\n}\n'
    assert parse(text).value == {"a": [1, 2], "b": {}}
    assert with_item(text, parse(text), 3, "c") == text.replace('"b": {}', '"b": {},\n  "c": 3')


@given(st.dictionaries(st.text(max_size=6), _VALUES, max_size=4), _VALUES, _FORMS)
def test_adding_and_removing_a_member_gives_back_the_file(before: Any, value: Any, indent: Any) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=False) + "\n"
    key = "a key that is not there"
    added = with_item(text, parse(text), value, key)
    assert json.loads(added) == {**before, key: value}
    node = parse(added)
    assert without_item(added, node, len(node.items) - 1) == text


@given(st.lists(_VALUES, min_size=1, max_size=4), _VALUES, _FORMS, st.data())
def test_one_value_is_changed_or_removed_and_the_others_stay(before: Any, value: Any, indent: Any, data: Any) -> None:
    text, at = json.dumps(before, indent=indent), data.draw(st.integers(0, len(before) - 1))
    node = parse(text)
    assert json.loads(with_value(text, node.items[at], value)) == [*before[:at], value, *before[at + 1 :]]
    assert json.loads(without_item(text, node, at)) == [*before[:at], *before[at + 1 :]]


def test_line_ends_of_another_system_are_kept() -> None:
    text = '{\r\n  "a": 1\r\n}\r\n'
    added = with_item(text, parse(text), [1], "b")
    assert added.count("\n") == added.count("\r\n")


@pytest.mark.parametrize(
    ("text", "at", "left"),
    [
        ('{\n  "a": 1, // of a\n  "b": 2\n}', 1, '{\n  "a": 1 // of a\n}'),
        ('{\n  "a": 1, // of a\n  "b": 2,\n}', 1, '{\n  "a": 1, // of a\n}'),
        ('{\n  "a": 1,\n  // of b\n  "b": 2\n}', 0, '{\n  // of b\n  "b": 2\n}'),
        ("[1, /* of two */ 2, 3]", 0, "[ /* of two */ 2, 3]"),
        ("[1, /* of two */ 2, 3]", 1, "[1, /* of two */  3]"),
        ("[ // mine\n  1\n]", 0, "[ // mine\n]"),
        ("[\r\n  1, // of one\r\n  2\r\n]", 1, "[\r\n  1 // of one\r\n]"),
    ],
)
def test_a_comment_beside_what_is_removed_stays(text: str, at: int, left: str) -> None:
    assert without_item(text, parse(text), at) == left
    values = [item.value for place, item in enumerate(parse(text).items) if place != at]
    assert [item.value for item in parse(left).items] == values


@pytest.mark.parametrize("text", ["{ /* none yet */ }", "{\n  // none yet\n}"])
def test_a_comment_where_nothing_else_stands_stays(text: str) -> None:
    added = with_item(text, parse(text), [1], "a")
    assert parse(added).value == {"a": [1]}
    assert "none yet" in added
    assert "none yet" in without_item(added, parse(added), 0)


def test_a_list_with_a_comment_is_not_empty_without_our_hook() -> None:
    recipe = RECIPES["gemini"]
    commands = commands_for(recipe.host, "/usr/bin/commonplace", [], capture=False)
    text = '{\n  "hooks": {\n    // what I tried before\n  }\n}'
    taken = without_hooks(with_hooks(text, recipe, commands), recipe)
    assert (parse(taken).value, "what I tried before" in taken) == ({"hooks": {}}, True)


_COMMENTS = st.sampled_from(["", " ", "\n", " // said\n", " /* said */ ", "\n  // said\n  "])


@given(st.lists(st.integers(0, 99), min_size=1, max_size=4), st.data())
def test_no_comment_is_lost_wherever_it_stands(values: list[int], data: Any) -> None:
    """Also with a comma behind the last one."""

    def said() -> str:
        return str(data.draw(_COMMENTS))

    members = [f"{said()}{value}{said()}" for value in values]
    text = f"[{','.join(members)}{data.draw(st.sampled_from(['', ',']))}{said()}]"
    at = data.draw(st.integers(0, len(values) - 1))
    left = without_item(text, parse(text), at)
    assert parse(left).value == values[:at] + values[at + 1 :]
    assert left.count("said") == text.count("said")


def _settings(host: str) -> st.SearchStrategy[dict[str, Any]]:
    """Settings as a person may have them: anything, and hooks of their own for some of the events."""
    events = list(RECIPES[host].host.events.values())
    own = st.fixed_dictionaries({"command": st.text(max_size=20)}, optional={"timeout": st.integers(1, 9)})
    group = own if RECIPES[host].flat else st.fixed_dictionaries({"hooks": st.lists(own, min_size=1, max_size=2)})
    hooks = st.dictionaries(st.sampled_from([*events, "Other"]), st.lists(group, min_size=1, max_size=2), min_size=1)
    rest = st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), _VALUES, max_size=3)
    return st.tuples(rest, st.none() | hooks).map(lambda two: {**two[0], **({"hooks": two[1]} if two[1] else {})})


@pytest.mark.parametrize("host", RECIPES)
@given(data=st.data())
def test_hooks_put_in_and_taken_out_leave_what_was_there(host: str, data: Any) -> None:
    before, indent = data.draw(_settings(host)), data.draw(_FORMS)
    recipe, text = RECIPES[host], json.dumps(before, indent=indent, ensure_ascii=False)
    commands = commands_for(recipe.host, "/usr/bin/commonplace", [], capture=data.draw(st.booleans()))
    installed = with_hooks(text, recipe, commands)
    assert with_hooks(installed, recipe, commands) == installed, "twice is once"
    assert commands_in(installed, recipe) == commands
    for key, value in before.items():
        if key != "hooks":
            assert json.loads(installed)[key] == value
    assert without_hooks(installed, recipe) == text, "taken out again, to the byte"
