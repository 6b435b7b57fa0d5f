"""The reserved channel in an answer: fenced blocks with the info string `vvm-memory`, found and taken out (V25, V26, V-f).

A fence is three or more backquotes or tildes, at most three spaces from the start of its line; it ends at one of the same
kind that is at least as long, or with the text. A block inside a longer fence, or inside one of the other kind, is quoted.
"""

from __future__ import annotations

import re
from typing import NamedTuple

CHANNEL = "vvm-memory"
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>[^\n]*)")


class Block(NamedTuple):
    """One block of the channel."""

    body: str
    is_closed: bool


class _Fence(NamedTuple):
    mark: str
    length: int
    info: str

    def ends(self, other: _Fence) -> bool:
        return not self.info and self.mark == other.mark and self.length >= other.length

    def quotes(self, other: _Fence) -> bool:
        """Is a block that begins with the other fence only shown in here?"""
        return self.mark != other.mark or self.length > other.length

    @property
    def opens_channel(self) -> bool:
        return self.info.split()[:1] == [CHANNEL]


def take_out(answer: str) -> tuple[str, list[Block]]:
    """What a person may see, and the blocks that were in it. An answer without one is returned as it is."""
    if CHANNEL not in answer:
        return answer, []
    seen: list[str] = []
    blocks: list[Block] = []
    body: list[str] = []
    outer: _Fence | None = None  # the fence we stand in, if any
    behind = 0  # how much was seen before the last block ended
    for line in _LINES.findall(answer):
        fence = _fence(line)
        if outer is not None and outer.opens_channel:
            if fence is not None and fence.ends(outer):
                blocks.append(Block("".join(body), is_closed=True))
                outer, body, behind = None, [], len(seen)
            else:
                body.append(line)
            continue
        if fence is not None and fence.opens_channel and (outer is None or not outer.quotes(fence)):
            outer = fence
            continue
        seen.append(line)
        if fence is not None:
            outer = fence if outer is None else None if fence.ends(outer) else outer
    if outer is not None and outer.opens_channel:
        blocks.append(Block("".join(body), is_closed=False))
        behind = len(seen)
    return (_joined(seen, behind) if blocks else answer), blocks


def _fence(line: str) -> _Fence | None:
    match = _FENCE.fullmatch(line.rstrip("\r\n"))
    if match is None or (match["marks"][0] == "`" and "`" in match["info"]):
        return None
    return _Fence(match["marks"][0], len(match["marks"]), match["info"].strip())


def _joined(seen: list[str], behind: int) -> str:
    """What is left. The blank lines between a text and the block at its end go with the block."""
    return "".join(seen) if "".join(seen[behind:]).strip() else "".join(seen).rstrip()
