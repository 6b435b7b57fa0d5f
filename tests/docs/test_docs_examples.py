"""Every example in the documentation does what the page says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .console_blocks import Terminal, commands, environment, wants_models
from .pages import Page, pages
from .python_blocks import run

_RUNNABLE = [page for page in pages() if page.has("python") or page.has("console")]


@pytest.mark.parametrize("page", _RUNNABLE, ids=str)
def test_the_examples_of_a_page_run_in_order_and_show_what_it_says(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    models = wants_models(page)
    for name, value in environment(tmp_path, models=models).items():
        monkeypatch.setenv(name, value)
    terminal = Terminal(tmp_path, models=models)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in page.blocks:
        if block.language == "python":
            run(block, names, page.name)
        elif block.language == "console":
            for command in commands(block):
                terminal.check(command, page.name)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_block_says_what_it_is(page: Page) -> None:
    """Only a block with a language is known to be run, or to be none that could be."""
    known = {"python", "console", "sh", "text", "toml", "json"}
    assert {block.language for block in page.blocks} <= known, page.name


def test_the_answer_of_a_wrong_page_is_not_accepted(tmp_path: Path) -> None:
    """The control: the machinery above can fail."""
    from .pages import Block

    terminal = Terminal(tmp_path)
    right = Block("console", '$ commonplace save "It rains." --type episode -q\n01M7FEFV6Y6XQYYSK68V8QB5MR\n', 1)
    wrong = Block("console", "$ commonplace get 01M7FEFV6Y6XQYYSK68V8QB5MR -q\nIt is dry.\n", 1)
    terminal.check(next(commands(right)), "right")
    with pytest.raises(AssertionError, match=r"It is dry\."):
        terminal.check(next(commands(wrong)), "wrong")
    with pytest.raises(AssertionError, match="says 3"):
        run(Block("python", "1 + 1  # -> 3\n", 1), {}, "wrong")
