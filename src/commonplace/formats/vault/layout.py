"""Where a note belongs: every folder name of a vault, and which memory goes into which (A16-A22).

A vault is a person's folder. Inside it, `Agent/` is the store root: what lies there agents may write. All the rest is the
person's own (T1): read, linked to, and written only by a verb of its own. Below the store root `Memory/` is the agents'
(T3), and what lies beside it is kept together with the person (T2).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from posixpath import basename, dirname
from typing import Any, NamedTuple

import msgspec

from commonplace.formats.vault.names import plain_name, safe_name
from commonplace.model.words import Scope, Status, Tier


class Spot(NamedTuple):
    """What a path tells of the note that lies there."""

    tier: Tier
    kind: str | None = None
    project: str | None = None
    status: Status = Status.ACTIVE
    always_load: bool = False


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Every name in one place (A-o). The defaults are the names of the design."""

    store: str = "Agent"
    memory: str = "Memory"
    projects: str = "projects"
    always_load: str = "_always-load"
    archive: str = "_archive"
    inbox: str = "_inbox"
    index: str = "_index.md"
    meta: str = "_meta"
    harness: str = "_harness"
    """Plans and progress of a harness: they go through the storage seam (A5) and are no memories."""
    personal: str = ""
    """Where a new note of the person's own goes: the vault's top, as in the editor."""
    curated_kinds: tuple[tuple[str, str], ...] = (("preference", "preferences"), ("feedback", "feedback"))
    """Kinds that have a folder right below the store root once they are curated."""
    agent_kinds: tuple[tuple[str, str], ...] = (("idea", "_idea-incubator"),)
    """Kinds whose folder in `Memory/` has a name of its own; every other kind's folder is called like the kind."""
    consolidated_kinds: tuple[str, ...] = ("crystallized", "procedural")
    """Reserved for what consolidation makes (A22)."""
    templates: tuple[str, ...] = ("Templates", "templates", "_templates")
    """Patterns for notes, which are no notes themselves."""

    @property
    def memory_root(self) -> str:
        return f"{self.store}/{self.memory}"

    @property
    def index_path(self) -> str:
        return f"{self.memory_root}/{self.index}"

    def is_personal(self, path: str) -> bool:
        """Does it lie outside the store root (A12)?"""
        return not path.startswith(f"{self.store}/")

    def is_loose(self, path: str) -> bool:
        """Does it lie right at the store root, where no note belongs (A18)?"""
        return dirname(path) == self.store

    def is_ignored(self, folder: str) -> bool:
        """A folder, by its path, whose notes are no memories."""
        name = basename(folder)
        if self.is_personal(folder + "/"):
            return name in self.templates
        return name == self.harness or folder == f"{self.memory_root}/{self.meta}"

    def spot(self, path: str) -> Spot:
        """What a note's folder says about it."""
        return _spot(self, dirname(path))

    def spot_of(self, folder: str) -> Spot:
        folders = folder.split("/")
        if folders[0] != self.store:
            return Spot(Tier.T1, status=Status.ARCHIVED if self.archive in folders else Status.ACTIVE)
        inside = folders[1:]
        tier = Tier.T3 if inside[:1] == [self.memory] else Tier.T2
        if tier is Tier.T3:
            inside = inside[1:]
        project = plain_name(inside[1]) if len(inside) > 1 and inside[0] == self.projects else None
        return Spot(
            tier,
            self._kind(inside[2:] if project else inside, tier),
            project,
            self._status(inside),
            self.always_load in inside,
        )

    def _kind(self, folders: list[str], tier: Tier) -> str | None:
        if not folders or folders[0] in (self.always_load, self.archive, self.inbox, self.projects):
            return None
        named = self.agent_kinds if tier is Tier.T3 else self.curated_kinds
        for kind, folder in named:
            if folder == folders[0]:
                return kind
        return None if folders[0].startswith("_") else plain_name(folders[0])

    def _status(self, folders: list[str]) -> Status:
        if self.archive in folders:
            return Status.ARCHIVED
        return Status.INBOX if self.inbox in folders else Status.ACTIVE

    def home(self, said: Mapping[str, Any], *, personal: bool = False) -> str:
        """The folder in which a memory with these fields belongs, by what it is and what became of it."""
        kind, status, agents = said["kind"], said["status"], said["tier"] is Tier.T3
        if personal:
            return self.archive if status in AWAY else self.personal
        if status is Status.INBOX:
            return f"{self.memory_root}/{self.inbox}"
        top = self.memory_root if agents else self.store
        if status in AWAY:
            return f"{top}/{self.archive}"
        if said["always_load"]:
            return f"{top}/{self.always_load}"
        if said["scope"] is Scope.PROJECT and said["project_id"]:
            return f"{self.store}/{self.projects}/{safe_name(said['project_id'])}/{self._folder_of(kind)}"
        curated = None if agents else dict(self.curated_kinds).get(kind)
        return f"{self.store}/{curated}" if curated else f"{self.memory_root}/{self._folder_of(kind)}"

    def _folder_of(self, kind: str) -> str:
        return dict(self.agent_kinds).get(kind) or safe_name(kind)


@lru_cache(maxsize=4096)  # many notes lie in one folder
def _spot(layout: Layout, folder: str) -> Spot:
    return layout.spot_of(folder)


AWAY = (Status.ARCHIVED, Status.SUPERSEDED)
