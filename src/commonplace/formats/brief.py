"""A book in files for a process that lives for one question: the files are looked at once, or not at all if they are many.

Whoever opens a book for long looks for edits before every answer; ten thousand files take longer than a hook has. So many are
taken as the catalog knows them. What was written through Commonplace is in it, what was purged is not; only what somebody has
edited since is seen later, by the next who has the time.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from commonplace.formats.canon import FileCanon

if TYPE_CHECKING:
    from commonplace.formats.draft import FileDraft

FEW = 1_000
"""Looking at so many takes a few hundredths of a second."""


class BriefCanon(FileCanon):
    """See `FileCanon`; what is different is only how often it looks."""

    _has_looked = False

    @cached_property
    def has_many(self) -> bool:
        """Are there too many files to look at them now?"""
        return _more_than(FEW, self.folder)

    @property
    def is_unread(self) -> bool:
        """Has nobody ever looked at the files? Then nothing is known of them."""
        return self._is_empty()

    def _is_stale(self) -> bool:
        if self._is_due():
            return super()._is_stale()
        with self._catalog.reading() as view:
            known = view.inventory().facts().journal_size or 0
        return known != self._journal.size() or self._is_empty()

    def _is_due(self) -> bool:
        due = not self._has_looked and not self.has_many
        self._has_looked = True
        return due

    def _are_few(self, draft: FileDraft) -> bool:
        return not self.has_many and super()._are_few(draft)


def _more_than(many: int, folder: str) -> bool:
    """Counted without looking at any file, and only as far as it takes."""
    folders, count = [folder], 0
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > many:
                        return True
                    if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                        folders.append(entry.path)
        except OSError:
            continue  # whoever looks at it will say what is wrong with it
    return False
