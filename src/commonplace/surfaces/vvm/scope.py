"""Which name means what, where. Blocks have no scope of their own; functions do; `it` follows blocks and calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from commonplace.surfaces.vvm.errors import Place
from commonplace.surfaces.vvm.values import UNIT, Function, Value, thrown

if TYPE_CHECKING:
    from commonplace.agent import Agent

MAX_CALLS = 60
"""Functions that call each other deeper than this never end, as a rule."""


class Module:
    """One file while it runs: its values and functions, and its agents, which have a namespace of their own."""

    def __init__(self, file: str, library: Mapping[str, Function]) -> None:
        self.file, self.library = file, library
        self.values: dict[str, Value] = {}
        self.agents: dict[str, Agent] = {}
        self.exports: dict[str, Value] = {}


class Frame:
    """One running function, or the top of a module. `bound` holds every name that is local here, set or not."""

    def __init__(
        self, module: Module, names: dict[str, Value], bound: frozenset[str] | None, it: Value, depth: int
    ) -> None:
        self.module, self.names, self.bound, self.it, self.depth = module, names, bound, it, depth
        self.caught: list[dict[str, Value]] = []

    @classmethod
    def top(cls, module: Module) -> Frame:
        return cls(module, module.values, None, UNIT, 0)

    def inner(self, module: Module, names: dict[str, Value], bound: frozenset[str], at: Place) -> Frame:
        """The frame of a function that is called from here; it inherits `it`."""
        if self.depth >= MAX_CALLS:
            raise thrown(f"functions call each other more than {MAX_CALLS} deep", at)
        return Frame(module, names, bound, self.it, self.depth + 1)

    def look_up(self, name: str, at: Place) -> Value:
        if self.bound is not None and name in self.bound:
            if name in self.names:
                return self.names[name]
            raise thrown(f"`{name}` has no value yet in this function", at)
        for names in (self.module.values, self.module.library):
            if name in names:
                return names[name]
        raise thrown(f"nothing is called `{name}`", at)
