"""What looks like a secret is not stored, not in the text and not in the tags; ordinary notes pass."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from commonplace.surfaces.tools.aegis_secrets import holds_secret
from commonplace.tools import Toolset

_REFUSED = {"ok": False, "error": "text appears to contain a secret — not stored"}
_BLOB = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7b"

SECRETS = [
    # The cases of the reference (G46, G54).
    "My API key is sk-proj-abc123def456ghi789jkl012mno345",
    "Token: ghp_1234567890abcdefghijklmnopqrstuvwxyz",
    "Use gho_abcdefghijklmnopqrstuvwxyz1234567890",
    "Auth: glpat-abcdefghij1234567890",
    "Slack token xoxb-1234-5678-abcdefghijklmnop",
    "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWI",
    "password: mySuperSecret123!",
    "token: abcdefghijklmnopqrstuvwxyz1234",
    "Key is aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG",
    # The design's own example, shorter than the reference's least length (G42, G-c).
    "Remember my API key is sk-abc123...",
    # Read strictly: one character is enough (G15, G16, G-c).
    "ghp_x", "gho_x", "glpat-x", "xoxb-1", "xoxp-1", "password:x", "PASSWORD: x",
    "my token:x", "api_token: x", "Bearer x", "bearer x",
    "Bearer tokens are used",
    # Any run is looked at, not only the first (G17, G46).
    "a" * 50 + " and then " + _BLOB,
    _BLOB[:20] + "+/" + _BLOB[20:],
]  # fmt: skip
ORDINARY = [
    # The cases of the reference.
    "User prefers Python over JavaScript",
    "The database is PostgreSQL 16",
    "Deploy to us-east-1 on AWS",
    "Use 4-space indentation",
    "API endpoint is /v1/users",
    "The project started in 2024",
    # G-c: these must stay legal.
    "The task-force uses sk-learn", "Take the sk-a12 road",
    "A risk-averse 2024 plan", "Tokens are counted", "the token: ", "password:", "The bearer",
    "a" * 60, "A1" * 30, _BLOB[:39],
    "See src/Components/Widgets/Version2/IndexPage/Controller/Main",
]  # fmt: skip


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_refused_and_nothing_is_written(tools: Toolset, workspace: Path, text: str) -> None:
    """G15-G18."""
    assert tools.dispatch("memory_store", {"text": text}) == _REFUSED
    assert [*workspace.iterdir()] == []


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_note_is_no_secret(text: str) -> None:
    """G-c."""
    assert not holds_secret([text])


@pytest.mark.parametrize("secret", ["ghp_abcdefgh12345678", _BLOB])
def test_a_secret_in_a_tag_is_refused_too(tools: Toolset, workspace: Path, secret: str) -> None:
    """G-i."""
    assert tools.dispatch("memory_store", {"text": "harmless", "tags": ["infra", secret]}) == _REFUSED
    assert [*workspace.iterdir()] == []


def test_what_only_the_common_scanner_knows_is_refused_in_the_same_words(tools: Toolset) -> None:
    """X-16."""
    assert tools.dispatch("memory_store", {"text": "postgres://admin:h7Gk2pQz9w@db.internal/main"}) == _REFUSED


def test_judging_a_long_text_takes_linear_time() -> None:
    """Row 88."""
    for text in ("sk-" * 30_000, "a" * 100_000, "token:" + " " * 100_000, "bearer " * 15_000, "A1a/" * 25_000):
        began = process_time()
        holds_secret([text])
        assert process_time() - began < 2.0
