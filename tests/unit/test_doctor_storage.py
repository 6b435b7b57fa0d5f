"""`doctor` shows what is wrong with the storage of documents, in the words of whoever would use it, and goes on (A59)."""

from __future__ import annotations

from pathlib import Path

import pytest

import commonplace


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('[storage]\nbackend = "nope"\n', "there is no storage 'nope'"),
        ('[storage]\nbackend = "vault"\n', "says where"),
        ("[storage\n", ""),
        ("[storage]\nbackend = 7\n", ""),
    ],
)
def test_a_storage_that_cannot_be_used_is_a_finding_and_not_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, said: str
) -> None:
    (tmp_path / "config.toml").write_text(config)
    monkeypatch.setenv("COMMONPLACE_CONFIG", str(tmp_path / "config.toml"))
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}") as book:
        found = [finding for finding in book.doctor().findings if finding.code == "storage"]
    assert len(found) == 1
    assert said in found[0].message


def test_a_storage_that_can_be_used_is_not_spoken_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.delenv("MEMORY_VAULT_PATH", raising=False)
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}") as book:
        assert book.doctor().ok
