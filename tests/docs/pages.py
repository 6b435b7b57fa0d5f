"""The pages of the documentation, and what a reader sees on one: its text, its fenced blocks, its headings, its links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


class Block(NamedTuple):
    """One fenced block: its language, its text, and the line it begins on."""

    language: str
    text: str
    line: int


class Page:
    """One Markdown file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.text = path.read_text()

    def __repr__(self) -> str:
        return self.name

    @property
    def blocks(self) -> list[Block]:
        found = _FENCE.finditer(self.text)
        return [Block(one[1], one[2], self.text[: one.start()].count("\n") + 2) for one in found]

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return _FENCE.sub("", self.text)

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.prose)

    @property
    def anchors(self) -> set[str]:
        return {anchor(heading) for heading in _HEADING.findall(self.prose)}

    def has(self, language: str) -> bool:
        return any(block.language == language for block in self.blocks)


def anchor(heading: str) -> str:
    """How a heading is linked to: small letters, hyphens for spaces, nothing else but letters and digits."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def pages(*folders: str) -> list[Page]:
    """The pages of some folders of `docs/`; without a folder all pages there are."""
    if folders:
        found = [path for folder in folders for path in (ROOT / "docs" / folder).rglob("*.md")]
    else:
        found = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "changes").glob("*.md")]
        found += [ROOT / "README.md", ROOT / "ARCHITECTURE.md"]
    return [Page(path) for path in sorted(found)]


def page(name: str) -> Page:
    return Page(ROOT / name)
