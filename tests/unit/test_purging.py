"""Purging: after it the content is in no file of the book, does not come back, and the chain still verifies (R12)."""

from __future__ import annotations

import json

import apsw
import pytest

from commonplace.errors import DeniedError, NotFoundError
from commonplace.testing.state import files_under

# Words that occur nowhere else; each stands in another field.
CANARIES = {
    "content": "xylophonecontent",
    "title": "xylophonetitle",
    "summary": "xylophonesummary",
    "rationale": "xylophonerationale",
    "evidence_ref": "xylophoneevidence",
}
IN_LISTS = {"tags": "xylophonetag", "anchors": "xylophoneanchor", "aliases": "xylophonealias"}
EVERY = (*CANARIES.values(), *IN_LISTS.values())


def hits(folder, *words):
    """Where any of these words stands, in any letter case, in any file of the folder."""
    found = []
    for name, raw in files_under(folder).items():
        if not name.endswith(".jsonl"):
            found += [(name, word) for word in words if word.encode() in raw.lower()]
    return found


@pytest.fixture
def doomed(book):
    lists = {field: [word] for field, word in IN_LISTS.items()}
    saved = book.save(type="decision", idempotency_key="k", **CANARIES, **lists)
    book.save("Another memory stays.", type="episode", tags=["net"])
    return saved


def test_before_the_purge_the_words_are_there(tmp_path, doomed):
    """The control: this search would find them."""
    assert {word for _, word in hits(tmp_path, *EVERY)} == {*EVERY}


def test_after_the_purge_the_words_are_in_no_file(book, tmp_path, doomed):
    """Row 126: rows, full text, log, free pages, journal."""
    report = book.purge(doomed.id)
    assert (report.complete, report.purged, report.remaining) == (True, (doomed.id,), ())
    assert hits(tmp_path, *EVERY, "xylophon") == []
    book.close()
    assert hits(tmp_path, *EVERY, "xylophon") == []


def test_a_long_life_leaves_no_trace_either(book, agent, tmp_path, doomed):
    """Every verb that quotes: reasons, both sides of changes, links, conflicts, derived and superseding memories."""
    stays = book.list(types="episode")[0]
    book.save(CANARIES["content"].upper(), type="decision")
    book.archive(doomed.id, reason="xylophonereason one")
    book.restore(doomed.id, reason="xylophonereason two")
    book.contradict(doomed.id, stays.id, reason="xylophonereason three", evidence_ref="xylophoneproof")
    book.link(stays.id, doomed.id, "supports", evidence_ref="xylophonelink")
    book.revert(book.journal()[-1], reason="xylophonereason four")
    agent.save("An agent's xylophonecopy.", type="episode")
    (copy,) = book.list(trusts="agent")
    book.link(copy.id, doomed.id, "derived_from")
    new = book.evolve(doomed.id, "Nothing of the kind.", reason="xylophonereason five", title="T", tags=[],
                      evidence_ref="e", rationale="r")  # fmt: skip
    report = book.purge(doomed.id, reason="on request")
    assert {*report.purged} == {doomed.id, copy.id}
    assert book.get(new.id).content == "Nothing of the kind."
    left = hits(tmp_path, "xylophon")
    assert left == []
    assert book.verify().ok


def test_the_receipt_and_the_tombstone_prove_it_without_content(book, doomed):
    """X-3, row 128, row 135: ids, counts and hashes, and nothing to read."""
    report = book.purge(doomed.id, reason="on request")
    assert (report.operation_id, report.journal_entries) == (book.journal()[-1].id, 1)
    purge = book.history(doomed.id)[-1]
    assert (purge.verb, purge.reason, purge.actor) == ("purge", "on request", "alice")
    assert [(c.id, c.before, c.after) for c in purge.changes] == [(doomed.id, None, None)]
    assert book.history(doomed.id)[0].purged
    assert "xylophone" not in report.to_json() + "".join(op.to_json() for op in book.journal())


def test_the_hash_that_stays_cannot_be_tried_against_a_guess(book, path, tmp_path, doomed):
    """ADR 4: whoever guesses the words, time and id still lacks the salt; it goes with them."""
    salts = [entry.salt for entry in chain(book)]
    book.purge(doomed.id)
    purged = [entry for entry in chain(book) if entry.is_purged]
    assert [entry.salt for entry in purged] == [None]
    book.close()
    assert salts[purged[0].seq - 1] not in path.read_bytes()
    assert salts[1] in path.read_bytes()  # the control: the other memory's is there


def chain(book):
    with book._scribe.canon.reading() as view:
        return [*view.chain()]


