"""What an incident's note must not hold (A71)."""

from __future__ import annotations

import time

import pytest

from commonplace.model.incident import scrub

from .vault_shelf import VaultInMemory


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("mail ann.lee+x@example.co.uk now", "mail [REDACTED-EMAIL] now"),
        ("in /home/ann/src/app.py", "in [REDACTED-HOME-PATH]/src/app.py"),
        ("in /Users/Ann Lee/x", "in [REDACTED-HOME-PATH] Lee/x"),
        (r"in C:\Users\ann\x", r"in [REDACTED-HOME-PATH]\x"),
        ("as /root/.ssh", "as [REDACTED-HOME-PATH]/.ssh"),
        ("key sk-abcdefghijklmnop1234", "key [REDACTED-API-KEY]"),
        ("AKIAABCDEFGHIJKLMNOP", "[REDACTED-API-KEY]"),
        ("ghp_abcdefghijklmnopqrstuvwx", "[REDACTED-API-KEY]"),
        ("api_key = abcdefghijklmnop", "[REDACTED-API-KEY]"),
        ("call 555-123-4567 or (555) 123-4567 or +1 555.123.4567", "call " + " or ".join(["[REDACTED-PHONE]"] * 3)),
    ],
)
def test_people_places_and_keys_are_taken_out(text: str, clean: str) -> None:
    assert scrub(text) == clean
    assert scrub(clean) == clean


@pytest.mark.parametrize(
    "text", ["@decorator", "a@b", "/homepage", "/rootless", "2026-05-03", "555-1234", "sk-short", "v1.2.3"]
)
def test_the_rest_stays(text: str) -> None:
    assert scrub(text) == text


def test_an_incident_is_scrubbed_before_it_is_written_and_nothing_else_is() -> None:
    vault = VaultInMemory()
    incident = vault.save(
        "ann@example.org broke /home/ann/x", kind="failure-incident", title="ann@example.org", slug="i"
    )
    assert "example.org" not in vault.text(incident)
    assert "[REDACTED-EMAIL] broke [REDACTED-HOME-PATH]/x" in vault.text(incident)
    assert "ann@example.org" in vault.text(vault.save("ask ann@example.org", kind="fix", slug="f"))
    assert vault.change(incident.with_(occurrences=2)).steps == []


@pytest.mark.parametrize(
    "text", ["a@" * 50_000, "." * 100_000 + "@", "/home/" * 30_000, "1 " * 50_000, "token: " * 20_000]
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    scrub(text)
    assert time.process_time() - began < 1.0
