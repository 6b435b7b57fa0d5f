"""Links between notes: what is one, what it says, and that none breaks when a note moves (A26, A27, A49, X-19)."""

from __future__ import annotations

import pytest

from commonplace.formats.vault.format import VaultFormat
from commonplace.formats.vault.wikilinks import relinked
from commonplace.model.words import Status
from commonplace.seam.format import Place

from .vault_shelf import VaultInMemory, known_by

VAULT = VaultFormat()


def links(text: str, path: str = "Agent/Memory/fix/n.md") -> list[tuple[str, str]]:
    return [*VAULT.read(path, text.encode()).entries[0].links]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[[Target]]", "Target"),
        ("[[Target|label]]", "Target"),
        ("[[Target#heading|label]]", "Target"),
        ("[[Target#^block]]", "Target"),
        ("![[Target]]", "Target"),
        ("[[ Target ]]", "Target"),
        ("[[Target.md]]", "Target.md"),
        ("[[Target\\|label]]", "Target"),
        ("[[Release v1.2]]", "Release v1.2"),
        ("[[folder/Target]]", "folder/Target.md"),
        ("[[../note/Target]]", "Agent/Memory/note/Target.md"),
        ("[label](Target.md)", "Agent/Memory/fix/Target.md"),
        ("[label](../note/My%20Target.md#heading)", "Agent/Memory/note/My Target.md"),
        ('[label](Target.md "title")', "Agent/Memory/fix/Target.md"),
        ("[label](<Target.md>)", "Agent/Memory/fix/Target.md"),
        ("[label](/Top.md)", "Top.md"),
    ],
)
def test_a_link_names_a_note(text: str, target: str) -> None:
    assert links(f"See {text} there.") == [("related_to", target)]


@pytest.mark.parametrize(
    "text",
    [
        "`[[x]]`", "``a ` [[x]]``", "```\n[[x]]\n```", "~~~\n[[x]]\n~~~", "```\n[[x]]", "[[]]", "[[a\nb]]",
        "[x](https://example.org/a.md)", "[x](picture.png)", "[[#heading]]", "a [x] (y.md)",
        "![[photo.png|300]]", "[[Map.canvas]]",
    ],
)  # fmt: skip
def test_what_is_no_link(text: str) -> None:
    """A49, A89: code spans and fences are excluded."""
    assert links(f"one\n\n{text}") == []


def test_text_after_code_is_text_again() -> None:
    assert links("`a` [[x]] `b`\n```\n[[no]]\n```\n[[y]] `") == [("related_to", "x"), ("related_to", "y")]


def test_each_link_counts_once() -> None:
    assert links("[[x]] [[x|y]] [[x#z]]") == [("related_to", "x")]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("This contradicts [[x]].", "contradicts"),
        ("It supports [[x]].", "supports"),
        ("Applies to [[x]].", "applies_to"),
        ("supports:: [[x]]", "supports"),
        ("It is superseded and derived from [[x]].", "related_to"),
        ("It supersedes [[x]].", "related_to"),
        ("Nobody contradicts it, see [[x]].", "related_to"),
    ],
)
def test_a_word_before_a_link_says_how_two_notes_stand(text: str, relation: str) -> None:
    """A49. What has consequences, a sentence cannot say: `purge` and `revert` follow `derived_from`."""
    assert links(text) == [(relation, "x")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("supersedes: '[[Old]]'", [("supersedes", "Old")]),
        ("supersedes: Agent/Memory/_archive/old.md", [("supersedes", "Agent/Memory/_archive/old.md")]),
        ("supersedes: 01M7G1X7951CZ3GKZE87EK02FT", [("supersedes", "01M7G1X7951CZ3GKZE87EK02FT")]),
        ("derived_from: ['[[A]]', \"[[B|b]]\"]", [("derived_from", "A"), ("derived_from", "B")]),
        ("contradicts:\n  - '[[A]]'", [("contradicts", "A")]),
        ("up: '[[Map]]'", [("related_to", "Map")]),
        ("superseded_by: '[[New]]'", []),
        ("supersedes:", []),
    ],
)
def test_a_field_called_like_a_relation_is_one(line: str, expected: list[tuple[str, str]]) -> None:
    """A26, X-19: `supersedes` stands on the new note."""
    assert links(f"---\n{line}\n---\nx") == expected


