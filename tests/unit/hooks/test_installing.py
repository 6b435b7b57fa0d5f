"""`install` shows and makes one exact change in an agent's settings; `uninstall` takes back exactly that."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from commonplace.errors import ConflictError, InvalidError, UnavailableError
from commonplace.surfaces.hooks import openclaw
from commonplace.surfaces.hooks.hosts import HOSTS
from commonplace.surfaces.hooks.installing import (
    Change,
    apply,
    openclaw_to_install,
    openclaw_to_uninstall,
    to_install,
    to_uninstall,
)
from commonplace.surfaces.hooks.recipes import RECIPES, commands_for, is_ours

CLAUDE = RECIPES["claude-code"]
COMMANDS = {name: commands_for(host, "/bin/commonplace", [], capture=False) for name, host in HOSTS.items()}
MINE = '{\n\t"model": "opus", // mine\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}\n}'


@pytest.fixture
def file(home: Path) -> Path:
    (home / ".claude").mkdir()
    return home / ".claude" / "settings.json"


def _install(file: Path) -> Change:
    change = to_install(CLAUDE, str(file), COMMANDS["claude-code"])
    apply(change)
    return change


def _uninstall(file: Path) -> Change:
    change = to_uninstall(CLAUDE, str(file))
    apply(change)
    return change


@pytest.mark.parametrize("name", RECIPES)
def test_where_there_was_no_file_there_is_one_and_then_none(name: str, home: Path) -> None:
    recipe = RECIPES[name]
    path = recipe.path("user")
    assert path.startswith(str(home))
    apply(to_install(recipe, path, COMMANDS[name]))
    said = json.loads(Path(path).read_text())
    assert set(said["hooks"]) == set(recipe.host.events.values())
    apply(to_uninstall(recipe, path))
    assert not os.path.lexists(path)
    assert not os.path.lexists(f"{path}.before-commonplace")


def test_installed_again_with_another_program_it_still_goes_as_a_whole(home: Path, file: Path) -> None:
    """What is kept aside is the file from before the hooks, never one that holds them already."""
    _install(file)
    apply(to_install(CLAUDE, str(file), commands_for(HOSTS["claude-code"], "/else/commonplace", [], capture=True)))
    _uninstall(file)
    assert [path.name for path in file.parent.iterdir()] == []


def test_a_persons_file_keeps_everything_is_kept_aside_once_and_comes_back_to_the_byte(file: Path) -> None:
    file.write_text(MINE)
    file.chmod(0o644)
    _install(file)
    aside = Path(f"{file}.before-commonplace")
    assert aside.read_text() == MINE
    assert MINE.splitlines()[1] in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o644
    assert not _install(file).is_one, "twice is once"
    _uninstall(file)
    assert file.read_text() == MINE
    assert not aside.exists()


def test_what_a_person_changed_in_between_stays(file: Path) -> None:
    file.write_text(MINE)
    _install(file)
    file.write_text(file.read_text().replace('"opus"', '"haiku"'))
    _uninstall(file)
    assert file.read_text() == MINE.replace('"opus"', '"haiku"')


def test_an_empty_list_that_was_there_before_is_there_again(file: Path) -> None:
    file.write_text('{ "hooks" : { "SessionStart":[ ] } }')
    _install(file)
    _uninstall(file)
    assert file.read_text() == '{ "hooks" : { "SessionStart":[ ] } }'


def test_another_program_path_replaces_the_old_one_in_its_place(file: Path) -> None:
    _install(file)
    moved = commands_for(CLAUDE.host, "/opt/commonplace", ["--book=sqlite:/x y"], capture=True)
    apply(to_install(CLAUDE, str(file), moved))
    text = file.read_text()
    assert "/bin/commonplace" not in text
    assert text.count("hook prompt") == 1
    assert "'--book=sqlite:/x y'" in text


def test_capture_is_only_in_the_commands_if_it_was_asked_for() -> None:
    assert "--capture" not in json.dumps(COMMANDS)
    asked = commands_for(CLAUDE.host, "commonplace", [], capture=True)
    assert [moment for moment, command in asked.items() if "--capture" in command] == [
        "session-start",
        "pre-compact",
        "session-end",
    ]


def test_a_dry_run_shows_the_change_and_makes_none(file: Path) -> None:
    file.write_text(MINE)
    shown = "\n".join(to_install(CLAUDE, str(file), COMMANDS["claude-code"]).diff())
    assert "+" in shown
    assert "hook session-start --host claude-code" in shown
    assert file.read_text() == MINE
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    "odd", ["{", "not json", "[]", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', "\xff\xfe", '"text"', "{} {}"]
)
def test_a_file_that_is_not_understood_is_left_alone_with_a_hint(file: Path, odd: str) -> None:
    file.write_bytes(odd.encode("latin-1"))
    with pytest.raises(InvalidError) as raised:
        _install(file)
    assert "--print" in raised.value.hint
    assert file.read_bytes() == odd.encode("latin-1")


def test_a_link_to_a_file_elsewhere_stays_a_link(file: Path, home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "settings.json").write_text(MINE)
    file.symlink_to(home / "dotfiles" / "settings.json")
    _install(file)
    assert file.is_symlink()
    assert "hook prompt" in (home / "dotfiles" / "settings.json").read_text()
    _uninstall(file)
    assert file.read_text() == MINE


@pytest.mark.parametrize("undo", [False, True])
def test_a_file_that_is_read_only_is_left_alone_with_a_hint(file: Path, undo: bool) -> None:
    """Replacing it would go past its mode."""
    file.write_text(MINE)
    if undo:
        _install(file)
    before = file.read_text()
    file.chmod(0o444)
    with pytest.raises(UnavailableError) as told:
        _uninstall(file) if undo else _install(file)
    assert (told.value.code, file.read_text()) == ("read_only", before)
    assert told.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
def test_the_superuser_does_not_make_a_persons_settings_their_own(file: Path) -> None:
    file.write_text(MINE)
    file.chmod(0o600)
    os.chown(file, 1234, 1235)
    _install(file)
    aside = Path(f"{file}.before-commonplace")
    assert [(found.st_uid, found.st_gid, found.st_mode & 0o777) for found in (file.stat(), aside.stat())] == [
        (1234, 1235, 0o600)
    ] * 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
def test_a_file_that_the_superuser_begins_belongs_to_whom_its_folder_belongs(file: Path) -> None:
    os.chown(file.parent, 1234, 1235)
    _install(file)
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1235)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_the_superuser_makes_no_folder_of_their_own_in_a_persons_home(file: Path) -> None:
    file.parent.rmdir()
    os.chown(file.parent.parent, 1234, 1235)
    with pytest.raises(UnavailableError) as told:
        _install(file)
    assert "without sudo" in told.value.hint
    assert not file.parent.exists()
    os.chown(file.parent.parent, 0, 0)
    _install(file)
    assert file.stat().st_uid == 0


def test_a_file_that_changed_meanwhile_is_not_overwritten(file: Path) -> None:
    file.write_text(MINE)
    planned = to_install(CLAUDE, str(file), COMMANDS["claude-code"])
    file.write_text("{}")
    with pytest.raises(ConflictError):
        apply(planned)
    assert file.read_text() == "{}"


def test_uninstalling_where_nothing_is_installed_changes_nothing(file: Path) -> None:
    assert not _uninstall(file).is_one
    file.write_text(MINE)
    assert not _uninstall(file).is_one
    assert file.read_text() == MINE


def test_a_command_of_ours_in_somebodys_group_is_taken_out_alone(file: Path) -> None:
    own = {"type": "command", "command": "beep"}
    ours = {"type": "command", "command": "nice commonplace hook prompt --host=claude-code --within 2"}
    file.write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"matcher": "", "hooks": [own, ours]}]}}))
    _uninstall(file)
    assert json.loads(file.read_text()) == {"hooks": {"UserPromptSubmit": [{"matcher": "", "hooks": [own]}]}}


@pytest.mark.parametrize(
    "command",
    ["", "commonplace", "commonplace hook", "other hook prompt --host claude-code", "commonplace hook prompt", "it's", 7, None,
     "commonplace hook prompt --host codex", "hook prompt --host claude-code # commonplace"],
)  # fmt: skip
def test_commands_of_others_are_not_ours(command: object) -> None:
    assert not is_ours(command, HOSTS["claude-code"])


def test_the_projects_own_settings_lie_in_the_project(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert CLAUDE.path("project") == str(home / ".claude" / "settings.json")
    assert RECIPES["codex"].path("project") == str(home / ".codex" / "hooks.json")


def test_openclaws_hook_is_a_folder_of_its_own_that_goes_as_a_whole(home: Path) -> None:
    for change in openclaw_to_install(COMMANDS["openclaw"]):
        apply(change)
    folder = home / ".openclaw" / "hooks" / "commonplace"
    assert {path.name for path in folder.iterdir()} == {"HOOK.md", "handler.js"}
    assert '"--host",' in (folder / "handler.js").read_text()
    assert not any(change.is_one for change in openclaw_to_install(COMMANDS["openclaw"]))
    for change in openclaw_to_uninstall():
        apply(change)
    assert not folder.exists()
    assert folder.parent.exists()


def test_a_file_that_somebody_rewrote_in_openclaws_folder_stays(home: Path) -> None:
    for change in openclaw_to_install(COMMANDS["openclaw"]):
        apply(change)
    handler = home / ".openclaw" / "hooks" / "commonplace" / "handler.js"
    handler.write_text("export default () => {}")
    for change in openclaw_to_uninstall():
        apply(change)
    assert [path.name for path in handler.parent.iterdir()] == ["handler.js"]
    assert openclaw.folder() == str(handler.parent)
