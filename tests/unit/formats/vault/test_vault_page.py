"""The page of the format describes what is really written."""

from __future__ import annotations

import re
from pathlib import Path

from commonplace.formats.vault.keys import ORDER
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.note import LARGEST

from .vault_shelf import VaultInMemory

PAGE = (Path(__file__).parents[4] / "docs" / "format" / "vault.md").read_text()
_SOURCES = Path(__file__).parents[4] / "src" / "commonplace" / "formats" / "vault"


def test_the_example_is_what_is_written() -> None:
    example = PAGE.split("````markdown\n")[1].split("````")[0]
    vault = VaultInMemory()
    saved = vault.save(
        "We ship on Mondays, because [[on-call]] is staffed then.", kind="workflow", type="project", slug="shipping-day",
        tags=("release",), title="Shipping day", id="01M7G1X7951CZ3GKZE87EK02FT",
    )  # fmt: skip
    assert vault.text(saved) == example


def test_every_line_is_described_in_its_order() -> None:
    table = PAGE.split("| line | holds | when |")[1].split("\n\n")[0]
    said = [
        key for row in table.splitlines() for key in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
    ]
    assert tuple(said) == ORDER


def test_every_folder_is_in_the_picture() -> None:
    layout = Layout()
    names = (
        layout.store,
        layout.memory,
        layout.projects,
        layout.always_load,
        layout.archive,
        layout.inbox,
        layout.index,
    )
    others = (layout.meta, layout.harness, *(folder for _, folder in (*layout.curated_kinds, *layout.agent_kinds)))
    picture = PAGE.split("```text")[1].split("```")[0]
    assert [name for name in (*names, *others) if name not in picture] == []


def test_every_finding_is_described() -> None:
    codes = {*re.findall(r'code="(\w+)"', (_SOURCES / "findings.py").read_text())}
    assert codes == {*re.findall(r"^\| `(\w+)` \| ", PAGE.split("## Findings")[1].split("\n## ")[0], re.MULTILINE)}


def test_the_largest_note_is_the_one_on_the_page() -> None:
    assert f"{LARGEST:,} bytes" in PAGE
