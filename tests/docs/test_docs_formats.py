"""The pages of the formats describe the bytes that are really there."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import commonplace
from commonplace import Book

from .pages import Page, page
from .python_blocks import run

_SQLITE, _JOURNAL, _EXPORT = (page(f"docs/format/{name}.md") for name in ("sqlite", "journal", "export"))


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Book]:
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}", actor="alice") as book:
        first = book.save("The API listens on port 8080.", type="project", project_id="atlas")
        other = book.save("Die API hört auf Port 9090 \u2028 \U0001f4d6.", type="project", project_id="atlas")
        book.evolve(first.id, "The API listens on port 8081.", reason='moved, "said" Bob \\ and left')
        book.contradict(first.id, other.id, reason="two ports")
        yield book


@pytest.fixture
def tables(made: Book, tmp_path: Path) -> dict[str, list[str]]:
    """Every table of a real book with its columns, read behind its back."""
    made.close()
    db = apsw.Connection(str(tmp_path / "book.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for name in names}
    finally:
        db.close()


def test_every_table_and_column_is_described(tables: dict[str, list[str]]) -> None:
    shadows = {name for name in tables if name.startswith("memories_fts_")}
    missing = []
    for table, columns in tables.items():
        where = _section_about(table)
        if not where:
            missing.append(table)
        elif table not in shadows and not table.startswith("sqlite_"):
            missing += [f"{table}.{column}" for column in columns if f"`{column}`" not in where]
    assert missing == []


def _section_about(table: str) -> str:
    """The part of the page that tells of a table: its own section, or one that names it."""
    sections = re.split(r"^(?=###? )", _SQLITE.prose, flags=re.MULTILINE)
    own = [one for one in sections if re.match(rf"### (?:\w+ and )?{table}\b", one)]
    return "".join(own or [one for one in sections if f"`{table}`" in one])


def test_no_table_is_described_that_is_not_there(tables: dict[str, list[str]]) -> None:
    said = re.findall(r"^### ([a-z_]+)(?: and ([a-z_]+))?$", _SQLITE.prose, re.MULTILINE)
    assert {name for pair in said for name in pair if name} - set(tables) == set()


@pytest.mark.parametrize("pragma", ["synchronous", "secure_delete", "temp_store", "trusted_schema", "cell_size_check"])
def test_every_setting_of_a_connection_is_the_one_on_the_page(made: Book, pragma: str) -> None:
    meant = {"FULL": 2, "ON": 1, "OFF": 0, "MEMORY": 2}
    said = re.search(rf"^\| `{pragma}` \| `(\w+)`", _SQLITE.text, re.MULTILINE)
    assert said
    assert made._scribe.canon._connections.get().pragma(pragma) == meant[said[1]]


def test_every_facet_has_the_number_on_the_page() -> None:
    from commonplace.catalog.sqlite.facets import CODES

    said = " ".join(_SQLITE.text.split())
    assert [
        name for name, code in CODES.items() if f"{code} {name.removesuffix('_id').removesuffix('_ref')}" not in said
    ] == []


def test_a_row_has_the_checksum_that_the_page_tells(made: Book, tmp_path: Path) -> None:
    db = made._scribe.canon._connections.get()
    for _, *values, checksum, _terms, _entry in db.execute("SELECT * FROM memories"):
        written = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        assert zlib.crc32(written) == checksum


def test_a_tombstone_has_the_mark_that_the_page_tells(made: Book) -> None:
    gone = made.list(types="project")[0]
    made.purge(gone.id)
    db = made._scribe.canon._connections.get()
    key = bytes.fromhex(db.execute("SELECT value FROM book WHERE key = 'tombstone_key'").get)
    mark = hashlib.blake2b(gone.fingerprint.encode(), key=key, digest_size=32).digest()
    assert db.execute("SELECT id, seq FROM tombstones WHERE mark = ?", (mark,)).get == (gone.id, 5)


def test_a_fingerprint_is_made_as_the_page_tells(made: Book) -> None:
    saved = made.save("  Two \tLINES,\r\n\n   the  second Straße ", type="episode")
    normal = "two lines,\nthe second strasse"
    assert saved.fingerprint == f"sha256:{hashlib.sha256(normal.encode()).hexdigest()}"


def test_the_lock_file_holds_what_the_page_tells(made: Book, tmp_path: Path) -> None:
    last = made.journal()[-1]
    said = (tmp_path / "book.sqlite.lock").read_text()
    assert said == f"{made.id} {last.seq:020} {0:020} {last.hash[:32]}\n"


class TestTheVerifierOnThePage:
    """Written from the page alone, it agrees with the book about what is sound and what is not."""

    @pytest.fixture
    def verify(self) -> Any:
        names: dict[str, Any] = {}
        run(next(block for block in _JOURNAL.blocks if block.language == "python"), names, _JOURNAL.name)
        return names["verify"]

    @pytest.fixture
    def exported(self, made: Book, tmp_path: Path) -> Path:
        made.purge(made.list(types="project")[0].id, reason="asked to")
        made.export(str(tmp_path / "book.jsonl"))
        assert made.verify().ok
        return tmp_path / "book.jsonl"

    def test_it_accepts_what_the_book_wrote(self, verify: Any, exported: Path, made: Book) -> None:
        assert verify(exported) == made.stats().operations

    @pytest.mark.parametrize(
        ("old", "new"),
        [('"actor":"alice"', '"actor":"alicf"'), ("port 8080", "port 8088"), ('"verb":"save"', '"verb":"link"')],
    )
    def test_it_sees_an_altered_entry(self, verify: Any, exported: Path, old: str, new: str) -> None:
        text = exported.read_text()
        assert old in text
        exported.write_text(text.replace(old, new, 1))
        with pytest.raises(AssertionError, match="altered"):
            verify(exported)

    def test_it_sees_a_missing_entry(self, verify: Any, exported: Path) -> None:
        lines = exported.read_text().split("\n")
        exported.write_text("\n".join(lines[:2] + lines[3:]))
        with pytest.raises(AssertionError, match="missing"):
            verify(exported)


def test_the_example_of_an_export_can_be_imported(tmp_path: Path) -> None:
    example = next(block for block in _EXPORT.blocks if block.language == "json")
    (tmp_path / "example.jsonl").write_text(example.text)
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}", actor="alice") as book:
        report = book.import_(str(tmp_path / "example.jsonl"))
        assert (report.complete, report.kept_aside, report.run) == (True, (), None)
        assert [record.content for record in book.list()] == ["The API listens on port 8080."]
        assert book.verify().ok


def test_the_config_on_the_page_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from commonplace.wiring import configured_url

    config: Page = page("docs/format/config.md")
    (tmp_path / "config.toml").write_text(next(block.text for block in config.blocks if block.language == "toml"))
    monkeypatch.delenv("COMMONPLACE_BOOK", raising=False)
    monkeypatch.setenv("COMMONPLACE_CONFIG", str(tmp_path / "config.toml"))
    assert configured_url() == "sqlite:~/memory.sqlite"


def test_the_page_of_the_policy_describes_every_key_and_its_example_is_one(tmp_path: Path) -> None:
    from commonplace.engine.inbox_apply import Rule, read_policy

    said = page("docs/format/policy.md")
    path = tmp_path / "policy.toml"
    path.write_text(next(block.text for block in said.blocks if block.language == "toml"))
    assert len(read_policy(str(path)).accept) == 2
    rows = set(re.findall(r"^\| `(\w+)` \|", said.text, re.MULTILINE))
    assert rows == set(Rule.__struct_fields__)


def test_the_page_of_the_config_names_every_setting_of_an_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    import tomllib

    from commonplace.ingest.choice import choose_extractor
    from commonplace.providers.chat import ChatSettings

    monkeypatch.delenv("COMMONPLACE_EXTRACTOR", raising=False)
    said = page("docs/format/config.md")
    example = tomllib.loads(next(block.text for block in said.blocks if block.language == "toml"))
    assert choose_extractor(example) is not None
    row = next(line for line in said.text.splitlines() if line.startswith("| `extractor.model`"))
    assert set(re.findall(r"`(\w+)`", row)) == set(ChatSettings.__struct_fields__) - {"use", "most"}