def test_what_another_books_journal_told_of_it_goes_too(book, open_book, tmp_path):
    """History that came with an import lies beside ours, and quotes as ours does."""
    other = open_book(at=tmp_path / "elsewhere" / "other.sqlite")
    saved = other.save("The xylophone is in the cellar.", type="episode")
    other.archive(saved.id, reason="the xylophone was sold")
    other.export(str(tmp_path / "x.jsonl"))
    other.close()
    for file in (tmp_path / "elsewhere").iterdir():
        file.unlink()
    book.save("Here.", type="episode")
    book.import_(str(tmp_path / "x.jsonl"))
    assert [op.verb for op in book.history(saved.id)] == ["save", "archive", "import"]
    book.purge(saved.id)
    assert hits(tmp_path, "xylophone") == []


def test_it_is_gone_for_every_reader(book, clock, doomed):
    before = clock.moment
    book.purge(doomed.id)
    for ask in (lambda: book.get(doomed.id), lambda: book.get("xylophonealias"),
                lambda: book.get(doomed.id, as_of=before), lambda: book.archive(doomed.id)):  # fmt: skip
        with pytest.raises(NotFoundError):
            ask()
    assert not book.search("xylophonecontent xylophonetitle")
    assert len(book.list(statuses="all")) == len(book.list(statuses="all", as_of=before)) == 1


def test_purging_again_only_looks_for_traces_once_more(book, doomed):
    """What a reader kept from being scrubbed the first time is scrubbed then; nothing new is written down."""
    book.purge(doomed.id)
    before = len(book.journal())
    again = book.purge(doomed.id)
    assert (again.operation_id, again.purged, again.complete) == (None, (doomed.id,), True)
    assert len(book.journal()) == before


def test_the_chain_verifies_and_the_book_goes_on(book, doomed):
    book.purge(doomed.id)
    assert book.verify().ok
    assert book.doctor(full=True).ok
    assert book.save("Life goes on.", type="episode").status == "active"
    assert book.verify().ok


def test_survivors_keep_their_history_and_what_they_were_then(book, clock):
    old = book.save("The old statement.", type="episode")
    then, was = clock.moment, old
    new = book.evolve(old.id, "The doomed statement.", reason="r")
    between, superseded = clock.moment, book.get(old.id)
    book.purge(new.id)
    assert book.get(old.id, as_of=then) == was
    assert book.get(old.id, as_of=between) == book.get(old.id) == superseded
    assert [op.verb for op in book.history(old.id)] == ["save", "evolve"]
    assert book.list(as_of=then) == [was]
    assert book.verify().ok


def test_what_was_derived_goes_too_however_far_and_in_circles(book, tmp_path):
    """Row 127."""
    ids = [book.save(f"xylophone number {n}", type="episode").id for n in range(4)]
    book.link(ids[1], ids[0], "derived_from")
    book.link(ids[2], ids[1], "derived_from")
    book.link(ids[0], ids[2], "derived_from")
    book.link(ids[3], ids[0], "related_to")
    assert {*book.purge(ids[0], dry_run=True).purged} == {*ids[:3]}
    assert {*book.purge(ids[0]).purged} == {*ids[:3]}
    assert [record.id for record in book.list()] == ids[3:]
    assert hits(tmp_path, "number 0", "number 1", "number 2") == []


def test_an_agents_link_does_not_take_along_what_the_operator_said(book, agent):
    """R10: else an agent could have the operator destroy his own words, for good."""
    junk, precious = agent.save("Junk.", type="episode"), book.save("Precious.", type="episode")
    agent.link(precious.id, junk.id, "derived_from")
    assert book.purge(junk.id, dry_run=True).purged == book.purge(junk.id).purged == (junk.id,)
    assert book.get(precious.id) == precious


def test_what_was_extracted_goes_with_its_episode_also_when_it_was_confirmed_since(book, agent, tmp_path):
    """Row 127: the link was drawn in the breath that made it, however much it is trusted by now."""
    agent.capture_session("User: We decided to use xylophones because they are loud.", project_id="p")
    agent.process_pending()
    (fact,), (episode,) = (book.list(types=type, statuses="all") for type in ("decision", "episode"))
    assert book.confirm(fact.id).trust == "curated"
    assert {*book.purge(episode.id).purged} == {episode.id, fact.id}
    assert hits(tmp_path, "xylophone") == []


