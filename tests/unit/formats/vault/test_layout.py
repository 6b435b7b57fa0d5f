"""Where notes lie: which memory goes into which folder, and what a folder says about a note (A8-A22, A-a, A-o)."""

from __future__ import annotations

import pytest

from commonplace.formats.vault.layout import Layout, Spot
from commonplace.formats.vault.names import file_stem, plain_name, safe_name
from commonplace.formats.vault.patch import held
from commonplace.model.words import Status, Tier
from commonplace.testing.makers import a_memory

LAYOUT = Layout()


@pytest.mark.parametrize(
    ("fields", "folder"),
    [
        ({"kind": "workflow", "tier": "T3"}, "Agent/Memory/workflow"),
        ({"kind": "domain-reference", "tier": "T2"}, "Agent/Memory/domain-reference"),
        ({"kind": "idea", "tier": "T3"}, "Agent/Memory/_idea-incubator"),
        ({"kind": "crystallized", "tier": "T3"}, "Agent/Memory/crystallized"),
        ({"kind": "procedural", "tier": "T3"}, "Agent/Memory/procedural"),
        ({"kind": "preference", "tier": "T2"}, "Agent/preferences"),
        ({"kind": "preference", "tier": "T3"}, "Agent/Memory/preference"),
        ({"kind": "feedback", "tier": "T2"}, "Agent/feedback"),
        ({"kind": "decision", "scope": "project", "project_id": "atlas"}, "Agent/projects/atlas/decision"),
        ({"kind": "fix", "always_load": True, "tier": "T3"}, "Agent/Memory/_always-load"),
        ({"kind": "fix", "always_load": True, "tier": "T2"}, "Agent/_always-load"),
        ({"kind": "fix", "status": "inbox", "tier": "T2"}, "Agent/Memory/_inbox"),
        ({"kind": "fix", "status": "archived", "tier": "T3"}, "Agent/Memory/_archive"),
        ({"kind": "fix", "status": "superseded", "tier": "T2"}, "Agent/_archive"),
        ({"kind": "fix", "status": "inbox", "always_load": True}, "Agent/Memory/_inbox"),
    ],
)
def test_kind_status_and_tier_pick_the_folder(fields: dict[str, str], folder: str) -> None:
    """A9, A10, A16, A17, A20, A22, A68: `always_load` whatever the group; an archive at every tier."""
    assert LAYOUT.home(held(a_memory(**fields))) == folder


@pytest.mark.parametrize(
    ("path", "spot"),
    [
        ("Daily/2026-05-03.md", Spot(Tier.T1)),
        ("note.md", Spot(Tier.T1)),
        ("Work/_archive/note.md", Spot(Tier.T1, status=Status.ARCHIVED)),
        ("Work/_inbox/note.md", Spot(Tier.T1)),
        ("Agent/Memory/workflow/x.md", Spot(Tier.T3, "workflow")),
        ("Agent/Memory/_inbox/x.md", Spot(Tier.T3, status=Status.INBOX)),
        ("Agent/Memory/_idea-incubator/x.md", Spot(Tier.T3, "idea")),
        ("Agent/Memory/_always-load/x.md", Spot(Tier.T3, always_load=True)),
        ("Agent/_always-load/x.md", Spot(Tier.T2, always_load=True)),
        ("Agent/_archive/x.md", Spot(Tier.T2, status=Status.ARCHIVED)),
        ("Agent/preferences/x.md", Spot(Tier.T2, "preference")),
        ("Agent/projects/atlas/decision/x.md", Spot(Tier.T2, "decision", "atlas")),
        ("Agent/projects/atlas/roadmap.md", Spot(Tier.T2, None, "atlas")),
        ("Agent/projects/a%2Fb/x.md", Spot(Tier.T2, None, "a/b")),
        ("Agent/loose.md", Spot(Tier.T2)),
        ("Agents/x.md", Spot(Tier.T1)),
    ],
)
def test_a_folder_tells_tier_kind_project_and_status(path: str, spot: Spot) -> None:
    """A12-A14, A19: T1 is what lies outside of the store root, T3 is `Memory/`, T2 the rest."""
    assert LAYOUT.spot(path) == spot


def test_every_name_can_be_another() -> None:
    """A-o: the folder names are one object."""
    other = Layout(store="KI", memory="Wissen", inbox="_eingang", projects="vorhaben")
    assert other.home(held(a_memory(kind="fix", tier="T3"))) == "KI/Wissen/fix"
    assert other.home(held(a_memory(status="inbox"))) == "KI/Wissen/_eingang"
    assert other.spot("KI/vorhaben/atlas/fix/x.md") == Spot(Tier.T2, "fix", "atlas")
    assert other.is_personal("Agent/Memory/fix/x.md")
    assert other.index_path == "KI/Wissen/_index.md"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("deploy-on-friday", "deploy-on-friday"),
        ("atlas", "atlas"),
        ("a/b", "a%2Fb"),
        ("..", "%2E%2E"),
        (".hidden", "%2Ehidden"),
        ("_inbox", "%5Finbox"),
        ("-rf", "%2Drf"),
        ("con", "%63on"),
        ("COM1.x", "%43OM1.x"),
        ("trailing. ", "trailing.%20"),
        ("a:b", "a%3Ab"),
        ("50%", "50%25"),
        ("line\nbreak", "line%0Abreak"),
        ("[[x|y#z^]]", "%5B%5Bx%7Cy%23z%5E%5D%5D"),
        ("日本語", "日本語"),
    ],
)
def test_any_text_has_a_safe_name_that_gives_it_back(text: str, name: str) -> None:
    """Row 45."""
    assert safe_name(text) == name
    assert plain_name(name) == text


def test_a_long_name_is_cut_and_stays_apart_from_others() -> None:
    """Row 45: 64 emoji are 256 bytes, more than a file system takes."""
    one, other = safe_name("\U0001f985" * 64), safe_name("\U0001f985" * 65)
    assert one != other
    assert max(len(one.encode()), len(other.encode())) <= 120


def test_a_note_without_a_slug_is_called_by_its_words_in_any_script() -> None:
    assert file_stem("", "配備は月曜日", "x", "01AB") == "配備は月曜日"
    assert file_stem("", None, "Größe: 5 cm!", "01AB") == "größe-5-cm"
    assert file_stem("", None, "!!!", "01M7G1X7951CZ3GKZE87EK02FT") == "note-7ek02ft"[:5] + "87ek02ft"
