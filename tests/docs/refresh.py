"""`python -m tests.docs.refresh PAGE...` writes the answers of a page's terminal sessions anew; review them like code.

An answer that still holds is left as it is, so that only what changed shows in the difference.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from .console_blocks import Command, Terminal, commands, environment, wants_models
from .pages import Block, Page
from .python_blocks import run


def refresh(page: Page, folder: Path) -> str:
    """The page's text with the answers that are given today."""
    terminal, names = Terminal(folder, models=wants_models(page)), {"__name__": "__main__"}
    text = page.text
    for block in page.blocks:
        if block.language == "python":
            run(block, names, page.name)
        elif block.language == "console":
            text = text.replace(block.text, _answered(block, terminal), 1)
    return text


def _answered(block: Block, terminal: Terminal) -> str:
    said = [(command, _answer(command, terminal)) for command in commands(block)]
    return "\n".join(f"$ {command.typed}\n" + (f"{answer}\n" if answer else "") for command, answer in said)


def _answer(command: Command, terminal: Terminal) -> str:
    shown = terminal.answer(command)
    is_bug = "Traceback (most" in shown or "(exit code 70)" in shown
    assert not is_bug, f"a bug must not become documentation: {command.typed}\n{shown}"
    return command.answer if terminal.is_answer(command.answer, shown) else shown


def main(names: list[str]) -> None:
    home = Path.cwd()
    for page in [Page(Path(name).resolve()) for name in names]:
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(environment(Path(folder), models=wants_models(page)))
            os.chdir(folder)
            made: Any = refresh(page, Path(folder))
            os.chdir(home)
        page.path.write_text(made)


if __name__ == "__main__":
    main(sys.argv[1:])
