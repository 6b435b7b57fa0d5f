"""One table of operations: the library's methods and the requests behind them say the same, name by name (style: surfaces)."""

from __future__ import annotations

import inspect

import msgspec
import pytest

from commonplace.engine.book import Book
from commonplace.engine.scribe import Request
from commonplace.surfaces.operations import BY_NAME, GROUPS, OPERATIONS

NOT_VERBS = {"close", "perform", "index_in_background", "url", "id", "actor", "trust"}


def method_of(operation):
    """A command is one word; a method has the verb's own name, which may say a little more (`context`, `context_for`)."""
    return getattr(Book, operation.verb)


def names(operation):
    return operation.name


def test_every_public_method_of_a_book_is_an_operation():
    public = {name for name in vars(Book) if not name.startswith("_")} - NOT_VERBS
    assert public == {operation.verb for operation in OPERATIONS}


@pytest.mark.parametrize("operation", OPERATIONS, ids=names)
class TestEveryOperation:
    def test_its_request_and_its_method_have_the_same_fields_and_defaults(self, operation):
        fields = {field.name: _default(field) for field in msgspec.structs.fields(operation.request_class())}
        fields.pop(operation.book_from, None)  # a book's own method need not be told which book
        asked = inspect.signature(method_of(operation)).parameters
        given = {name: parameter.default for name, parameter in asked.items() if name not in ("self", "progress")}
        assert given.keys() == fields.keys()
        for name, default in given.items():
            if name == "relation":  # a method may offer a default where the request wants it said
                continue
            assert default == fields[name], name

    def test_it_takes_progress_where_the_table_says_so(self, operation):
        for takes in (
            inspect.signature(method_of(operation)).parameters,
            inspect.signature(operation.function()).parameters,
        ):
            assert ("progress" in takes) == operation.takes_progress

    def test_what_is_positional_are_fields_that_must_be_given(self, operation):
        fields = {field.name: field for field in msgspec.structs.fields(operation.request_class())}
        assert {*operation.positional} <= fields.keys()
        required = {name for name, field in fields.items() if field.required}
        assert required <= {*operation.positional, "type", "reason", "authorisation"}

    def test_it_is_described_for_people(self, operation):
        assert operation.summary
        assert operation.summary[0].islower()
        # `inbox accept` is two words for a person and one for the table.
        assert operation.example.replace("inbox ", "inbox-").split()[0] == operation.name
        assert operation.group in GROUPS
        assert inspect.getdoc(method_of(operation))
        assert issubclass(operation.request_class(), Request)
        assert inspect.getdoc(operation.request_class())

    def test_every_field_says_what_it_is(self, operation):
        schema = msgspec.json.schema(operation.request_class())
        described = schema["$defs"][operation.request]["properties"] if "$defs" in schema else schema["properties"]
        assert [name for name, field in described.items() if "description" not in str(field)] == []

    def test_its_request_survives_json(self, operation):
        """Other surfaces send requests over a wire."""
        fields = {field.name: field for field in msgspec.structs.fields(operation.request_class())}
        known = {"type": "episode", "relation": "supports", "until": "2026-12-01T00:00:00Z", "ids": ["x"]}
        plain = {name: known.get(name, "x") for name, f in fields.items() if f.required}
        request = operation.request_class().from_dict(plain)
        assert operation.request_class().from_json(request.to_json()) == request


def _default(field):
    if field.required:
        return inspect.Parameter.empty
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory()


def test_names_are_unique_and_destroying_is_marked():
    assert len(BY_NAME) == len(OPERATIONS)
    assert [operation.name for operation in OPERATIONS if operation.destroys] == ["purge"]


def test_only_what_writes_is_marked_as_writing():
    """A read-only surface offers exactly the others."""
    writes = {operation.name for operation in OPERATIONS if operation.writes}
    assert writes == {"save", "evolve", "link", "unlink", "contradict", "archive", "restore", "forget", "purge", "revert",
                      "confirm", "reject", "import", "consolidate", "promote", "resolve",
                      "capture-session", "capture-conversation", "import-source", "process", "work", "retry",
                      "inbox-accept", "inbox-edit", "inbox-reject", "inbox-merge", "inbox-defer", "inbox-apply",
                      "upsert-profile-fact", "retain", "write-personal"}  # fmt: skip


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if not o.writes], ids=names)
def test_what_does_not_write_changes_nothing(book, everything, tmp_path, operation):
    saved = book.save("One.", type="episode")
    book.archive(saved.id)
    event = book.capture_session("User: hello\nAssistant: hi")
    before = everything(book)
    values = {
        "id": event.id if operation.name == "event" else saved.id,
        "query": "one",
        "task": "one",
        "path": str(tmp_path / "out"),
        "to_book": f"jsonl:{tmp_path / 'copy'}",
    }
    method = method_of(operation)
    method(book, **{name: values[name] for name in operation.positional if name != operation.book_from})
    assert everything(book) == before
