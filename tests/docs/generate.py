"""The reference pages, made from the code: `python -m tests.docs.generate` (`make docs`) writes them.

What can be read off the code is never written by hand: the verbs and their fields, the commands and their options, the
errors, the settings, the nouns. A test compares the committed pages with what is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
NOTE = "<!-- Made from the code by `make docs`; edit the code, not this page. -->"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A Markdown table; a bar inside a cell would end it."""
    names = [*head]
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def pages() -> dict[str, str]:
    """Every page by its file name."""
    from . import reference_commands, reference_errors, reference_nouns, reference_settings, reference_verbs

    made = {
        "index.md": _index(),
        "verbs.md": reference_verbs.lines(),
        "commands.md": reference_commands.lines(),
        "errors.md": reference_errors.lines(),
        "settings.md": reference_settings.lines(),
        "nouns.md": reference_nouns.lines(),
    }
    return {name: f"{NOTE}\n\n" + "\n".join(lines).rstrip("\n") + "\n" for name, lines in made.items()}


def _index() -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield "Made from the code. For the ideas behind it read the [guide](../guide/index.md)."
    yield ""
    yield "- [Verbs](verbs.md): what a book can be asked, field by field, as the library and every surface see it."
    yield "- [Commands](commands.md): the command line, its options and its exit codes."
    yield "- [Errors](errors.md): the kinds, whether a retry helps, and the next step each one offers."
    yield "- [Settings](settings.md): limits and defaults, each with its reason; environment variables."
    yield "- [Nouns](nouns.md): the record and its companions, and the closed lists."


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = pages()
    for name, text in made.items():
        (FOLDER / name).write_text(text)
    for old in FOLDER.glob("*.md"):
        if old.name not in made:
            old.unlink()
    print(f"wrote {len(made)} pages")


if __name__ == "__main__":
    main()
