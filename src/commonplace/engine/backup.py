"""`backup`: a copy of the book that was reopened and proved, not only written."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

from msgspec import Meta

from commonplace.engine.exchange import ENTITIES
from commonplace.engine.export import left_out
from commonplace.engine.scribe import Request, Scribe
from commonplace.engine.verify import check_chain
from commonplace.errors import CorruptError
from commonplace.model.finding import BackupReport
from commonplace.seam.canon import Canon
from commonplace.seam.terms import Progress


class Backup(Request, frozen=True, kw_only=True):
    """Where to."""

    path: Annotated[str, Meta(description="a file that does not exist yet")]


def backup(scribe: Scribe, asked: Backup, progress: Progress | None = None) -> BackupReport:
    """Others may go on writing: the copy is the book at one moment."""
    copy = scribe.canon.backup(asked.path, progress)
    try:
        with closing(copy):
            return _proved(copy, asked.path, progress)
    except CorruptError:  # it holds what there is, and its name stays taken
        raise
    except BaseException:
        scribe.canon.unmake(asked.path)
        raise


def _proved(copy: Canon, path: str, progress: Progress | None) -> BackupReport:
    counts = {"entries": 0}
    damage = [*copy.examine(full=True)]
    with copy.reading() as view:
        damage += check_chain(view, counts, progress)
        damage += left_out(view, {name: sum(1 for _ in view.nouns(entity)) for name, entity in ENTITIES})
        memories = view.counts()["total"]["memories"]
    damage = [finding for finding in damage if finding.severity == "error"]
    if damage:
        raise CorruptError(f"the backup does not verify: {damage[0].message}", where=path)
    return BackupReport(path=path, bytes=copy.size(), memories=memories, operations=counts["entries"], verified=True)
