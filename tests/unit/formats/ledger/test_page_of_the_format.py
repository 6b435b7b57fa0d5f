"""The page of the format tells the truth: its example is a ledger, and every key we write is on it."""

from __future__ import annotations

import re
from pathlib import Path

from commonplace.formats.ledger.format import LedgerFormat

from .shelf import LedgerShelf, a_digest, a_fact

PAGE = (Path(__file__).parents[4] / "docs" / "format" / "ledger.md").read_text()


def test_the_example_is_read_as_the_page_says():
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    contents = LedgerFormat().read("ledger.jsonl", example.encode())
    assert contents.aside == []
    assert [(entry.fields["content"], entry.fields.get("status")) for entry in contents.entries] == [
        ("O(c=0.9) @Alice: prefers tea.", None),
        ("W @Bob: runs the night build.", None),
        ("W perhaps.", "inbox"),
    ]


def test_every_key_that_is_written_is_on_the_page():
    shelf = LedgerShelf()
    fact = a_fact("W one.")
    shelf.change(a_digest("D"), fact, a_fact("W two.", status="inbox"))
    shelf.change(purge=(fact.id,))
    written = {key for line in shelf.lines() for key in line} | {"warning"}
    about_lines = PAGE.partition("## A line")[2].partition("\n## ")[0]
    assert written == set(re.findall(r"^\| `(\w+)` \|", about_lines, re.MULTILINE))
