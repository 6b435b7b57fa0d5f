"""Which book? `--book`, `$MEMORY_VAULT_PATH`, `vault_path` in `.agentm-config.json`, else the configured one (A47).

The first that is said decides, also if there is no book there: another one is never taken in its place. Without a book a hook
does nothing, and that is no error.
"""

from __future__ import annotations

import os

from commonplace.places import configured_url
from commonplace.surfaces.hooks.payload import Skip
from commonplace.surfaces.hooks.project import Place, read_json
from commonplace.surfaces.lightly import import_lightly

_OF_THE_USER = ("~/.agentm-config.json", "~/.claude/.agentm-config.json")


class Chosen:
    """A book's URL, and whether the user chose it rather than a file that came with the project."""

    def __init__(self, url: str, *, by_project: bool = False) -> None:
        self.url, self.by_project = url, by_project


def book_for(place: Place, named: str | None) -> Chosen:
    """The book that is meant. `Skip` if it is not there."""
    chosen = Chosen(named) if named else _of_a_vault(place) or Chosen(configured_url())
    scheme, _, path = chosen.url.partition(":")
    # Looked at before the book's own code is loaded: where there is no book yet, a hook costs next to nothing.
    if scheme in ("sqlite", "vault", "ledger", "jsonl") and not os.path.exists(os.path.expanduser(path)):
        raise Skip("there is no book yet")
    if chosen.by_project and not _is_known(path):
        raise Skip("the project names a vault that you have not opened before (`commonplace stats -b vault:PATH` does)")
    return chosen


def _of_a_vault(place: Place) -> Chosen | None:
    path = os.environ.get("MEMORY_VAULT_PATH")
    if path:
        return Chosen(f"vault:{path}")
    path = _vault_path(place.said)
    if path:
        # Relative to the file that says so, which lies at the project's root.
        return Chosen(f"vault:{os.path.join(place.root or '', os.path.expanduser(path))}", by_project=True)
    path = _vault_path(read_json(*(os.path.expanduser(one) for one in _OF_THE_USER)))
    return Chosen(f"vault:{path}") if path else None


def _is_known(folder: str) -> bool:
    """Has this user opened it before? Then its catalog lies in the user's cache. A project that came from elsewhere may name any
    folder, or bring one along, and its notes would count as the operator's own words."""
    import_lightly()
    from commonplace.catalog.sqlite.derived import CatalogHome
    from commonplace.places import cache_folder

    return os.path.exists(CatalogHome(os.path.join(cache_folder(), "books"), folder, 0.0).path)


def _vault_path(said: dict[str, object]) -> str | None:
    path = said.get("vault_path")
    return path if isinstance(path, str) and path.strip() and path.isprintable() else None
