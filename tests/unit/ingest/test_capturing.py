"""Capturing: what happened is kept whole and at once, twice is once, and nothing comes in that nobody handed over."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import Book
from commonplace.errors import InvalidError, NotFoundError, SecretError, TooLargeError
from commonplace.model.source import IngestionEvent, JobState, Source
from commonplace.model.words import Entity

from .extractors import Finding, Hanging

TALK = "User: The port is 8080.\nAssistant: Noted, it is 8080.\nUser: Thanks."


_rng = random.Random(122)
_drawn = "".join(_rng.choices("ABCDEFGHJKMNPQRSTVWXYZabcdefghkmnpqrstvwxyz23456789", k=200))
SECRETS = {
    "a token": "ghp_" + _drawn[:36],
    "a login in a URL": f"https://alice:{_drawn[40:56]}@example.org/",
    "a password": f"password = {_drawn[60:76]}",
    "a header": f"Authorization: Bearer {_drawn[80:120]}",
    "a key block": f"-----BEGIN PRIVATE KEY-----\n{_drawn[120:184]}\n-----END PRIVATE KEY-----",
}


def source_of(book: Book, event: IngestionEvent) -> Source:
    with book._scribe.reading() as view:
        found = view.noun(Entity.SOURCE, event.source_ref)
    assert isinstance(found, Source)
    return found


class TestWhatIsKept:
    def test_a_capture_makes_one_source_and_one_event_and_no_memory(self, book: Book) -> None:
        """rfc 12."""
        event = book.capture_session(TALK, "project", project_id="atlas")
        assert (event.state, event.requested_scope, event.project_id) == ("pending", "project", "atlas")
        assert source_of(book, event).body == TALK
        assert book.list(statuses="all") == []
        assert [op.verb for op in book.journal()] == ["capture"]

    def test_the_trigger_says_which_way_in_it_took(self, book: Book) -> None:
        """rfc 8."""
        session, talk = book.capture_session(TALK), book.capture_conversation(TALK + " Bye.")
        assert (session.trigger, talk.trigger) == ("session_close", "conversation_capture")
        assert (source_of(book, session).kind, source_of(book, talk).kind) == ("run", "conversation")
        assert (session.mode, talk.mode) == (None, "transcript")

    def test_the_same_material_twice_is_one_source_and_one_event(self, book: Book) -> None:
        first = book.capture_session(TALK)
        assert book.capture_session(TALK) == first
        assert book.capture_session(TALK.replace("\n", "\r\n")) == first
        assert book.stats().sources == 1

    def test_also_after_it_was_worked(self, open_book) -> None:
        book = open_book(extractor=Finding())
        first = book.capture_session(TALK)
        book.process_pending()
        again = book.capture_session(TALK)
        assert (again.id, again.state) == (first.id, "done")
        assert book.process_pending().done == 0

    def test_a_path_is_read_and_a_text_never_is(self, book: Book, tmp_path: Path) -> None:
        file = tmp_path / "talk.txt"
        file.write_text(TALK)
        from_file = book.capture_session(file)
        assert source_of(book, from_file).body == TALK
        assert source_of(book, from_file).uri == "talk.txt"
        assert source_of(book, book.capture_session(str(file))).body == str(file)

    def test_messages_are_taken_as_a_program_holds_them(self, book: Book) -> None:
        said = [{"role": "user", "content": "The port is 8080."}, {"role": "assistant", "content": "Noted."}]
        event = book.capture_conversation(said)
        assert source_of(book, event).body == "User: The port is 8080.\n\nAssistant: Noted."
        assert book.capture_conversation({"messages": said}) == event
        for odd in ([object()], {"a": object()}, 7, None):
            with pytest.raises(InvalidError) as caught:
                book.capture_conversation(odd)  # type: ignore[arg-type]
            assert caught.value.where == "source"

    @pytest.mark.parametrize("mode", ["transcript", "notes", "summary"])
    def test_a_conversation_is_captured_in_three_modes(self, book: Book, mode: str) -> None:
        """R-i."""
        assert book.capture_conversation(TALK + mode, "global", capture_mode=mode).mode == mode

    def test_another_mode_is_refused(self, book: Book) -> None:
        with pytest.raises(InvalidError, match="transcript, notes, summary"):
            book.capture_conversation(TALK, capture_mode="live")

    @pytest.mark.parametrize(
        ("scope", "needs"), [("project", "project_id"), ("repo", "repo_id"), ("agent", "agent_id")]
    )
    def test_a_scope_without_its_owner_is_refused_before_anything_is_kept(
        self, book: Book, scope: str, needs: str, everything
    ) -> None:
        before = everything(book)
        with pytest.raises(InvalidError, match=needs):
            book.capture_session(TALK, scope)
        assert everything(book) == before

    def test_the_narrowest_owner_is_the_default_scope(self, book: Book) -> None:
        assert book.capture_session("a: b").requested_scope == "global"
        assert book.capture_session("a: c", project_id="p").requested_scope == "project"
        assert book.capture_session("a: d", project_id="p", repo_id="r").requested_scope == "repo"

    def test_the_event_says_what_its_reader_has_to_say(self, open_book) -> None:
        book = open_book(extractor=Finding())
        event = book.capture_session('{"a": "The port is 8080."}')
        assert event.outcome == "no reader knows this format; it was taken as plain text"
        book.process_pending()
        assert book.event(event.id).outcome == f"{event.outcome}; 1 made"

    @pytest.mark.parametrize("empty", ["", "  \n\t ", b""])
    def test_nothing_is_not_captured(self, book: Book, empty: str | bytes) -> None:
        with pytest.raises(InvalidError):
            book.capture_session(empty)

    def test_what_is_too_large_is_refused_and_nothing_is_kept(self, book: Book, monkeypatch) -> None:
        monkeypatch.setattr("commonplace.settings.MAX_SOURCE_CHARS", 100)
        with pytest.raises(TooLargeError):
            book.capture_session("x" * 101)
        assert book.stats().sources == 0

    def test_it_survives_an_export_and_is_worked_in_the_other_book(self, book: Book, open_book, tmp_path: Path) -> None:
        """rfc 55: ingestion history moves too; what waited waits."""
        event = book.capture_session(TALK, "project", project_id="atlas")
        book.export(str(tmp_path / "out.jsonl"))
        other = open_book(at=tmp_path / "other.sqlite", extractor=Finding())
        other.import_(str(tmp_path / "out.jsonl"))
        assert other.event(event.id) == event
        assert other.process_pending().done == 1
        assert {record.project_id for record in other.list(statuses="all")} == {"atlas"}
        assert other.verify().ok


class TestSecrets:
    @pytest.mark.parametrize("sort", SECRETS)
    def test_a_secret_in_the_material_is_in_no_file_of_the_book(self, book: Book, sort: str, path: Path) -> None:
        """Rows 122, 126."""
        event = book.capture_session(f"User: here it is\n\n{SECRETS[sort]}\n\nAssistant: The port is 8080.")
        assert "[REDACTED:" in (source_of(book, event).body or "")
        book.close()
        held = max(re.split(r"[\s:@/]+", SECRETS[sort]), key=len)
        for file in path.parent.glob("book.sqlite*"):
            assert held.encode() not in file.read_bytes(), file.name

    def test_one_in_the_title_or_the_address_is_refused(self, book: Book) -> None:
        """Row 123: these somebody typed, so they are told."""
        for field in ("title", "uri"):
            with pytest.raises(SecretError):
                book.capture_session(TALK, **{field: SECRETS["a token"]})
        assert book.stats().sources == 0

    def test_every_piece_still_stands_where_it_says(self, open_book) -> None:
        """A secret is longer or shorter than what stands for it; spans behind it move."""
        token = SECRETS["a token"]
        book = open_book(extractor=Finding())
        event = book.capture_session(f"User: {token} is mine\nAssistant: ok {token}\nUser: The port is 8080.")
        book.process_pending()
        source = source_of(book, event)
        for record in book.list(statuses="inbox"):
            start, end = map(int, record.evidence_ref.partition("#")[2].split("-"))
            assert source.body[start:end] == record.content
        assert "The port is 8080." in {record.content for record in book.list(statuses="inbox")}


def test_a_purge_reaches_the_source_and_all_that_came_of_it(open_book, path: Path) -> None:
    """Rows 126, 127: with the episode go the candidates, the source and what the journal said, in every file of the book."""
    book = open_book(extractor=Finding())
    event = book.capture_session("User: The xylophone is in the quagmire.\nAssistant: The zeppelin is there too.")
    book.process_pending()
    [episode] = book.list(types="episode")
    gone = book.purge(episode.id)
    assert event.source_ref in gone.sources
    assert book.list(statuses="all") == []
    assert book.verify().ok
    assert book.process_pending().done == 0
    book.close()
    for file in path.parent.glob("book.sqlite*"):
        held = file.read_bytes()
        assert not [word for word in (b"xylophone", b"quagmire", b"zeppelin") if word in held], file.name


class TestImportedMaterial:
    """RFC scenario 4 (rfc 51) and R-c: raw until captured, then inbox, then perhaps promoted."""

    def test_it_stays_raw_until_it_is_captured(self, open_book) -> None:
        book = open_book(extractor=Finding())
        source = book.import_source(TALK, title="a talk")
        report = book.process_pending()
        assert (report.done, report.waiting) == (0, 0)
        assert book.list(statuses="all") == []
        assert [*book.search("port 8080", statuses="all")] == []

        event = book.capture_conversation(source.id, "project", project_id="atlas")
        assert event.source_ref == source.id
        assert book.process_pending().done == 1
        waiting = book.list(statuses="inbox")
        assert {record.content for record in waiting} == {"The port is 8080.", "Noted, it is 8080."}
        assert all(record.source_ref == source.id and record.evidence_ref for record in waiting)

        kept = book.confirm(waiting[0].id)
        assert (kept.status, kept.source_ref) == ("active", source.id)
        assert len(book.list(statuses="inbox")) == 1

    def test_the_source_itself_can_be_handed_over(self, book: Book) -> None:
        source = book.import_source(TALK)
        assert book.capture_conversation(source).source_ref == source.id

    def test_an_id_that_is_no_source_is_not_taken_for_material(self, book: Book) -> None:
        with pytest.raises(NotFoundError):
            book.capture_conversation("01M7FTBHPT3JRMYHVQWMKHBZ2N")

    def test_importing_twice_is_importing_once(self, book: Book) -> None:
        assert book.import_source(TALK) == book.import_source(TALK)

    def test_what_was_captured_and_then_imported_is_the_same_source(self, book: Book) -> None:
        event = book.capture_session(TALK)
        assert book.import_source(TALK).id == event.source_ref


class TestADataExport:
    """Many conversations in one file: each is a source and an event of its own."""

    EXPORT = json.dumps(
        [
            {
                "name": f"Talk {n}",
                "created_at": f"2026-05-0{n}T10:00:00Z",
                "chat_messages": [
                    {"sender": "human", "text": f"The port of service {n} is {8000 + n}."},
                    {"sender": "assistant", "text": "Noted."},
                ],
            }
            for n in range(1, 4)
        ]
        + [{"name": "Empty", "chat_messages": []}]
    )

    def test_each_conversation_is_captured_by_itself(self, open_book) -> None:
        book = open_book(extractor=Finding())
        event = book.capture_conversation(self.EXPORT)
        assert event.outcome == "one of 3 conversations"
        assert source_of(book, event).title == "Talk 1"
        assert book.work_status().pending == 3
        assert book.process_pending().done == 3
        assert [record.observed_at.day for record in book.list(statuses="inbox")] == [3, 2, 1]

    def test_a_newer_export_adds_only_what_is_new(self, book: Book) -> None:
        book.capture_conversation(self.EXPORT)
        book.capture_conversation(
            json.dumps([*json.loads(self.EXPORT), *json.loads(self.EXPORT.replace("8001", "9001"))])
        )
        assert book.work_status().pending == 4

    def test_imported_it_stays_one_raw_source(self, book: Book) -> None:
        assert book.import_source(self.EXPORT).title == "4 conversations"


class TestItReturnsAtOnce:
    """RFC scenario 5 (rfc 52): the extractor does not hold up the close of a session."""

    def test_whatever_the_extractor_does(self, open_book) -> None:
        book = open_book(extractor=Hanging())
        started = time.monotonic()
        event = book.capture_session(TALK)
        assert time.monotonic() - started < 2.0
        assert event.state is JobState.PENDING

    @pytest.mark.parametrize("sort", ["talk", "jsonl"])
    def test_a_megabyte_costs_a_few_durable_writes_of_the_same_size(self, book: Book, sort: str) -> None:
        """Judged by processor time beside the scan and the write that are its price, the best of three: a shared machine must
        not fail it."""
        from commonplace.guard.secrets import redact

        texts = [megabyte(sort, n) for n in range(3)]
        book.capture_session("User: warm up, the port is 8080")
        took = min(_processor_time(book.capture_session, text) for text in texts)
        scan = min(_processor_time(redact, text) for text in texts)
        print(
            f"{sort}: captured in {took * 1000:.0f} ms of processor time, of which the scan for secrets {scan * 1000:.0f}"
        )
        assert took < scan * 2.5 + 0.15


WORDS = "we use the local book because it is durable and run pytest on src/app/main.py line 42 before the release"


def _processor_time(work: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


def megabyte(sort: str, seed: int = 4) -> str:
    rng = random.Random(seed)
    words = WORDS.split()
    said = [" ".join(rng.choices(words, k=60)) for _ in range(3_400)]
    if sort == "talk":
        return "\n".join(f"{('User', 'Assistant')[n % 2]}: {text}" for n, text in enumerate(said))[:1_000_000]
    lines = [
        json.dumps({"type": ("user", "assistant")[n % 2], "sessionId": "s", "message": {"content": text}})
        for n, text in enumerate(said)
    ]
    return "\n".join(lines)[:1_000_000]