def test_a_captured_source_goes_with_the_last_memory_that_cites_it(book, open_book, tmp_path):
    """rfc 12: raw material lives in sources; erasing follows it there."""
    moment = "2026-05-03T12:00:00Z"
    base = book.save("A template.", type="episode").to_dict()
    lines = [
        {
            "source": {
                "id": "s1",
                "kind": "conversation",
                "title": "Chat",
                "body": "the xylophonebody",
                "captured_at": moment,
            }
        }
    ]
    lines += [{"memory": base | {"id": f"m{n}", "content": f"fact {n}", "source_ref": "s1", "aliases": [],
                                 "fingerprint": _fingerprint(f"fact {n}")}} for n in range(2)]  # fmt: skip
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert book.import_(str(tmp_path / "x.jsonl")).added == {"source": 1, "memory": 2}
    assert book.purge("m0").sources == ()
    assert hits(tmp_path, "xylophonebody")
    assert book.purge("m1").sources == ("s1",)
    assert hits(tmp_path, "xylophonebody") == []
    assert book.verify().ok


@pytest.fixture
def captured(book):
    """A session that was worked through: its source, and the fact that was found in it."""
    event = book.capture_session("User: We decided to use xylophones because they are loud.", project_id="p")
    book.process_pending()
    (fact,) = book.list(types="decision", statuses="all")
    return event.source_ref, fact


def test_the_words_that_stay_in_a_source_that_others_cite_are_not_kept_quiet(book, tmp_path, captured):
    """R12, row 127: the episode cites the source too, so the source stays; the receipt says so, and what to do."""
    source, fact = captured
    assert any(source in line for line in book.purge(fact.id, dry_run=True).remaining)
    report = book.purge(fact.id)
    assert (report.complete, report.purged, report.sources) == (False, (fact.id,), ())
    assert any(f"purge {source}" in line for line in report.remaining)
    assert hits(tmp_path, "xylophone")
    assert book.purge(source).complete
    assert hits(tmp_path, "xylophone") == []


def test_a_source_goes_with_all_that_was_taken_from_it(book, tmp_path, captured):
    source, fact = captured
    stays = book.save("Another memory stays.", type="episode")
    would = book.purge(source, dry_run=True)
    report = book.purge(source, reason="on request")
    assert (would.purged, would.sources) == (report.purged, report.sources)
    assert (report.complete, report.sources, fact.id in report.purged) == (True, (source,), True)
    assert hits(tmp_path, "xylophone") == []
    assert [record.id for record in book.list(statuses="all")] == [stays.id]
    assert book.verify().ok
    assert book.purge(source).operation_id is None


def test_raw_material_that_nobody_worked_with_can_be_destroyed(book, tmp_path):
    """R-c: an imported source has neither an event nor a memory; it is content all the same."""
    source = book.import_source("User: the xylophone is in the cellar.")
    assert hits(tmp_path, "xylophone")
    report = book.purge(source.id)
    assert (report.complete, report.purged, report.sources) == (True, (), (source.id,))
    assert hits(tmp_path, "xylophone") == []
    assert book.verify().ok


def test_who_wrote_by_hand_is_no_content_to_be_purged(book, doomed):
    """To purge the source of everything a person ever wrote would purge all of it."""
    with pytest.raises(NotFoundError):
        book.purge(doomed.source_ref)


def _fingerprint(text):
    from commonplace.model.fingerprint import fingerprint

    return fingerprint(text)


def test_a_dry_run_says_what_would_go_and_touches_nothing(book, everything, doomed):
    before = everything(book)
    report = book.purge(doomed.id, dry_run=True)
    assert (report.operation_id, report.purged, report.complete) == (None, (doomed.id,), False)
    assert everything(book) == before


def test_only_the_operator_may(agent, open_book, doomed):
    for other in (agent, open_book("curated:bob")):
        with pytest.raises(DeniedError):
            other.purge(doomed.id)


