"""What a note says, however it was written (A23-A25, A30, A-a, A-g, A-l; rows 31-35, 43, 55)."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from commonplace.formats.vault.format import VaultFormat
from commonplace.model.words import Scope, Status, Tier, Type

VAULT = VaultFormat()
STORE = "Agent/Memory/fix/n.md"


def said(text: str | bytes, path: str = STORE) -> dict[str, Any]:
    raw = text.encode() if isinstance(text, str) else text
    contents = VAULT.read(path, raw)
    assert len(contents.entries) == 1, contents.aside
    return dict(contents.entries[0].fields)


def reason(raw: bytes) -> str:
    contents = VAULT.read(STORE, raw)
    assert contents.entries == ()
    return contents.aside[0].reason


class TestPlainNotes:
    def test_three_words_are_a_note(self) -> None:
        """A12: a person's own, with its name for a title."""
        found = said("buy more milk", "Lists/Shopping list.md")
        assert found["content"] == "buy more milk"
        assert (found["title"], found["kind"], found["tier"]) == ("Shopping list", "note", Tier.T1)
        assert "id" not in found
        assert "created_at" not in found

    def test_the_first_heading_is_the_title(self) -> None:
        assert said("\n# The plan ##\n\nDo it.")["title"] == "The plan"
        assert said("Do it.\n\n# Later")["title"] == "n"

    def test_the_frontmatters_title_goes_first(self) -> None:
        assert said("---\ntitle: 'Plan: B'\n---\n# The plan")["title"] == "Plan: B"

    def test_tags_come_from_the_frontmatter_and_from_the_text(self) -> None:
        found = said("---\ntags: [a, '#b']\n---\nof #c/d and #a, not #1, `#code`, x#y or http://z/#w\n\n    # Heading")
        assert found["tags"] == ("a", "b", "c/d")

    @pytest.mark.parametrize(
        "line",
        ["tags: [one, two]", "tags:\n  - one\n  - two", "tags:\n- one\n- 'two'", "tags: one, two", "tags: one two"],
    )
    def test_tags_in_every_form_that_people_write(self, line: str) -> None:
        assert said(f"---\n{line}\n---\nx")["tags"] == ("one", "two")

    def test_a_note_that_tells_its_id_says_all_in_its_frontmatter(self) -> None:
        """What stands in the text of a memory is its text."""
        found = said("---\nid: 01M7G1X7951CZ3GKZE87EK02FT\n---\n# Heading #tag")
        assert (found["id"], found["title"], found["tags"]) == ("01M7G1X7951CZ3GKZE87EK02FT", None, ())

    def test_a_persons_own_number_is_not_a_memorys_id(self) -> None:
        assert "id" not in said("---\nid: 202605031200\n---\nx")


class TestStatus:
    @pytest.mark.parametrize(
        ("path", "line", "status"),
        [
            ("Agent/Memory/fix/n.md", "active", Status.ACTIVE),
            ("Agent/Memory/fix/n.md", "deleted", Status.DELETED),
            ("Agent/Memory/fix/n.md", "superseded", Status.SUPERSEDED),
            ("Agent/Memory/fix/n.md", "launched", Status.ACTIVE),
            ("Agent/Memory/_inbox/n.md", "active", Status.INBOX),
            ("Agent/Memory/_inbox/n.md", "deleted", Status.DELETED),
            ("Agent/Memory/_archive/n.md", "active", Status.ARCHIVED),
            ("Agent/_archive/n.md", "superseded", Status.SUPERSEDED),
            ("Agent/_archive/n.md", "deleted", Status.DELETED),
            ("Agent/Memory/_always-load/n.md", "deleted", Status.DELETED),
        ],
    )
    def test_folder_and_line_put_away_whichever_goes_further(self, path: str, line: str, status: Status) -> None:
        """A19, A24, A30, A-g."""
        assert said(f"---\nstatus: {line}\n---\nx", path)["status"] is status

    def test_the_folder_decides_what_is_always_loaded(self) -> None:
        """A-a."""
        assert said("---\nalways_load: false\n---\nx", "Agent/_always-load/n.md")["always_load"] is True
        assert said("---\nalways_load: true\n---\nx")["always_load"] is False
        assert said("---\nalways_load: true\n---\nx", "Agent/Memory/_inbox/n.md")["always_load"] is True


