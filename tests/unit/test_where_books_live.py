"""Where a book lives when nobody says: the environment, then the config file, then the user's own folder (design "URLs")."""

from __future__ import annotations

import pytest

import commonplace
from commonplace.errors import InvalidError
from commonplace.wiring import configured_url


@pytest.fixture(autouse=True)
def nowhere_configured(monkeypatch, tmp_path):
    for name in ("COMMONPLACE_BOOK", "COMMONPLACE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def config(tmp_path):
    (tmp_path / "config" / "commonplace").mkdir(parents=True)
    return tmp_path / "config" / "commonplace" / "config.toml"


def test_in_the_users_data_folder_if_nothing_is_said(tmp_path):
    with commonplace.open() as book:
        book.save("One.", type="episode")
    assert (tmp_path / "data" / "commonplace" / "book.sqlite").exists()


def test_where_the_config_file_says(tmp_path, config):
    config.write_text(f'book = "sqlite:{tmp_path}/configured.sqlite"')
    with commonplace.open() as book:
        assert book.url.endswith("configured.sqlite")


def test_where_the_environment_says_before_the_config_file(tmp_path, config, monkeypatch):
    config.write_text('book = "sqlite:/nowhere/configured.sqlite"')
    monkeypatch.setenv("COMMONPLACE_BOOK", f"sqlite:{tmp_path}/env.sqlite")
    with commonplace.open() as book:
        assert book.url.endswith("env.sqlite")


def test_where_the_caller_says_before_all(tmp_path, monkeypatch):
    monkeypatch.setenv("COMMONPLACE_BOOK", "sqlite:/nowhere/env.sqlite")
    with commonplace.open(f"sqlite:{tmp_path}/said.sqlite") as book:
        assert book.url.endswith("said.sqlite")


@pytest.mark.parametrize("content", ["not toml [", 'book = "nonsense"', "book = 7", b"\xff\xfe"])
def test_a_config_that_makes_no_sense_is_said_and_nothing_else_is_opened(tmp_path, config, content):
    config.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidError) as refused:
        commonplace.open()
    assert refused.value.hint
    assert not (tmp_path / "data").exists()


def test_a_config_that_does_not_speak_of_books_is_fine(config):
    config.write_text('colour = "blue"')
    assert configured_url().startswith("sqlite:")


def test_a_tilde_is_the_users_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    with commonplace.open("sqlite:~/notes.sqlite") as book:
        book.save("One.", type="episode")
    assert (tmp_path / "notes.sqlite").exists()
