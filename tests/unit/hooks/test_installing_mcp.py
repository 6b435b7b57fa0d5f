"""`install mcp` shows and makes one exact change in an agent's list of servers; `uninstall mcp` takes back exactly that (A81)."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.errors import ConflictError, InvalidError
from commonplace.surfaces.cli.install_mcp import Server
from commonplace.surfaces.hooks.hosts import HOSTS
from commonplace.surfaces.hooks.installing import Change, apply, to_install, to_put, to_take, to_uninstall
from commonplace.surfaces.hooks.mcp_clients import CLIENTS, NAME, Client
from commonplace.surfaces.hooks.mcp_entry import entry_in, is_ours, with_entry, without_entry
from commonplace.surfaces.hooks.recipes import RECIPES, commands_for

COMMAND = ["/bin/commonplace", "mcp"]
THEIRS = {
    False: '{\n\t"theme": "dark", // mine\n\t"LIST": {"files": {"command": "files-server", "args": ["-v"]}}\n}',
    True: '# mine\nmodel = "gpt"  # the good one\n\n[mcp_servers.files]\ncommand = "files-server"\n\n[tui]\nbell = true',
}


def _theirs(client: Client) -> str:
    if client.toml or len(client.inside) == 1:
        return THEIRS[client.toml].replace("LIST", client.inside[0])
    return THEIRS[False].replace('"LIST": {', '"mcp": {"servers": {').replace("}\n}", "}}\n}")


def _server(client: Client, *more: str) -> Server:
    return Server(client, client.entry([*COMMAND, *more]))


def _said(client: Client, path: str) -> dict[str, Any]:
    found = entry_in(Path(path).read_text(), client)
    assert found is not None
    return found


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Client:
    return CLIENTS[request.param]


@pytest.fixture
def path(client: Client, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(home)
    found = client.path(client.levels[0])
    assert found.startswith(str(home))
    return found


def _install(client: Client, path: str, *more: str) -> Change:
    change = to_put(_server(client, *more), path)
    apply(change)
    return change


def _uninstall(client: Client, path: str) -> Change:
    change = to_take(_server(client), path)
    apply(change)
    return change


def test_where_there_was_no_file_there_is_one_and_then_none(client: Client, path: str) -> None:
    _install(client, path)
    assert _said(client, path) == client.entry(COMMAND)
    _uninstall(client, path)
    assert not os.path.lexists(path)
    assert not os.path.lexists(f"{path}.before-commonplace-mcp")


def test_a_persons_file_keeps_everything_and_comes_back_to_the_byte(client: Client, path: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(_theirs(client))
    os.chmod(path, 0o640)
    change = _install(client, path)
    text = Path(path).read_text()
    assert [line for line in change.diff() if line.startswith("-") and not line.startswith("---")] in ([], *_LAST_LINES)
    assert all(word in text for word in ("files-server", "mine"))
    assert _said(client, path)["command"] == "/bin/commonplace"
    assert Path(f"{path}.before-commonplace-mcp").read_text() == _theirs(client)
    assert os.stat(path).st_mode & 0o777 == 0o640
    _uninstall(client, path)
    assert Path(path).read_text() == _theirs(client)
    assert not os.path.lexists(f"{path}.before-commonplace-mcp")


_LAST_LINES = (
    ['-\t"mcpServers": {"files": {"command": "files-server", "args": ["-v"]}}'],
    ['-\t"servers": {"files": {"command": "files-server", "args": ["-v"]}}'],
    ['-\t"mcp": {"servers": {"files": {"command": "files-server", "args": ["-v"]}}}'],
    ["-bell = true"],
)
"""What a diff may take away to put it back with a comma behind it, or with the end of a line."""


def test_what_is_said_about_the_next_table_stays_with_it() -> None:
    codex = CLIENTS["codex"]
    installed = with_entry('model = "gpt"\r\n', codex, codex.entry(COMMAND))
    assert installed.count("\n") == installed.count("\r\n"), "line ends as they were"
    added = '\r\n# the one that I need\r\n[[profiles]]\r\nname = "a" # first\r\n'
    assert without_entry(installed + added, codex) == 'model = "gpt"\r\n' + added


def test_planning_writes_nothing_and_twice_is_once(client: Client, path: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(_theirs(client))
    before = sorted(Path(path).parent.iterdir())
    assert to_put(_server(client), path).is_one
    assert (Path(path).read_text(), sorted(Path(path).parent.iterdir())) == (_theirs(client), before)
    _install(client, path)
    once = Path(path).read_text()
    assert not _install(client, path).is_one
    assert Path(path).read_text() == once
    assert Path(f"{path}.before-commonplace-mcp").read_text() == _theirs(client)


def test_what_somebody_added_by_hand_stays_when_it_is_installed_again(client: Client, path: str) -> None:
    """Options behind ours, variables beside it; only where the program lies is brought up to date."""
    _install(client, path, "--book=sqlite:/x")
    entry = {**_said(client, path), "env": {"COMMONPLACE_ACTOR": "agent:me"}}
    entry["args"] = [*entry["args"], "--project", "atlas", "--direct"]
    Path(path).write_text(with_entry(without_entry(Path(path).read_text(), client), client, entry))
    apply(to_put(Server(client, client.entry(["/elsewhere/commonplace", "mcp", "--book=sqlite:/y"])), path))
    assert _said(client, path) == {
        **entry, "command": "/elsewhere/commonplace", "args": ["mcp", "--book=sqlite:/y", "--project", "atlas", "--direct"],
    }  # fmt: skip
    _uninstall(client, path)
    assert NAME not in (Path(path).read_text() if os.path.exists(path) else "")


def test_a_file_that_was_edited_meanwhile_loses_only_our_entry(client: Client, path: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(_theirs(client))
    _install(client, path)
    edited = Path(path).read_text().replace("mine", "mine, and older")
    Path(path).write_text(edited)
    _uninstall(client, path)
    assert Path(path).read_text().rstrip() == _theirs(client).replace("mine", "mine, and older")


def test_another_server_of_that_name_is_left_alone(client: Client, path: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(_theirs(client).replace("files]", f"{NAME}]").replace('"files"', f'"{NAME}"'))
    before = Path(path).read_text()
    with pytest.raises(ConflictError):
        _install(client, path)
    assert not _uninstall(client, path).is_one
    assert Path(path).read_text() == before


@pytest.mark.parametrize(
    "said", ["[[mcp_servers]]\nx = 1\n", "mcp_servers = 3\n", 'mcp_servers = { a = "b" }\n', "no [toml"]
)
def test_toml_in_another_form_is_not_touched(said: str, home: Path) -> None:
    client = CLIENTS["codex"]
    file = Path(client.path("user"))
    file.parent.mkdir()
    file.write_text(said)
    with pytest.raises(InvalidError):
        to_put(_server(client), str(file))
    assert file.read_text() == said


@given(st.lists(st.text(min_size=1, max_size=12).filter(lambda word: "\x7f" not in word), min_size=1, max_size=4))
def test_whatever_the_program_is_called_toml_and_json_say_the_same(words: list[str]) -> None:
    entry = CLIENTS["codex"].entry(["commonplace", "mcp", *words])
    toml = with_entry("", CLIENTS["codex"], entry)
    assert tomllib.loads(toml)["mcp_servers"][NAME] == entry
    assert json.loads(with_entry("{}", CLIENTS["cursor"], entry))["mcpServers"][NAME] == entry
    assert without_entry(toml, CLIENTS["codex"]) == ""


def test_hooks_and_the_server_in_one_file_go_in_any_order(home: Path) -> None:
    """Gemini keeps both in its settings."""
    client, recipe = CLIENTS["gemini"], RECIPES["gemini"]
    commands = commands_for(HOSTS["gemini"], "/bin/commonplace", [], capture=False)
    path = client.path("user")
    assert path == recipe.path("user")
    for first in ("hooks", "mcp"):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(_theirs(client))
        apply(to_install(recipe, path, commands))
        _install(client, path)
        for what in ("hooks", "mcp") if first == "hooks" else ("mcp", "hooks"):
            apply(to_uninstall(recipe, path) if what == "hooks" else to_take(_server(client), path))
        assert Path(path).read_text() == _theirs(client)
        for aside in home.rglob("*before-commonplace*"):
            aside.unlink()


def test_what_is_ours_starts_our_mcp() -> None:
    assert is_ours({"command": "commonplace", "args": ["mcp", "--project", "x"]})
    assert is_ours({"command": "/venv/bin/python", "args": ["-P", "-m", "commonplace", "mcp"]})
    assert not is_ours({"command": "commonplace", "args": ["serve"]})
    assert not is_ours({"command": "mcp", "args": ["commonplace"]})
    assert not is_ours({"url": "http://127.0.0.1:7821/mcp"})