class TestMoments:
    @pytest.mark.parametrize(
        ("text", "moment"),
        [
            ("2026-05-03", datetime(2026, 5, 3, tzinfo=UTC)),
            ("2026-05-03 14:30", datetime(2026, 5, 3, 14, 30, tzinfo=UTC)),
            ("2026-05-03T14:30:00", datetime(2026, 5, 3, 14, 30, tzinfo=UTC)),
            ("'2026-05-03T14:30:00+02:00'", datetime(2026, 5, 3, 12, 30, tzinfo=UTC)),
            ("2026-05-03T14:30:00.5Z", datetime(2026, 5, 3, 14, 30, 0, 500_000, tzinfo=UTC)),
        ],
    )
    def test_dates_and_times_are_utc(self, text: str, moment: datetime) -> None:
        """A-l."""
        found = said(f"---\ncreated: {text}\nupdated: {text}\n---\nx")
        assert found["created_at"] == found["updated_at"] == moment
        assert found["created_at"].tzinfo is UTC

    @pytest.mark.parametrize("text", ["yesterday", "[2026-05-03]", "0001-01-01T00:00:00+14:00", "1e3", "99999-01-01"])
    def test_what_is_no_moment_says_nothing(self, text: str) -> None:
        assert "created_at" not in said(f"---\ncreated: {text}\n---\nx")


class TestOwners:
    def test_a_folder_names_the_project(self) -> None:
        found = said("x", "Agent/projects/atlas/decision/n.md")
        assert (found["scope"], found["project_id"], found["kind"]) == (Scope.PROJECT, "atlas", "decision")
        assert found["type"] is Type.DECISION

    def test_the_line_goes_before_the_folder(self) -> None:
        found = said('---\nproject: "[[Projects/Apollo|A]]"\n---\nx', "Agent/projects/atlas/n.md")
        assert found["project_id"] == "Apollo"

    @pytest.mark.parametrize(
        ("lines", "scope", "word"),
        [
            ("scope: repo\nrepo: r", Scope.REPO, None),
            ("scope: workspace\nrepo: r", Scope.REPO, "workspace"),
            ("scope: user", Scope.GLOBAL, "user"),
            ("scope: repo", Scope.GLOBAL, None),
            ("scope: workspace", Scope.GLOBAL, None),
            ("scope: feature\nproject: p", Scope.PROJECT, None),
            ("scope: [a]", Scope.GLOBAL, None),
            ("scope: session", Scope.SESSION, None),
        ],
    )
    def test_a_scope_needs_its_owner(self, lines: str, scope: Scope, word: str | None) -> None:
        """X-11: the surface's own word is kept."""
        found = said(f"---\n{lines}\n---\nx")
        assert (found["scope"], found["scope_word"]) == (scope, word)


