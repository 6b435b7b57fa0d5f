"""Where things of the user's own lie: never in whatever folder one happens to be in."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from commonplace import places
from commonplace.errors import InvalidError

FOLDERS = {
    "XDG_DATA_HOME": places.data_folder,
    "XDG_CACHE_HOME": places.cache_folder,
    "XDG_CONFIG_HOME": places.config_path,
}


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.delenv("COMMONPLACE_CONFIG", raising=False)


@pytest.mark.parametrize("variable", FOLDERS)
def test_the_variable_says_where(variable, monkeypatch, tmp_path):
    monkeypatch.setenv(variable, str(tmp_path))
    assert FOLDERS[variable]().startswith(str(tmp_path / "commonplace"))


@pytest.mark.parametrize("variable", FOLDERS)
@pytest.mark.parametrize("said", ["", "here", "./here", "~/here"])
def test_a_relative_one_is_passed_over(variable, said, monkeypatch, tmp_path):
    monkeypatch.setenv(variable, said)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert FOLDERS[variable]().startswith(str(tmp_path))


def test_without_a_home_no_book_is_made_up(monkeypatch):
    for variable in ("XDG_DATA_HOME", "COMMONPLACE_BOOK"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(InvalidError, match="no home") as refused:
        places.configured_url()
    assert "--book" in refused.value.hint
    monkeypatch.setenv("COMMONPLACE_BOOK", "sqlite:/srv/book.sqlite")
    assert places.configured_url() == "sqlite:/srv/book.sqlite"


@pytest.mark.parametrize(
    ("said", "meant"), [("bok", "book"), ("Book", "book"), ("embeder", "embedder"), ("hook", "hooks")]
)
def test_a_misspelt_key_of_the_config_is_refused_with_the_one_that_was_meant(said, meant, monkeypatch, tmp_path):
    """Else another book would be opened in silence."""
    config = tmp_path / "config.toml"
    config.write_text(f'{said} = "sqlite:/srv/book.sqlite"\n')
    monkeypatch.setenv("COMMONPLACE_CONFIG", str(config))
    monkeypatch.delenv("COMMONPLACE_BOOK", raising=False)
    with pytest.raises(InvalidError) as refused:
        places.configured_url()
    assert (refused.value.where, refused.value.hint) == (str(config), f"Did you mean `{meant}`?")


def test_a_key_that_is_quite_unknown_may_be_a_later_versions_and_is_skipped(monkeypatch, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('weather = "fine"\nbook = "sqlite:/srv/book.sqlite"\n[telepathy]\nrange = 3\n')
    monkeypatch.setenv("COMMONPLACE_CONFIG", str(config))
    monkeypatch.delenv("COMMONPLACE_BOOK", raising=False)
    assert places.configured_url() == "sqlite:/srv/book.sqlite"


def test_the_keys_that_are_known_are_those_of_the_page():
    """docs/format/config.md."""
    page = (Path(__file__).parents[2] / "docs" / "format" / "config.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z]+)` \|", page, re.MULTILINE)
    assert {*rows} == places._KEYS
