"""Where things of the user's own lie: never in whatever folder one happens to be in."""

from __future__ import annotations

import os

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
