"""`--json` gives the library's own JSON form, whole, in one document."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

import commonplace
from e2e.cli.shell import Shell


def _plain(answer: Any) -> Any:
    return json.loads(msgspec.json.encode(answer))


@pytest.fixture
def book(shell: Shell) -> commonplace.Book:
    """The same book through the library, as the same person."""
    shell.quiet("save", "Alice prefers tabs.", "--type", "profile")
    return commonplace.open(shell.environment["COMMONPLACE_BOOK"], actor="alice")


def test_what_is_read_is_what_the_library_reads(shell: Shell, book: commonplace.Book) -> None:
    id = shell.quiet("save", "Ünïcödé 记忆 📚 in any script.", "--type", "episode")
    with book:
        assert shell("get", id, "--json").json == book.get(id).to_dict() == json.loads(book.get(id).to_json())
        assert shell("list", "--json").json == [record.to_dict() for record in book.list()]
        assert _lasting(shell("search", "tabs", "--json").json) == _lasting(_plain(book.search("tabs")))
        assert shell("receipts", "--json").json == _plain(book.receipts())
        assert shell("explain", id, "--json").json == _plain(book.explain(id))
        assert shell("history", id, "--json").json == _plain(book.history(id))
        assert shell("journal", "--json").json == _plain(book.journal())
        assert shell("stats", "--json").json == book.stats().to_dict()
        assert shell("verify", "--json").json == _plain(book.verify())


def _lasting(found: dict[str, Any]) -> dict[str, Any]:
    """All but what each search has of its own: its receipt, and how fresh a memory was at that moment."""
    for result in found["results"]:
        del result["score"], result["scores"]["recency"]
    return {name: value for name, value in found.items() if name != "receipt_id"}


def test_what_is_written_is_answered_as_the_record_it_made(shell: Shell, book: commonplace.Book) -> None:
    with book:
        said = shell("save", "Said once.", "--type", "episode", "--json").json
        assert said == book.get(said["id"]).to_dict()
        evolved = shell("evolve", said["id"], "Said anew.", "--reason", "because", "--json").json
        assert evolved == book.get(evolved["id"]).to_dict()
        linked = shell("link", evolved["id"], "related_to", book.list(types="profile")[0].id, "--json").json
        assert linked == _plain(book.explain(evolved["id"]).links[-1])
        reverted = shell("revert", book.journal()[-1].id, "--json").json
        assert reverted == _plain(book.journal()[-1])


def test_an_answer_is_one_line_on_a_pipe_and_the_same_document_on_a_terminal(
    shell: Shell, book: commonplace.Book
) -> None:
    book.close()
    said = shell("list", "--json")
    assert said.out.count("\n") == 1
    code, shown = shell.on_terminal("list", "--json")
    assert code == 0
    assert shown.count("\n") > 10
    assert json.loads(shown) == said.json


def test_an_error_is_one_json_object_on_stderr_and_nothing_on_stdout(shell: Shell, book: commonplace.Book) -> None:
    with book, pytest.raises(commonplace.CommonplaceError) as raised:
        book.get("nobody")
    said = shell("get", "nobody", "--json")
    assert (said.code, said.out) == (13, "")
    assert {"error": said.error} == raised.value.to_dict()


def test_a_wrong_command_line_is_told_in_json_too(shell: Shell) -> None:
    said = shell("--json", "frobnicate")
    assert (said.code, said.out) == (2, "")
    assert said.error["kind"] == "usage"
    assert said.error["retryable"] is False
