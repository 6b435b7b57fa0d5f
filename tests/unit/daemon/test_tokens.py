"""Tokens on disk and in use: hashes only, for the user alone, void the moment they are taken back (rows 94, 105)."""

from __future__ import annotations

import json
import os
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace.errors import ConflictError, InvalidError, NotFoundError
from commonplace.surfaces.http import tokens
from commonplace.surfaces.http.tokens import Keyring, Right, made


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def test_the_file_is_the_users_alone_and_holds_no_secret(tmp_path):
    before = os.umask(0)
    try:
        token, secret = made("claude", "write")
        tokens.add(token)
    finally:
        os.umask(before)
    path = tokens.tokens_path()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    assert secret not in Path(path).read_text()
    assert tokens.hashed(secret) in Path(path).read_text()
    assert len(secret) > 40


def test_a_token_lets_in_until_it_is_revoked_or_rotated():
    token, secret = made("claude", "write")
    keyring = Keyring()
    assert keyring.holder(secret.encode()) is None
    tokens.add(token)
    assert keyring.holder(secret.encode()).name == "claude"
    _, renewed = tokens.rotate("claude")
    assert keyring.holder(secret.encode()) is None
    assert keyring.holder(renewed.encode()).scope is Right.WRITE
    tokens.revoke("claude")
    assert keyring.holder(renewed.encode()) is None


def test_a_token_that_is_over_lets_nobody_in():
    token, secret = made("claude", "read", expires_at=datetime.now(UTC) - timedelta(seconds=1))
    tokens.add(token)
    assert Keyring().holder(secret.encode()) is None


@pytest.mark.parametrize("scope", ["", "*", "admin", "READ", None, "read,write"])
def test_without_a_scope_there_is_no_token(scope):
    """Row 129."""
    with pytest.raises(InvalidError):
        made("claude", scope)


@pytest.mark.parametrize(
    "options", [{"books": ()}, {"books": ("",)}, {"projects": ()}, {"projects": ("",)}, {"actor": "a\nb"}]
)
def test_a_token_for_nothing_is_none(options):
    with pytest.raises(InvalidError):
        made("claude", "read", **options)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "../x", "x" * 65, "a\n"])
def test_a_name_is_a_word(name):
    with pytest.raises(InvalidError):
        made(name, "read")


@pytest.mark.parametrize("damage", ["scope", "books", "hash", "actor"])
def test_an_entry_without_its_limits_lets_nobody_in(damage):
    """Taken out by hand, a limit is not taken for "everything"."""
    token, secret = made("claude", "read")
    tokens.add(token)
    plain = json.loads(Path(tokens.tokens_path()).read_text())
    del plain["tokens"][0][damage]
    Path(tokens.tokens_path()).write_text(json.dumps(plain))
    assert Keyring().holder(secret.encode()) is None


def test_the_right_to_speak_for_others_is_never_in_the_file():
    token, secret = made("claude", "read")
    tokens.add(token)
    plain = json.loads(Path(tokens.tokens_path()).read_text())
    plain["tokens"][0]["speaks_for_others"] = True
    Path(tokens.tokens_path()).write_text(json.dumps(plain))
    assert Keyring().holder(secret.encode()).speaks_for_others is False


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 2, "tokens": []}', '{"version": 1, "tokens": {}}', "\0", "null"]
)
def test_a_file_that_cannot_be_read_is_an_error_and_not_empty(text):
    tokens.begin()
    Path(tokens.tokens_path()).write_text(text)
    with pytest.raises(InvalidError):
        tokens.read()
    with pytest.raises(InvalidError):
        tokens.add(made("x", "read")[0])


def test_a_file_that_is_spoilt_while_it_runs_lets_nobody_in_but_the_users_own():
    token, secret = made("claude", "write")
    own, owners = made("own", "operator")
    tokens.add(token)
    keyring = Keyring(own=(own,))
    assert keyring.holder(secret.encode())
    Path(tokens.tokens_path()).write_text("{")
    assert keyring.holder(secret.encode()) is None
    assert keyring.holder(owners.encode()).name == "own"


def test_names_are_taken_once_and_what_is_not_there_cannot_be_revoked():
    tokens.add(made("claude", "read")[0])
    with pytest.raises(ConflictError):
        tokens.add(made("claude", "write")[0])
    with pytest.raises(NotFoundError):
        tokens.revoke("nobody")
    with pytest.raises(NotFoundError):
        tokens.rotate("nobody")


def test_many_who_add_at_once_all_have_theirs():
    def add(number):
        tokens.add(made(f"client-{number}", "read")[0])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens.read().tokens) == 12


def test_no_secret_is_ever_the_same():
    assert len({made("x", "read")[1] for _ in range(100)}) == 100
