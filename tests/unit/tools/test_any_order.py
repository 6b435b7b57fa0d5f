"""Whatever is done in whatever order, the tools and a plain list tell the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import commonplace
from commonplace.tools import Toolset

from .conftest import Opener, stored, user

_MOST = 6


class Plain:
    """The file as a list of id and text, and what is expected of it."""

    def __init__(self) -> None:
        self.memories: list[tuple[str, str]] = []
        self.highest = 0

    def add(self, id: str, text: str, *, most: int | None = None) -> None:
        self.memories.append((id, text))
        self.highest = max(self.highest, int(id[2:]))
        if most is not None:
            self.memories = self.memories[-most:]


_LONG = [pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 30)]


@pytest.mark.parametrize("seed", [0, 1, *_LONG])
def test_the_tools_do_what_a_list_does(
    seed: int, open_tools: Opener, file: Path, cache: Path, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    """G6, G19, G22, G24-G26, G28, G43, in any order; restarts, lost catalogs and people's lines among them."""
    draw, plain, tools, said = Random(seed), Plain(), open_tools(max_total=_MOST), 0
    for _ in range(40):
        match draw.choice(["store"] * 4 + ["delete"] * 2 + ["again", "by hand", "restart", "lose", "look"]):
            case "store":
                said += 1
                plain.add(stored(tools, f"fact {said}"), f"fact {said}", most=_MOST)
                assert plain.memories[-1][0] == f"m-{plain.highest}"
            case "again" if plain.memories:
                id, text = draw.choice(plain.memories)
                assert stored(tools, text) == id
            case "delete" if plain.memories:
                id, _text = plain.memories.pop(draw.randrange(len(plain.memories)))
                assert tools.dispatch("memory_delete", {"id": id}) == {"ok": True}
            case "by hand" if plain.memories and len(plain.memories) < _MOST:
                said += 1
                plain.add(f"m-{plain.highest + 3}", f"fact {said}")
                with file.open("a") as appended:
                    appended.write(json.dumps({"id": plain.memories[-1][0], "text": f"fact {said}"}) + "\n")
            case "restart":
                tools.close()
                tools = open_tools(max_total=_MOST)
            case "lose":
                tools.close()
                shutil.rmtree(cache, ignore_errors=True)
            case "look":
                _same(tools, plain)
    _same(tools, plain)
    assert [(line["id"], line["text"]) for line in lines()] == plain.memories
    tools.close()
    with commonplace.open(tools.url) as book:
        assert {record.content for record in book.list(limit=100)} == {text for _, text in plain.memories}
        assert book.verify()


def _same(tools: Toolset, plain: Plain) -> None:
    found = tools.dispatch("memory_search")["memories"]
    assert [(memory["id"], memory["text"]) for memory in found] == plain.memories[::-1]
    assert tools.memories_for(user("?")).ids == tuple(id for id, _ in plain.memories[-5:])