class TestOddBytes:
    @pytest.mark.parametrize(
        ("raw", "content"),
        [
            (b"\xef\xbb\xbfhello", "hello"),
            (b"one\r\ntwo\r\n", "one\ntwo"),
            (b"one\rtwo\r", "one\ntwo"),
            (b"---\r\nkind: fix\r\n---\r\none\r\ntwo", "one\ntwo"),
            (b"---\rkind: fix\r---\rone\rtwo", "one\ntwo"),
            (b"caf\xe9 \xff", "caf\ufffd \ufffd"),
            ("a\u2028b\x85c".encode(), "a\u2028b\x85c"),
        ],
    )
    def test_every_style_is_read(self, raw: bytes, content: str) -> None:
        """Rows 31, 32."""
        found = said(raw)
        assert found["content"] == content
        assert found["kind"] == "fix"

    def test_what_is_not_text_is_named(self) -> None:
        """Rows 31, 33, 43, 50."""
        assert "UTF-16" in reason("hello".encode("utf-16"))
        assert "NUL" in reason("hello".encode("utf-16-le"))
        assert "NUL" in reason(b"a\0b")
        assert "empty" in reason(b"")
        assert "larger" in reason(b"x" * (VAULT.largest + 1))
        assert "524288" in reason(b"x" * 524_289)
        assert said("---\ntitle: t\n---\n" + "x" * 524_288)["title"] == "t"

    @pytest.mark.parametrize("raw", [b"\n", b"---\nkind: fix\n---\n", b"\xef\xbb\xbf", b"---\n---\n  \n"])
    def test_a_note_that_says_nothing_is_no_memory(self, raw: bytes) -> None:
        assert VAULT.read(STORE, raw).entries == ()
        assert VAULT.read(STORE, raw).aside == ()

    def test_an_unresolved_merge_is_named_with_its_line(self) -> None:
        """Row 55."""
        contents = VAULT.read(STORE, b"one\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n")
        assert contents.entries == ()
        assert contents.aside[0].line == 2
        assert said("```\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```")
        assert said("<<<<<<< is how git marks a conflict, then =======")


class TestOddFrontmatter:
    """Row 35: no code is run, time is bounded, the note is still read, nothing is lost."""

    @pytest.mark.parametrize(
        "line",
        [
            "x: !!python/object/apply:os.system ['true']", "x: &a [1]\ny: *a", "x: {a: {b: c}}", "kind: fix\nkind: fix",
            "\tx: y", "x: |\n  kind: not this\n  # nor this", "? complex\n: key", "x: 'never closed", 'x: "\\q"', "x: [a, [b]]",
            "- list", "x", ": y", "<<: *merge", "x: 1e3", "on: no", "x: ]", "%TAG ! x", "x: [a,\n  b]",
        ],
    )  # fmt: skip
    def test_odd_yaml_leaves_the_rest_readable(self, line: str) -> None:
        found = said(f"---\nstatus: inbox\n{line}\nkind: fix\n---\nbody")
        assert (found["status"], found["kind"], found["content"]) == (Status.INBOX, "fix", "body")

    def test_a_block_that_never_ends_is_text(self) -> None:
        assert said("---\nkind: odd\n\nbody")["content"] == "---\nkind: odd\n\nbody"

    def test_values_are_text_and_not_what_yaml_makes_of_them(self) -> None:
        assert said("---\ntitle: no\nproject: 1e3\n---\nx")["title"] == "no"
        assert said("---\nproject: 0x10\n---\nx")["project_id"] == "0x10"

    @pytest.mark.parametrize(
        "text",
        [
            "---\n" + "a: &a [*a, *a, *a]\n" * 3000 + "---\nx",
            "---\nx: [" + "[" * 30_000 + "\n---\nx",
            "---\nx: [" + "a, " * 20_000 + "\n---\nx",
            '---\nx: "' + "\\" * 60_000 + "\n---\nx",
            "---\nx: " + "'" * 60_000 + "\n---\nx",
            "---\n" + " " * 60_000 + "\n---\nx",
            "[[" * 100_000 + "x",
            "`" * 50_000 + "[[x]]",
            ("`a " * 50_000) + "[[x]]",
            "#" * 100_000 + "x",
            "](" * 100_000 + "x.md",
            "<<<<<<< \n" * 50_000 + "x",
            "<<<<<<< x\n" + "=======\n" * 50_000 + "x",
            "```\n" * 50_000 + "[[x]]",
            "# " + "# " * 50_000 + "x",
            "#" + "1" * 100_000 + " x",
            "`[[x]]` " * 20_000 + "[[y]]",
            "[x](" * 50_000 + "a.md)",
            "[[x#" * 50_000,
            "contradicts " * 30_000 + "[[x]]",
        ],
        ids=range(20),
    )
    def test_no_text_takes_long(self, text: str) -> None:
        began = time.process_time()
        VAULT.read(STORE, text.encode())
        assert time.process_time() - began < 1.0
