"""Templates: `{}` is the input, `{name}` a binding, braces are written twice; everything else is what it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.errors import InvalidError
from commonplace.surfaces.agent.templates import render, summarised, with_input
from commonplace.surfaces.agent.values import NOTHING, ErrorValue


class TestRendering:
    @pytest.mark.parametrize(
        ("template", "rendered"),
        [
            ("Help with {}.", "Help with tea."),
            ("{who} asks: {}", "Ann asks: tea"),
            ("{{}} {{who}}", "{} {who}"),
            ("a \\` b", "a ` b"),
            ('a \\" \\n \\\\ b', 'a \\" \\n \\\\ b'),
            ("{_a1}", "x"),
            ("", ""),
        ],
    )
    def test_places_are_filled_in(self, template, rendered):
        """V52; a backslash before anything but a backquote stays (example 27)."""
        assert render(template, "tea", {"who": "Ann", "_a1": "x"}) == rendered

    @pytest.mark.parametrize("template", ["{", "}", "a } b", "{a.b}", "{ who }", "{1}", "{who", "{a-b}", "{{}"])
    def test_a_brace_that_stands_alone_is_e052(self, template):
        with pytest.raises(InvalidError) as raised:
            render(template, "tea", {"who": "Ann"})
        assert raised.value.code == "E052"

    @pytest.mark.parametrize("template", ["{nobody}", "Help {who} and {nobody}."])
    def test_an_unknown_name_is_e051(self, template):
        with pytest.raises(InvalidError) as raised:
            render(template, "tea", {"who": "Ann"})
        assert raised.value.code == "E051"

    def test_a_template_that_asks_for_an_input_gets_one_or_says_so(self):
        assert render("Help with {}.", ()) == "Help with ."
        with pytest.raises(InvalidError, match="asks for an input"):
            render("Help with {}.")

    def test_what_is_filled_in_is_not_read_again(self):
        assert render("{}", "{who} {}", {"who": "Ann"}) == "{who} {}"

    @given(st.text())
    def test_any_text_can_be_written(self, text):
        assert render(text.replace("\\`", "").replace("{", "{{").replace("}", "}}")) == text.replace("\\`", "")

    def test_values_are_written_like_json_with_their_keys_in_order(self):
        """V56."""
        assert render("{}", {"b": [1, None, "x"], "a": True}) == '{"a": true, "b": [1, null, "x"]}'
        assert render("{}", ErrorValue("locked", "m")) == '{"error": {"kind": "locked", "message": "m"}}'


class TestTheInputSection:
    def test_the_input_stands_below_the_prompt(self):
        """V56."""
        assert with_input("Do it.", "tea") == "Do it.\n\nInput:\n---\ntea\n---"

    @pytest.mark.parametrize("nothing", [NOTHING, ()])
    def test_no_input_no_section(self, nothing):
        """V56."""
        assert with_input("Do it.", nothing) == "Do it."

    @pytest.mark.parametrize("given", [0, False, None, "", {}])
    def test_an_input_that_is_little_is_still_one(self, given):
        assert "Input:" in with_input("Do it.", given)

    def test_below_two_thousand_characters_nothing_is_left_out(self):
        """V56."""
        assert summarised("x" * 1_999) == "x" * 1_999

    def test_up_to_eight_thousand_both_ends_are_shown(self):
        """V56: summarised, by rule."""
        short = summarised("a" * 4_000 + "z" * 4_000)
        assert short.startswith("a")
        assert short.endswith("z")
        assert "characters left out" in short
        assert len(short) < 2_100

    @pytest.mark.parametrize(
        "large", ["x" * 100_000, {f"key{n}": "v" * 900 for n in range(100)}, ["item " * 100] * 100]
    )
    def test_beyond_that_only_the_essentials(self, large):
        """V56."""
        assert len(summarised(large)) < 5_000

    def test_the_essentials_of_an_object_name_its_keys(self):
        short = summarised({"title": "T", "body": "b" * 9_000})
        assert "title: T" in short
        assert "body: b" in short
