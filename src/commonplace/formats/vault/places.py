"""Where a note belongs after a change, and what it is called there."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import basename, dirname
from typing import Any

from commonplace.formats.vault.layout import Layout, Spot
from commonplace.formats.vault.names import archive_stem, file_stem, recognised, safe_name, unarchived_stem
from commonplace.formats.vault.patch import held
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status


def folder_for(record: MemoryRecord, told: Mapping[str, Any], path: str, layout: Layout) -> str:
    """The folder for the note that lies at `path` and told this.

    One that a person put elsewhere stays there while nothing asks it to move; one that is deleted stays anyway (A30).
    """
    spot, here = layout.spot(path), dirname(path)
    agrees = _agrees(spot, record)
    if record.status is Status.DELETED and agrees:
        return here
    status = spot.status if told["status"] is Status.DELETED else told["status"]
    personal = layout.is_personal(path)
    old, new = (layout.home(said, personal=personal) for said in ({**told, "status": status}, held(record)))
    return here if old == new and agrees else new


def _agrees(spot: Spot, record: MemoryRecord) -> bool:
    """Does a folder say nothing that a line of the note could not take back?"""
    if spot.status is Status.ACTIVE and spot.always_load is not record.always_load:
        return False
    return spot.project is None or record.project_id is not None


def stem_for(record: MemoryRecord, told: Mapping[str, Any], path: str) -> str:
    """Its own name; another one when it is superseded (A69), when that is undone, or when its slug changed with it."""
    own = basename(path)[:-3]
    was, shall = told["status"], record.status
    if shall is Status.SUPERSEDED and was is not shall:
        return _archived(record, own)
    if was is Status.SUPERSEDED and shall is not was:
        return unarchived_stem(own)
    renamed = record.slug and record.slug != told["slug"] and own == safe_name(told["slug"])
    return recognised(safe_name(record.slug)) if renamed else own


def stem_of_new(record: MemoryRecord) -> str:
    stem = file_stem(record.slug, record.title, record.content, record.id)
    return _archived(record, stem) if record.status is Status.SUPERSEDED else stem


def _archived(record: MemoryRecord, stem: str) -> str:
    return archive_stem(stem, record.updated_at.strftime("%Y%m%d"))
