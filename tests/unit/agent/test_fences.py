"""The reserved channel is taken out of every answer, whole; what only looks like it stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.surfaces.agent.fences import take_out

BLOCK = '```vvm-memory\n{"digest": "D"}\n```'


class TestTakingOut:
    @pytest.mark.parametrize(
        ("answer", "seen"),
        [
            (f"Hello.\n\n{BLOCK}\n", "Hello."),
            (f"{BLOCK}\nHello.", "Hello."),
            (f"Hello.\n{BLOCK}\nBye.", "Hello.\nBye."),
            (f"Hello.\n\n{BLOCK}\n\n  Bye.  \n", "Hello.\n\n\n  Bye.  \n"),
            (f"Hello.\n{BLOCK}\n \n\n", "Hello."),
            (BLOCK, ""),
            (f"  indented\n{BLOCK}", "  indented"),
        ],
    )
    def test_the_whole_block_goes_and_the_text_stays(self, answer, seen):
        """V25, V26."""
        text, blocks = take_out(answer)
        assert text == seen
        assert [block.body for block in blocks] == ['{"digest": "D"}\n']

    @pytest.mark.parametrize(
        "block",
        [
            '~~~vvm-memory\n{"a": 1}\n~~~',
            '`````vvm-memory\n{"a": 1}\n`````',
            '```vvm-memory\n{"a": 1}\n``````',
            '   ```vvm-memory\n{"a": 1}\n  ```',
            '``` vvm-memory \n{"a": 1}\n```  ',
            '```vvm-memory json\n{"a": 1}\n```',
            '```vvm-memory\r\n{"a": 1}\r\n```\r\n',
        ],
    )
    def test_every_form_of_fence_counts(self, block):
        """V-f: backquotes or tildes, three or more, up to three spaces, CRLF."""
        text, blocks = take_out(f"Text.\n{block}")
        assert text == "Text."
        assert [block.body.strip() for block in blocks] == ['{"a": 1}']
        assert blocks[0].is_closed

    def test_a_block_without_its_end_goes_to_the_end_of_the_text(self):
        """V-f: stripped, and later rejected."""
        text, blocks = take_out('Text.\n```vvm-memory\n{"digest": "D"}\nmore')
        assert text == "Text."
        assert not blocks[0].is_closed

    def test_several_blocks_all_go(self):
        """V-d."""
        text, blocks = take_out(f"One.\n{BLOCK}\nTwo.\n{BLOCK}\n")
        assert text == "One.\nTwo."
        assert len(blocks) == 2

    def test_a_longer_fence_inside_the_block_belongs_to_it(self):
        assert take_out(f"~~~vvm-memory\n{BLOCK}\n~~~\nText.")[0] == "Text."


class TestWhatIsNoBlock:
    @pytest.mark.parametrize(
        "answer",
        [
            f"````markdown\n{BLOCK}\n````\n",
            f"~~~\n{BLOCK}\n~~~\n",
            f"````\n{BLOCK}\n",
            "    ```vvm-memory\n    {}\n    ```",
            "> ```vvm-memory\n> {}\n> ```",
            "Use ```vvm-memory``` blocks.",
            "```vvm-memory-example\n{}\n```",
            "```json vvm-memory\n{}\n```",
            "``vvm-memory\n{}\n``",
            "The word vvm-memory alone.",
            "",
        ],
    )
    def test_what_is_quoted_or_only_mentioned_stays_as_it_is(self, answer):
        """V-f: inside a longer fence it is quoted text."""
        assert take_out(answer) == (answer, [])

    def test_a_fence_that_was_closed_quotes_nothing(self):
        text, blocks = take_out(f"```python\nx = 1\n```\n{BLOCK}")
        assert text == "```python\nx = 1\n```"
        assert len(blocks) == 1

    def test_a_code_block_that_was_never_closed_does_not_swallow_the_channel(self):
        """The channel is reserved (V57): only a longer fence quotes it."""
        text, blocks = take_out(f"```python\nx = 1\n{BLOCK}")
        assert "vvm-memory" not in text
        assert len(blocks) == 1

    @given(st.text(alphabet="`~ \nab{}vm-eory\r", max_size=200))
    def test_any_answer_is_taken_apart_in_one_go(self, text):
        """What is left holds no block any more, unless taking one out brought two halves together."""
        seen, blocks = take_out(text)
        assert (seen == text) or blocks
        assert len(seen) <= len(text)