class TestItDoesNotComeBack:
    """R12: not by import, not by another book's copy, not under another id."""

    @pytest.fixture
    def exported(self, book, doomed, tmp_path):
        book.export(str(tmp_path / "before.jsonl"))
        return str(tmp_path / "before.jsonl")

    def test_by_importing_its_own_older_export(self, book, doomed, exported, tmp_path):
        book.purge(doomed.id)
        report = book.import_(exported)
        assert any("purged" in finding.message for finding in report.kept_aside)
        with pytest.raises(NotFoundError):
            book.get(doomed.id)
        assert hits(tmp_path, *EVERY) == []
        assert book.verify().ok

    def test_by_importing_the_export_of_a_book_that_had_taken_it_over(
        self, book, open_book, doomed, exported, tmp_path
    ):
        """The other book tells of it in its own journal, under operations that ours never saw."""
        other = open_book(at=tmp_path / "elsewhere" / "other.sqlite")
        other.save("Something of its own.", type="episode")
        other.import_(exported)
        other.archive(doomed.id, reason="xylophonereason")
        other.export(str(tmp_path / "other.jsonl"))
        other.close()
        for file in (tmp_path / "elsewhere").iterdir():
            file.unlink()
        book.purge(doomed.id)
        book.import_(str(tmp_path / "other.jsonl"))
        assert hits(tmp_path, *EVERY, "xylophon") == []
        assert "Something of its own." in [record.content for record in book.list()]

    def test_under_another_id(self, book, doomed, exported, tmp_path):
        """The tombstone knows the words again without keeping them."""
        book.purge(doomed.id)
        renamed = (tmp_path / "before.jsonl").read_text().replace(doomed.id, "renamed")
        memories = [line for line in renamed.splitlines() if line.startswith('{"memory"')]
        (tmp_path / "renamed.jsonl").write_text("\n".join(memories) + "\n")
        book.import_(str(tmp_path / "renamed.jsonl"))
        with pytest.raises(NotFoundError):
            book.get("renamed")
        assert hits(tmp_path, *EVERY) == []

    def test_into_a_new_book_that_adopts_the_purged_ones_export(self, book, open_book, doomed, exported, tmp_path):
        book.purge(doomed.id)
        book.export(str(tmp_path / "after.jsonl"))
        assert b"xylophone" not in (tmp_path / "after.jsonl").read_bytes()
        fresh = open_book(at=tmp_path / "fresh" / "fresh.sqlite")
        fresh.import_(str(tmp_path / "after.jsonl"))
        assert fresh.verify().ok
        fresh.import_(exported)
        with pytest.raises(NotFoundError):
            fresh.get(doomed.id)
        assert hits(tmp_path / "fresh", *EVERY) == []

    def test_saying_it_again_is_a_new_memory_and_is_allowed(self, book, doomed):
        """Purging is not a ban on a thought: what a person says anew is his to say."""
        book.purge(doomed.id)
        again = book.save(CANARIES["content"], type="episode")
        assert again.id != doomed.id

    def test_its_idempotency_key_is_free(self, book, doomed):
        book.purge(doomed.id)
        assert book.save("Other words.", type="episode", idempotency_key="k").occurrences == 1

    def test_what_was_kept_aside_about_it_goes_too(self, book, doomed, exported, tmp_path):
        """A differing copy of it lies in quarantine; that is a file of the book like any other."""
        lines = (tmp_path / "before.jsonl").read_text().splitlines()
        line = next(line for line in lines if line.startswith('{"memory"') and doomed.id in line)
        (tmp_path / "differs.jsonl").write_text(line.replace("xylophonetitle", "xylophonevariant") + "\n")
        assert book.import_(str(tmp_path / "differs.jsonl")).kept_aside
        assert hits(tmp_path, "xylophonevariant")
        book.purge(doomed.id)
        assert hits(tmp_path, *EVERY, "xylophon") == []

    def test_what_was_kept_aside_in_another_spelling_goes_too(self, book, tmp_path):
        """JSON may write any letter as a number; the words are the same words."""
        saved = book.save("Käse, said the xylophone.", type="episode")
        forged = json.dumps({"memory": saved.to_dict() | {"id": "other", "fingerprint": "wrong"}})
        assert "K\\u00e4se" in forged
        (tmp_path / "aside.jsonl").write_text(forged)
        assert book.import_(str(tmp_path / "aside.jsonl")).kept_aside
        book.purge(saved.id)
        assert hits(tmp_path, "xylophon") == []

    def test_by_restoring_a_backup_it_says_which_copies_are_older(self, book, doomed, path):
        """Upgrades leave copies beside the book; the receipt names them."""
        copy = path.with_name(path.name + ".backup-v0-20260101T000000Z")
        copy.write_bytes(b"xylophonecontent")
        report = book.purge(doomed.id)
        assert not report.complete
        assert any(copy.name in line for line in report.remaining)


def test_while_somebody_reads_the_receipt_says_what_is_left(book, open_book, path, tmp_path, doomed):
    """complete=False is an honest answer; doing it again when the reader is gone completes it."""
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchall()
    impatient = open_book(timeout=0.2)
    report = impatient.purge(doomed.id)
    assert not report.complete
    assert report.remaining
    reader.execute("COMMIT")
    reader.close()
    other = book.save("Something else to purge.", type="episode")
    assert book.purge(other.id).complete
    assert hits(tmp_path, *EVERY) == []
