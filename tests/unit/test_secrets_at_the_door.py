"""Secrets at the door: refused in every text of every verb, named by kind and place, told by nobody (rows 122-123)."""

from __future__ import annotations

import random

import pytest

from commonplace.errors import CommonplaceError, SecretError
from commonplace.guard import entry
from commonplace.testing.state import files_under

# Put together at run time, so that no line of this repository looks like a secret to any scanner.
RNG = random.Random(7)
SECRET = "AK" + "IA" + "".join(RNG.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=16))
CARRIED = f"The key is {SECRET}, keep it."
TEXTS = ("content", "title", "summary", "rationale", "kind", "project_id", "repo_id", "agent_id", "evidence_ref",
         "idempotency_key", "tenant", "tags", "anchors", "aliases", "scope", "supersedes")  # fmt: skip
LISTS = ("tags", "anchors", "aliases")


@pytest.fixture
def nowhere(tmp_path):
    """The secret is in no file of the test's folder."""
    yield
    assert not [name for name, raw in files_under(tmp_path).items() if SECRET.encode() in raw.upper()]


@pytest.fixture
def saved(book):
    return book.save("One.", type="episode")


def refused(ask):
    with pytest.raises(SecretError) as raised:
        ask()
    error, cause = raised.value, raised.value.__cause__
    told = f"{error!r} {error} {error.to_dict()} {error.where} {cause!r} {error.__context__!r}"
    assert SECRET not in told
    assert SECRET[4:] not in told
    assert error.hint
    return error


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("field", TEXTS)
def test_save_refuses_a_secret_in_every_field_and_says_only_which_kind_and_where(book, everything, field):
    before = everything(book)
    value = SECRET if field in ("kind", "scope", "supersedes") else CARRIED
    asked = {"content": "A good statement.", "type": "episode"} | {field: [value] if field in LISTS else value}
    error = refused(lambda: book.save(**asked))
    assert error.where == field
    assert "aws" in str(error).lower()
    assert everything(book) == before


@pytest.mark.usefixtures("nowhere")
def test_every_other_verb_refuses_it(book, everything, saved):
    other = book.save("Two.", type="episode")
    waiting = book.save("We use SQLite.", type="decision")
    before = everything(book)
    new = {"id": saved.id, "content": "Other.", "reason": "r"}
    for field in ("content", "reason", "title", "summary", "rationale", "evidence_ref"):
        refused(lambda field=field: book.evolve(**new | {field: CARRIED}))
    for ask in (
        lambda: book.evolve(**new, tags=[CARRIED]),
        lambda: book.link(saved.id, other.id, "supports", evidence_ref=CARRIED),
        lambda: book.contradict(saved.id, other.id, reason=CARRIED),
        lambda: book.contradict(saved.id, other.id, evidence_ref=CARRIED),
        lambda: book.archive(saved.id, reason=CARRIED),
        lambda: book.forget(saved.id, reason=CARRIED),
        lambda: book.restore(saved.id, reason=CARRIED),
        lambda: book.confirm(waiting.id, reason=CARRIED, rationale="r"),
        lambda: book.confirm(waiting.id, rationale=CARRIED),
        lambda: book.confirm(waiting.id, evidence_ref=CARRIED),
        lambda: book.reject(waiting.id, reason=CARRIED),
        lambda: book.revert(book.journal()[0], reason=CARRIED),
        lambda: book.purge(saved.id, reason=CARRIED),
    ):
        refused(ask)
    assert everything(book) == before


@pytest.mark.usefixtures("nowhere")
def test_unlink_refuses_it_in_its_reason(book, everything, saved):
    other = book.save("Two.", type="episode")
    book.link(saved.id, other.id, "supports")
    before = everything(book)
    refused(lambda: book.unlink(saved.id, other.id, "supports", reason=CARRIED))
    assert everything(book) == before


@pytest.mark.usefixtures("nowhere")
def test_a_secret_split_over_fields_of_one_write_is_not_in_two_halves_in_the_book(book, saved):
    """A value is judged with what stands beside it: the word in the title, the value in the content."""
    with pytest.raises(SecretError):
        book.save(f"aws_secret: {SECRET}", title="credentials", type="episode")


@pytest.mark.usefixtures("nowhere")
def test_asking_with_a_secret_leaves_no_trace(book, saved):
    """Row 123: a query, an id or a filter that holds a secret is written nowhere and told by no error."""
    assert not book.search(CARRIED)
    assert book.list(project_id=SECRET) == book.list(tags=SECRET) == book.list(kinds=SECRET) == []
    for ask in (lambda: book.get(CARRIED), lambda: book.history(CARRIED), lambda: book.list(after=CARRIED)):
        with pytest.raises(CommonplaceError) as raised:
            ask()
        assert SECRET not in str(raised.value)


