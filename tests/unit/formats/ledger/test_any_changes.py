"""Whatever is done to a ledger, in any order: the files say what is known of them, and the ledger only grows."""

from __future__ import annotations

import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from commonplace.seam.format import Known, Place

from .shelf import LEDGER, PAGE, LedgerShelf, a_digest, a_fact, saying

WORDS = st.sampled_from(["W one.", "W two.", "w  ONE.", "N @Bob: three\nlines.", "O(c=0.5) vier ☃", "plain"])
STATUSES = st.sampled_from(["active", "inbox", "archived", "superseded", "contradicted", "deleted"])


class AnyChanges(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.shelf, self.before = LedgerShelf(), b""
        self.purged: set[str] = set()

    def some(self, data, kind="fact"):
        known = [record for record in self.shelf.records.values() if record.kind == kind]
        return data.draw(st.sampled_from(known)) if known else None

    @rule(texts=st.lists(WORDS, min_size=1, max_size=3), status=STATUSES)
    def facts(self, texts, status):
        self.shelf.change(*(a_fact(text, status=status) for text in texts))

    @rule(text=WORDS, status=st.sampled_from(["active", "inbox"]))
    def digest(self, text, status):
        self.shelf.change(a_digest(text, status=status))

    @rule(data=st.data(), text=WORDS)
    def another_digest(self, data, text):
        known = self.some(data, "digest")
        if known is not None:
            self.shelf.change(saying(known, text))

    @rule(data=st.data(), status=STATUSES, kind=st.sampled_from(["fact", "digest"]))
    def becomes(self, data, status, kind):
        known = self.some(data, kind)
        if known is not None:
            self.shelf.change(known.with_(status=status))

    @rule(data=st.data())
    def said_again(self, data):
        known = self.some(data)
        if known is not None:
            self.shelf.change(known.with_(occurrences=known.occurrences + 1))

    @rule(data=st.data(), text=WORDS)
    def in_other_words(self, data, text):
        known = self.some(data)
        standing = self.shelf.known(known.id) if known else None
        if standing is not None and not standing.place.key.startswith("words-"):
            self.shelf.change(saying(known, text))

    @rule(text=st.sampled_from(["W foreign.", "W one."]), torn=st.booleans())
    def others_append(self, text, torn):
        """Another runtime writes; what it says is taken in as a book would do it."""
        held = self.shelf.files.get(LEDGER, b"")
        line = json.dumps({"ts": "2026-11-15T12:00:00Z", "retain": [text], "theirs": 1}).encode()
        end = b"" if not held or held.endswith(b"\n") else b"\n"
        self.shelf.files[LEDGER] = held + end + line + (b"\n{torn" if torn else b"\n")
        places = {known.place.key for known in self.shelf.at(LEDGER)}
        for entry in self.shelf.read().entries:
            if entry.key not in places:
                record = a_fact(entry.fields["content"])
                self.shelf.records[record.id] = record
                self.shelf.places[record.id] = Known(Place(LEDGER, entry.key), record.id, entry.digest)
        self.before = self.shelf.files[LEDGER]

    @precondition(lambda self: self.shelf.records)
    @rule(data=st.data(), kind=st.sampled_from(["fact", "digest"]))
    def purge(self, data, kind):
        known = self.some(data, kind)
        if known is not None:
            self.shelf.change(purge=(known.id,))
            self.before = b""
            assert known.id.encode() not in b"".join(self.shelf.files.values())

    @invariant()
    def the_files_say_what_is_known_of_them(self):
        assert self.shelf.is_settled()

    @invariant()
    def every_statement_stands_with_its_words(self):
        entries = {entry.key: entry for entry in self.shelf.read().entries}
        for record in self.shelf.records.values():
            known = self.shelf.known(record.id)
            if known is not None and known.place.path == LEDGER:
                said = entries[known.place.key]
                by_id = not known.place.key.startswith("words-")
                assert said.fields["content"] == record.content or not by_id

    @invariant()
    def the_ledger_only_grows(self):
        now = self.shelf.files.get(LEDGER, b"")
        assert now.startswith(self.before)
        self.before = now

    @invariant()
    def the_page_is_the_active_digest_and_the_ledgers_last_word(self):
        standing = self.shelf.at(PAGE)
        page = self.shelf.files.get(PAGE, b"")
        assert bool(page) == bool(standing)
        if standing:
            record = self.shelf.records[standing[0].memory_id]
            assert (record.status, record.content.encode()) == ("active", page)
            from commonplace.formats.ledger.format import last_digest

            assert last_digest(self.shelf.files[LEDGER]) == record.content


AnyChanges.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestAnyChanges = AnyChanges.TestCase
