"""Where the journal file is ahead of the catalog: the catalog was lost, or somebody was cut off between the two.

Entries are adopted verbatim. Only the last change can have been cut off before its files got their bytes, because nobody
writes before having caught up; so only its steps are finished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.formats.looked import UNSEEN
from commonplace.model.words import Entity
from commonplace.seam.format import Known, Place
from commonplace.seam.inventory import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.formats.journal_file import Commit, Group, Intent, JournalFile, Line
    from commonplace.formats.steps import Files
    from commonplace.model.operation import Entry, Operation
    from commonplace.seam.catalog import Draft, View
    from commonplace.seam.format import Format

_AT_ONCE = 500


def is_behind(draft: Draft, journal: JournalFile) -> bool:
    """Has the journal file lost what the catalog still knows, or is it an earlier edition? Then it is written anew."""
    size, facts = journal.size(), draft.inventory().facts()
    known = facts.journal_size or 0
    return size < known or (size != known and journal.edition() < facts.journal_edition)


def is_outdated(view: View, journal: JournalFile, book_id: str) -> bool:
    """Is the catalog of an earlier edition? Whoever purged was cut off before the catalog learnt of it: it has to go. So has one
    that has seen no journal yet, where somebody with another catalog has begun the book meanwhile."""
    facts, size = view.inventory().facts(), journal.size()
    if facts.journal_size is None:
        heading = journal.heading() if size else None
        return heading is not None and heading.book_id != book_id
    return facts.journal_size != size and journal.edition() > facts.journal_edition


def absorb(draft: Draft, journal: JournalFile, files: Files, format: Format) -> None:
    """Bring the catalog to where the journal is."""
    inventory = draft.inventory()
    known, size = inventory.facts().journal_size, journal.size()
    if size <= (known or 0) and not (known is None and journal.elder()):
        return
    follower = _Follower(draft, format)
    for group in journal.groups(known or 0):
        follower.take(group)
    follower.end()
    if follower.last is not None and follower.last.commit.steps:
        commit = follower.last.commit
        sound = journal.is_as_written(follower.last)
        if sound:
            _Finishing(commit, files, format, is_sure=known is not None).finish(draft)
        if follower.has_gaps or not sound:
            inventory.forget([step.path for step in commit.steps])
    if known is None and journal.exists():
        inventory.see(
            (path, Seen(UNSEEN, b"")) for path in {one.place.path for one in inventory.places()} - {*inventory.stamps()}
        )
    seq = max(follower.seq, inventory.facts().journal_seq)
    inventory.note(journal_size=size, journal_edition=journal.edition(), journal_seq=seq)


class _Follower:
    """Follows the journal, many groups at a time.

    Where something cannot be followed, because it is damaged, or because two who did not know of each other wrote at once, it is
    left out, and so is what only makes sense with it. The files tell the rest: what stands there is found by the next look.
    """

    def __init__(self, draft: Draft, format: Format) -> None:
        self._draft, self._format = draft, format
        self.seq = draft.highest_seq()
        self._end = next((entry.hash for entry in draft.chain(after_seq=self.seq - 1)), None) if self.seq else None
        self.has_gaps = False
        self._groups: list[Group] = []
        self._waiting = 0
        self.last: Group | None = None

    def take(self, group: Group) -> None:
        self._groups.append(group)
        self._waiting += len(group.lines)
        self.last = group
        if self._waiting >= _AT_ONCE:
            self.end()

    def end(self) -> None:
        groups, self._groups, self._waiting = self._groups, [], 0
        lines = [line for group in groups for line in group.lines]
        self._adopt([line.journal for line in lines if line.journal is not None])
        for line in lines:
            self._take_beside(line)
        for group in groups:
            self._place(group.commit)

    def _adopt(self, entries: list[Entry]) -> None:
        told = [*self._followed(entries)]
        if not self.has_gaps:
            self._draft.adopt_all(told)
            return
        for entry, said in told:
            if self._makes_sense(said):
                self._draft.adopt_all([(entry, said)])

    def _followed(self, entries: list[Entry]) -> Iterator[tuple[Entry, Operation]]:
        for entry in entries:
            follows = entry.seq == self.seq + 1 and self._end in (None, entry.prev)
            said = _said(entry) if follows or entry.seq > self.seq + 1 else None
            self.has_gaps |= not follows or said is None
            if said is not None:
                self.seq, self._end = entry.seq, entry.hash
                yield entry, said

    def _makes_sense(self, operation: Operation) -> bool:
        """Is what it changes there, and what it makes not?"""
        changes = [change for change in operation.changes if not change.is_gone]
        return all((self._draft.noun(one.entity, one.id) is None) is (one.before is None) for one in changes)

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
        if (
            self.has_gaps
        ):  # nobody knows what these say: the next look compares them, and finds those that are missing here
            known = [one._replace(digest=b"") for one in known if self._is_there(one.memory_id)]
        inventory.displace(commit.gone)
        inventory.place((one, self._format.names(one.place)) for one in known)
        for memory_id, links in commit.links.items():
            inventory.draw(memory_id, {*links})

    def _is_there(self, memory_id: str) -> bool:
        return self._draft.noun(Entity.MEMORY, memory_id) is not None


def _said(entry: Entry) -> Operation | None:
    """What an entry says; None if it cannot be read any more, or is not what was written. `verify` names the gap."""
    try:
        return entry.operation() if entry.is_sound() else None
    except (ValueError, TypeError, CommonplaceError):
        return None


class _Finishing:
    """The last change of the journal, as far as it is still to be done.

    A catalog that was there before is sure to have seen all but this change. Without one the journal may have been cut, and the
    files may be far ahead of it: then only what looks exactly as a crash leaves it is finished.
    """

    def __init__(self, commit: Commit, files: Files, format: Format, *, is_sure: bool) -> None:
        self._commit, self._files, self._format, self._is_sure = commit, files, format, is_sure

    def finish(self, draft: Draft) -> None:
        left = [step for step in self._commit.steps if not self._is_past(step)]
        see(draft, self._files, self._commit, self._files.finish(left))

    def _is_past(self, step: Intent) -> bool:
        if step.step == "append":
            raw = self._files.read(step.path)
            return raw is not None and self._went_on(step, raw)
        if step.step == "remove" and not self._is_sure:
            # What took the place of this file is neither there nor about to be: later changes, which the journal lost, moved it
            # back.
            return not all(self._is_coming(one) for one in self._commit.steps if one.step == "put")
        return False

    def _is_coming(self, put: Intent) -> bool:
        """Does it stand in its place, or lie staged for it?"""
        return any(path and self._files.seen(path, b"") for path in (put.path, put.staged))

    def _went_on(self, step: Intent, raw: bytes) -> bool:
        """Is there something else where the lines were to go? Nothing, or a piece of them, is what a crash leaves."""
        wanted, rest = (step.text or "").encode(), raw[step.offset :]
        if wanted in rest or wanted.startswith(rest.lstrip(b"\n")):
            return len(raw) < step.offset and not self._is_sure
        return not self._is_sure or self._stand(step.path, rest)

    def _stand(self, path: str, rest: bytes) -> bool:
        """Do the entries stand there, whatever they say now? Somebody edited them, and to append them again would undo it."""
        meant = {key for at, key, _, _ in self._commit.places if at == path}
        return bool(meant) and meant <= {entry.key for entry in self._format.read(path, rest).entries}


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