@pytest.mark.usefixtures("nowhere")
def test_an_actors_name_is_not_a_place_for_one(open_book):
    refused(lambda: open_book(f"agent:{SECRET}"))


class TestByImport:
    """A file is a way in like any other, whoever wrote it."""

    FIELDS = ("content", "title", "summary", "rationale", "status_reason", "evidence_ref", "tags", "anchors", "aliases",
              "project_id", "repo_id", "agent_id", "kind", "slug", "tenant", "source_ref")  # fmt: skip

    @pytest.fixture
    def leaky(self, tmp_path_factory, open_book, monkeypatch):
        """A book that was written with the guard switched off, exported."""

        def make(**fields):
            folder = tmp_path_factory.mktemp("leaky")
            with monkeypatch.context() as unguarded:
                unguarded.setattr(entry.secrets, "scan", lambda _: [])
                book = open_book(at=folder / "book.sqlite")
                book.save("A good memory.", type="episode")
                reason = fields.pop("reason", None)
                saved = book.save(**{"content": "Bad memory.", "type": "episode"} | fields)
                book.archive(saved.id, reason=reason)
            book.export(str(folder / "x.jsonl"))
            book.close()
            return folder / "x.jsonl"

        return make

    @pytest.mark.parametrize("into", ["empty", "full"])
    @pytest.mark.parametrize("field", ["content", "title", "summary", "rationale", "evidence_ref", "tags", "anchors",
                                       "aliases", "project_id", "reason", "tenant"])  # fmt: skip
    def test_it_is_not_brought_in_and_not_kept_raw(self, open_book, tmp_path, leaky, nowhere, field, into):
        file = leaky(**{field: [CARRIED] if field in LISTS else CARRIED})
        book = open_book(at=tmp_path / "in.sqlite")
        if into == "full":
            book.save("Here.", type="episode")
        report = book.import_(str(file))
        assert "A good memory." in [record.content for record in book.list()]
        assert report.kept_aside
        assert all(SECRET not in finding.to_json() for finding in report.kept_aside)
        assert "secret" in {finding.code for finding in report.kept_aside}
        assert book.verify().ok

    def test_in_a_very_long_memory(self, open_book, tmp_path, leaky, nowhere):
        """The search does not stop where a page ends."""
        file = leaky(content="long words " * 5_900, summary="more words " * 300, title=CARRIED)
        book = open_book(at=tmp_path / "in.sqlite")
        book.import_(str(file))
        assert [record.content for record in book.list(statuses="all")] == ["A good memory."]

    def test_in_a_captured_sources_body(self, book, tmp_path, tmp_path_factory, nowhere):
        """Sources hold documents: a secret in one is not stored either (X-5)."""
        line = f'{{"source":{{"id":"s1","kind":"document","body":"{CARRIED}","captured_at":"2026-05-03T12:00:00Z"}}}}\n'
        file = tmp_path_factory.mktemp("source") / "x.jsonl"
        file.write_text(line)
        book.import_(str(file))


def test_scan_finds_what_came_in_by_other_ways_and_tells_nothing(book, monkeypatch):
    """Row 125."""
    with monkeypatch.context() as unguarded:
        unguarded.setattr(entry.secrets, "scan", lambda _: [])
        saved = book.save(CARRIED, type="episode", title=f"title {SECRET}", tags=[SECRET])
    assert not book.scan().ok
    findings = book.scan().findings
    assert {finding.where for finding in findings} == {saved.id}
    assert {finding.message.split()[0] for finding in findings} == {"content", "title", "tags"}
    assert not any(SECRET in finding.to_json() for finding in findings)
    assert all(finding.hint for finding in findings)
    book.purge(saved.id)
    assert book.scan().ok


def test_scan_looks_into_reasons_of_the_journal_too(book, monkeypatch):
    """Row 135: the journal holds no secret, or it is found."""
    saved = book.save("One.", type="episode")
    with monkeypatch.context() as unguarded:
        unguarded.setattr(entry.secrets, "scan", lambda _: [])
        book.archive(saved.id, reason=CARRIED)
        book.restore(saved.id)
    assert not book.scan().ok


def test_benign_look_alikes_are_stored_byte_for_byte(book):
    """Row 124."""
    for text in (
        "commit " + "a1" * 20,
        "sha256:" + "0f" * 32,
        "the token budget is 8000 tokens",
        "api_key = os.environ['API_KEY']",
    ):
        assert book.save(text, type="episode").content == text
