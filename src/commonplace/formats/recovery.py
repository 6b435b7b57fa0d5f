"""Where the journal file is ahead of the catalog: the catalog was lost, or somebody was cut off between the two.

Entries are adopted verbatim. Only the last change can have been cut off before its files got their bytes, because nobody
writes before having caught up; so only its steps are finished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.seam.format import Known, Place
from commonplace.seam.inventory import Seen

if TYPE_CHECKING:
    from commonplace.formats.journal_file import Commit, Group, JournalFile, Line
    from commonplace.formats.steps import Files
    from commonplace.model.operation import Entry, Operation
    from commonplace.seam.catalog import Draft, View
    from commonplace.seam.format import Format

_AT_ONCE = 500


def is_behind(draft: Draft, journal: JournalFile) -> bool:
    """Has the journal file lost what the catalog still knows, or is it an earlier edition? Then it is written anew."""
    size, known = journal.size(), int(draft.inventory().fact("journal_size") or 0)
    return size < known or (size != known and journal.edition() < _edition(draft))


def is_outdated(view: View, journal: JournalFile) -> bool:
    """Is the catalog of an earlier edition? Whoever purged was cut off before the catalog learnt of it: it has to go."""
    known = view.inventory().fact("journal_size")
    return known is not None and int(known) != journal.size() and journal.edition() > _edition(view)


def _edition(view: View) -> int:
    return int(view.inventory().fact("journal_edition") or 0)


def absorb(draft: Draft, journal: JournalFile, files: Files, format: Format) -> None:
    """Bring the catalog to where the journal is."""
    inventory = draft.inventory()
    known, size = inventory.fact("journal_size"), journal.size()
    if size <= int(known or 0) and not (known is None and journal.elder()):
        return
    follower = _Follower(draft, format)
    for group in journal.groups(int(known or 0)):
        follower.take(group)
    follower.end()
    if follower.last is not None:
        _finish(draft, files, follower.last)
    inventory.note("journal_size", str(size))
    inventory.note("journal_edition", str(journal.edition()))
    inventory.note("journal_seq", str(max(follower.seq, int(inventory.fact("journal_seq") or 0))))


class _Follower:
    """Follows the journal, many groups at a time."""

    def __init__(self, draft: Draft, format: Format) -> None:
        self._draft, self._format = draft, format
        self.seq = draft.highest_seq()
        self._groups: list[Group] = []
        self._waiting = 0
        self.last: Commit | None = None

    def take(self, group: Group) -> None:
        self._groups.append(group)
        self._waiting += len(group.lines)
        self.last = group.commit
        if self._waiting >= _AT_ONCE:
            self.end()

    def end(self) -> None:
        groups, self._groups, self._waiting = self._groups, [], 0
        lines = [line for group in groups for line in group.lines]
        self._adopt([line.journal for line in lines if line.journal is not None and line.journal.seq > self.seq])
        for line in lines:
            self._take_beside(line)
        for group in groups:
            self._place(group.commit)

    def _adopt(self, entries: list[Entry]) -> None:
        told = [(entry, said) for entry in entries if (said := _said(entry)) is not None]
        if told:
            self._draft.adopt_all(told)
            self.seq = told[-1][0].seq

    def _take_beside(self, line: Line) -> None:
        if line.remember is not None and self._draft.remembered(line.remember[0]) is None:
            self._draft.remember(*line.remember)
        if line.bury is not None:
            self._draft.bury(*line.bury)
        if line.foreign is not None:
            origin, entry = line.foreign
            said = _said(entry)
            if said is not None:
                self._draft.keep_foreign(origin, [(entry, said)])

    def _place(self, commit: Commit) -> None:
        inventory = self._draft.inventory()
        known = [Known(Place(path, key), id, digest) for path, key, id, digest in commit.places]
        inventory.displace(commit.gone)
        inventory.place((one, self._format.names(one.place)) for one in known)
        for memory_id, links in commit.links.items():
            inventory.draw(memory_id, {*links})


def _said(entry: Entry) -> Operation | None:
    """What an entry says; None if it cannot be read any more. `verify` names the gap."""
    try:
        return entry.operation()
    except (ValueError, TypeError, CommonplaceError):
        return None


def _finish(draft: Draft, files: Files, commit: Commit) -> None:
    in_the_way = files.finish(commit.steps)
    see(draft, files, commit, in_the_way)


def see(draft: Draft, files: Files, commit: Commit, in_the_way: list[str]) -> None:
    """Remember how the files look after a change. Where another's version stayed, the next look finds and honours it."""
    inventory = draft.inventory()
    done = {step.path: step for step in commit.steps if step.path not in in_the_way}
    seen: list[tuple[str, Seen]] = []
    for path, step in done.items():
        known = inventory.file(path)
        stamp = files.left(path, known.stamp if known else None)
        if stamp is not None:
            seen.append((path, Seen(stamp, bytes.fromhex(step.becomes or ""))))
    inventory.see(seen)
    inventory.forget(path for path, step in done.items() if step.step == "remove")