def test_a_note_answers_to_its_path_and_its_name_in_any_case() -> None:
    """A-m, X-14: by where it lies, because names repeat."""
    assert VAULT.names(Place("Work/My Plan.md")) == (
        "Work/My Plan.md", "work/my plan.md", "Work/My Plan", "work/my plan", "My Plan", "my plan",
    )  # fmt: skip
    assert VAULT.names(Place("x.md")) == ("x.md", "x")


class TestWhenANoteMoves:
    TEXT = (
        "[[port]] [[Port|label]] [[port#top]] [[port.md]] ![[port]] [[Agent/Memory/fix/port]] [[fix/port|p]]\r\n"
        "[m](../fix/port.md#x) `[[port]]` [[portal]] [[note/port]] [o](port.md)  "
    )

    def test_links_by_name_stay_while_the_name_stays(self) -> None:
        """A27: only what would break is touched."""
        after = relinked(self.TEXT, "Agent/Memory/note/n.md", "Agent/Memory/fix/port.md", "Agent/_archive/port.md")
        assert after == (
            "[[port]] [[Port|label]] [[port#top]] [[port.md]] ![[port]] [[Agent/_archive/port]] [[Agent/_archive/port|p]]\r\n"
            "[m](../../_archive/port.md#x) `[[port]]` [[portal]] [[note/port]] [o](port.md)  "
        )

    def test_a_new_name_is_followed(self) -> None:
        after = relinked(
            self.TEXT, "Agent/Memory/note/n.md", "Agent/Memory/fix/port.md", "Agent/Memory/fix/new port.md"
        )
        assert after == (
            "[[new port]] [[new port|label]] [[new port#top]] [[new port.md]] ![[new port]] [[Agent/Memory/fix/new port]] "
            "[[Agent/Memory/fix/new port|p]]\r\n"
            "[m](../fix/new%20port.md#x) `[[port]]` [[portal]] [[note/port]] [o](port.md)  "
        )

    def test_links_to_what_was_superseded_lead_to_its_successor(self) -> None:
        vault = VaultInMemory()
        old = vault.save("Port 8080.", slug="port", kind="fix")
        other = vault.save("See [[port]] and [[Agent/Memory/fix/port|this]].", slug="other")
        before = vault.text(other)
        vault.evolve(old, "Port 9090.", slug="new-port")
        assert vault.text(other) == before.replace("fix/port|", "fix/new-port|").replace("[[port]]", "[[new-port]]")

    def test_nothing_is_touched_when_the_successor_has_the_name(self) -> None:
        vault = VaultInMemory()
        old = vault.save("Port 8080.", slug="port", kind="fix")
        other = vault.save("See [[port]] and [[Agent/Memory/fix/port|this]].", slug="other")
        before = vault.text(other)
        vault.evolve(old, "Port 9090.")
        assert vault.text(other) == before

    def test_a_chain_names_its_links_after_each_move(self) -> None:
        vault = VaultInMemory()
        one = vault.save("One.", slug="port", kind="fix")
        two = vault.evolve(one, "Two.")
        three = vault.evolve(two, "Three.")
        vault.change(three.with_(status=Status.ARCHIVED))
        assert f'supersedes: "[[{vault.path(one)[:-3]}]]"' in vault.text(two)
        assert f'superseded_by: "[[{vault.path(two)[:-3]}]]"' in vault.text(one)
        assert f'superseded_by: "[[{vault.path(three)[:-3]}]]"' in vault.text(two)
        assert f'supersedes: "[[{vault.path(two)[:-3]}]]"' in vault.text(three)

    def test_a_persons_own_note_is_not_touched_even_then(self) -> None:
        """A12."""
        vault = VaultInMemory()
        old = vault.save("Port 8080.", slug="port", kind="fix")
        vault.edit("Diary.md", b"See [[port]].")
        vault.evolve(old, "Port 9090.", slug="new-port")
        assert vault.files["Diary.md"] == b"See [[port]]."

    def test_other_bytes_of_a_note_that_links_stay_as_they_are(self) -> None:
        """Row 32: also where they are no UTF-8."""
        vault = VaultInMemory()
        old = vault.save("Port 8080.", slug="port", kind="fix")
        raw = b"\xef\xbb\xbfcaf\xe9 [[port]]\r\nend"
        vault.edit("Agent/Memory/fix/latin.md", raw)
        vault.evolve(old, "Port 9090.", slug="new-port")
        assert vault.files["Agent/Memory/fix/latin.md"] == raw.replace(b"[[port]]", b"[[new-port]]")
        assert known_by("Agent/Memory/fix/latin.md") in vault.standing
