"""A change is put down: the format says which bytes, they are staged, the journal says it, the files get it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import msgspec

from commonplace.errors import TooLargeError
from commonplace.formats.drawing import Drawing
from commonplace.formats.journal_file import Commit, Heading, Intent, JournalFile, Line
from commonplace.formats.reconcile import SURFACE, Reconciler, signed
from commonplace.formats.recovery import see
from commonplace.formats.shelf import BookShelf
from commonplace.formats.steps import TRIES, Files
from commonplace.formats.witness import testify, witness
from commonplace.model.fingerprint import fingerprint
from commonplace.model.operation import Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Relation, Verb
from commonplace.seam.format import Altered, Append, Found, Known, Place, Put, Step, Written
from commonplace.seam.terms import Signature

if TYPE_CHECKING:
    from commonplace.formats.draft import FileDraft
    from commonplace.formats.reconcile import Outcome
    from commonplace.seam.catalog import Draft
    from commonplace.seam.format import Format
    from commonplace.seam.inventory import Inventory

Links = dict[str, set[tuple[str, str]]]


class Putting:
    """One change of one book, from the draft to the disk."""

    def __init__(
        self,
        draft: FileDraft,
        format: Format,
        files: Files,
        journal: JournalFile,
        heading: Callable[[], Heading],
        must_go_through: Callable[[], None],
    ) -> None:
        self._must_go_through = must_go_through
        self._file_draft, self._draft = draft, cast("Draft", draft)
        self._format, self._files, self._journal, self._heading = format, files, journal, heading
        self._inventory: Inventory = draft.inventory()
        self._mark: int = draft.highest_seq()
        self.altered: list[str] = []
        self.happened = False
        """Is it in the journal? Then it has happened, whatever comes next."""

    def put_down(self) -> None:
        """After a verb: write what it changed."""
        if self._draft.highest_seq() == self._mark and not self._file_draft.beside:
            return
        operations = [*self._draft.operations(after_seq=self._mark)]
        self.altered = _altered(operations)
        shelf = BookShelf(self._draft, self._files, datetime.now(UTC))
        changes = [self._change(id, operations) for id in self.altered]
        # What is the person's own is changed by one verb, which signs an edit of its own; all others are refused it (A12).
        personal = any(operation.verb is Verb.EDIT and operation.surface != SURFACE for operation in operations)
        write = self._format.write_personal if personal else self._format.write
        written = write(changes, shelf) if changes else Written(())
        base = {
            step.path: self._inventory.at(step.path)
            for step in written.steps
            if isinstance(step, Put) and step.replaces
        }
        left = self._commit(written, self._draw(written))
        for _ in range(TRIES):
            shared = [one for one in left if self._is_shared(base.get(one.path, []))]
            if not shared:
                break
            others = [one for one in left if one not in shared]
            left = others + self._merge(shared, base, lambda: write(changes, shelf))
        self._files.keep_copies(left)

    def _is_shared(self, base: list[Known]) -> bool:
        """Does the file hold what this change is not about? Then theirs and ours can both stand."""
        return any(known.memory_id not in self.altered for known in base)

    def _merge(self, left: list[Intent], base: dict[str, list[Known]], write: Callable[[], Written]) -> list[Intent]:
        """Somebody wrote to a file of many entries while we did: theirs is taken in, and ours written into it once more."""
        self._files.unstage(left)
        for intent in left:  # what stood there when we looked is what their edits are told by
            self._inventory.displace(known.memory_id for known in self._inventory.at(intent.path))
            self._inventory.place((known, self._format.names(known.place)) for known in base[intent.path])
        scan = {one.path: seen.stamp for one in left if (seen := self._files.seen(one.path, b"")) is not None}
        reconciler = Reconciler(self._draft, self._format, self._files, datetime.now(UTC), ours={*self.altered})
        outcome = reconciler.run(scan, {})
        base |= {
            path: self._inventory.at(path) for path in scan
        }  # should somebody write once more, theirs is known by now
        again = write()
        known = (*outcome.places, *again.known)
        drawn = outcome.drawn | self._draw(Written(again.steps, known, again.gone))
        return self._commit(Written(again.steps, known, (*outcome.gone, *again.gone)), drawn)

    def note(self, outcome: Outcome) -> None:
        """After a look at the files: they are as they are, and only the journal is to say what was found."""
        if self._draft.highest_seq() != self._journal_seq or outcome.places or outcome.gone or outcome.restored:
            self._files.keep_copies(
                self._commit(Written(outcome.restored, outcome.places, outcome.gone), outcome.drawn)
            )

    def write_anew(self) -> None:
        """The journal from its first entry on, from what the catalog knows."""
        self._commit(Written(()), {}, anew=True)

    @property
    def _journal_seq(self) -> int:
        return self._inventory.facts().journal_seq

    def _change(self, id: str, operations: list[Operation]) -> Altered:
        """What became of a memory, and what it was: the changes of this transaction, undone from the last to the first."""
        after = self._draft.memory(id)
        plain = after.to_dict() if after else {}
        for change in (change for operation in reversed(operations) for change in reversed(operation.changes)):
            if change.id == id and change.entity is Entity.MEMORY:
                if change.before is None:
                    return Altered(id, after)
                plain |= change.before
        return Altered(id, after, MemoryRecord.from_dict(plain))

    def _draw(self, written: Written) -> Links:
        """The links that the new texts name."""
        at = {known.place: known.memory_id for known in written.known}
        self._inventory.place((known, self._format.names(known.place)) for known in written.known)
        self._inventory.displace(written.gone)
        self._inventory.erase(self._file_draft.erased)
        drawing = Drawing(
            self._draft, made=(Relation.SUPERSEDES,)
        )  # a verb that replaces links what it replaces itself
        for step in written.steps:
            for found in self._format.read(step.path, step.content).entries if isinstance(step, Put) else ():
                memory_id = at.get(Place(step.path, found.key))
                if memory_id is not None and self._file_draft.adopts:
                    drawing.mark(memory_id, found.links)
                elif memory_id is not None:
                    self._follow(memory_id, found)
                    drawing.draw(memory_id, found.links)
        drawing.commit(_signed("named in the text"))
        return drawing.drawn

    def _follow(self, memory_id: str, found: Found) -> None:
        """The text of a note that nobody asked to change: what it links to was moved, and its links went along (A27)."""
        content = found.fields.get("content")
        before = self._draft.memory(memory_id) if memory_id not in self.altered else None
        if before is not None and content is not None and self._format.told(before).get("content") != content:
            after = before.with_(content=content, fingerprint=fingerprint(content))
            self._draft.commit(_signed("its links followed what was moved"), [(Entity.MEMORY, before, after)])

    def _commit(self, written: Written, links: Links, *, anew: bool = False) -> list[Intent]:
        """Make it fact and carry it out. Returns what another's version was in the way of."""
        begun = self._journal.exists()
        self._must_stay_readable(written.steps)
        intents = self._files.stage(written.steps)
        self._journal.begin()
        try:
            self._must_go_through()
            commit, size = self._say(intents, written, links, anew=anew or not begun)
        except BaseException:
            if not self._journal.may_say_it():
                self._files.unstage(intents)  # else it has happened, and whoever comes next needs what is staged
            raise
        self.happened = True
        in_the_way = self._files.carry_out(intents)
        see(self._draft, self._files, commit, [intent.path for intent in in_the_way])
        if self._file_draft.erased:  # a step names its file, and a file's name may be made of what was destroyed
            commit, size = self._say([], written, links, anew=True)
        self._testify(commit.seq)
        self._inventory.note(journal_size=size, journal_seq=commit.seq)
        return in_the_way

    def _must_stay_readable(self, steps: Sequence[Step]) -> None:
        """What would be too large to be read again is not written in the first place (row 10)."""
        sizes: dict[str, int] = {}
        for step in steps:
            if isinstance(step, Put):
                sizes[step.path] = len(step.content)
            elif isinstance(step, Append):
                before = sizes.get(step.path) or self._files.size(step.path)
                sizes[step.path] = before + len(step.content)
        for path, size in sizes.items():
            if size > self._format.largest:
                raise TooLargeError(
                    f"the book's file would have more than {self._format.largest} bytes",
                    where=self._files.full(path),
                    hint="Purge what is not needed, or move to another canon: commonplace copy.",
                )

    def _say(self, intents: list[Intent], written: Written, links: Links, *, anew: bool) -> tuple[Commit, int]:
        """The commit point. A journal that is begun, or from which something was erased, is written whole."""
        whole = anew or bool(self._file_draft.erased)
        lines = [*self._lines(0 if whole else self._journal_seq)]
        commit = Commit(
            seq=self._draft.highest_seq(),
            lines=len(lines),
            steps=tuple(intents),
            places=tuple(_placed(self._inventory.places() if whole else written.known)),
            gone=tuple(written.gone),
            links={id: tuple(sorted(drawn)) for id, drawn in links.items()},
        )
        if whole:
            return commit, self._journal.rewrite(self._next_edition(), lines, commit)
        return commit, self._journal.append(lines, commit)

    def _testify(self, seq: int) -> None:
        known = witness(self._journal.witness)
        testify(self._journal.witness, known.saw(self._heading().book_id, self._journal_seq, seq))

    def _next_edition(self) -> Heading:
        edition = max(self._journal.edition(), self._inventory.facts().journal_edition) + 1
        self._inventory.note(journal_edition=edition)
        return msgspec.structs.replace(self._heading(), edition=edition)

    def _lines(self, after: int) -> Iterator[Line]:
        for entry in self._draft.chain(after_seq=after):
            yield Line(journal=entry)
        if after == 0:
            yield from self._kept_beside()
        yield from self._file_draft.beside

    def _kept_beside(self) -> Iterator[Line]:
        """What the journal says beside its entries, without what was erased; tombstones as they are now."""
        for id, mark, seq in self._draft.marks():
            yield Line(bury=(id, mark, seq))
        for group in self._journal.groups():
            for line in group.lines:
                if line.remember is not None and line.remember[2] not in self._file_draft.erased:
                    yield line
                if line.foreign is not None and not self._file_draft.erased & {*line.foreign[1].operation().names()}:
                    yield line


def _altered(operations: list[Operation]) -> list[str]:
    changes = (change for operation in operations for change in operation.changes)
    return [*dict.fromkeys(change.id for change in changes if change.entity is Entity.MEMORY)]


def _signed(reason: str) -> Signature:
    return signed(Verb.EDIT, datetime.now(UTC), reason)


def _placed(known: Iterable[Known]) -> Iterator[tuple[str, str, str, bytes]]:
    return ((*one.place, one.memory_id, one.digest) for one in known)
