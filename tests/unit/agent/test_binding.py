"""Where a memory lies: scope and key decide; any key becomes one safe folder name that can be read back."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from commonplace.agent import Host
from commonplace.errors import InvalidError
from commonplace.surfaces.agent.binding import bind, escape, keep_out_of_git, unescape

KEYS = st.text(min_size=1, max_size=22)  # at most four bytes a character and three letters a byte: never too long


class TestEscaping:
    @given(KEYS)
    def test_every_key_can_be_read_back(self, key):
        """V10, V-h: reversible."""
        assume(not any("\ud800" <= char <= "\udfff" for char in key))
        assert unescape(escape(key)) == key

    @given(KEYS, KEYS)
    def test_two_keys_never_share_a_folder_even_where_case_does_not_count(self, one, other):
        """V-h: safe on case-insensitive file systems."""
        assume(one != other)
        assert escape(one).casefold() != escape(other).casefold()

    @given(KEYS)
    def test_a_name_is_one_safe_name(self, key):
        """V10: no separators, no dots, no control characters, nothing that ends in a space."""
        assert re.fullmatch(r"(?:[a-z0-9_-]|%[0-9A-F]{2})+", escape(key))

    @pytest.mark.parametrize(
        ("key", "name"),
        [
            ("user:alice", "user%3Aalice"),
            ("user:alice/ticket:INC-1234", "user%3Aalice%2Fticket%3A%49%4E%43-1234"),
            ("..", "%2E%2E"),
            ("a b", "a%20b"),
            ("100%", "100%25"),
            ("grüße", "gr%C3%BC%C3%9Fe"),
            ("con", "%63on"),
            ("lpt9", "%6Cpt9"),
            ("console", "console"),
        ],
    )
    def test_names_are_what_the_resolution_says(self, key, name):
        """V-h: every byte but `[a-z0-9_-]`, and the first byte of a device's name."""
        assert escape(key) == name
        assert unescape(name) == key

    @pytest.mark.parametrize("key", ["", "x" * 201, "Ä" * 34, "\ud83d"])
    def test_an_empty_or_overlong_key_or_one_that_is_no_text_is_refused(self, key):
        """V-h."""
        with pytest.raises(InvalidError):
            escape(key)

    def test_the_longest_key_fits(self):
        assert escape("x" * 200) == "x" * 200

    @pytest.mark.parametrize("name", ["", "Alice", "a.b", "a%2", "a%zz", "%FF", "a/b"])
    def test_a_name_that_no_key_has_is_refused(self, name):
        with pytest.raises(InvalidError):
            unescape(name)


class TestFolders:
    def test_each_scope_has_its_place(self, tmp_path, home):
        """V9."""
        host = Host(project=str(tmp_path / "p"))
        assert bind({"scope": "project", "key": "k"}, host).folder == str(tmp_path / "p/.vvm/memory/k")
        assert bind({"scope": "user", "key": "k"}, host).folder == str(home / ".vvm/memory/k")
        assert bind({"scope": "path", "key": "k", "path": str(tmp_path / "m")}, host).folder == str(tmp_path / "m/k")

    def test_a_path_is_the_memorys_own_folder_only_where_the_host_says_so(self, tmp_path):
        """V-g."""
        memory = {"scope": "path", "key": "k", "path": str(tmp_path / "m")}
        assert bind(memory, Host(path_is_directory=True)).folder == str(tmp_path / "m")

    def test_a_path_may_start_at_home_or_at_the_project(self, tmp_path, home):
        host = Host(project=str(tmp_path / "p"))
        assert bind({"scope": "path", "key": "k", "path": "~/m"}, host).folder == str(home / "m/k")
        assert bind({"scope": "path", "key": "k", "path": "../m"}, host).folder == str(tmp_path / "m/k")

    def test_without_a_program_the_project_is_the_current_folder(self, tmp_path, monkeypatch):
        """V55."""
        monkeypatch.chdir(tmp_path)
        assert bind({"scope": "project", "key": "k"}, Host()).folder == str(tmp_path / ".vvm/memory/k")

    def test_without_any_folder_there_is_no_project(self, tmp_path, monkeypatch):
        """V55: `rejected`."""
        (tmp_path / "gone").mkdir()
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
        with pytest.raises(InvalidError, match="no project"):
            bind({"scope": "project", "key": "k"}, Host())

    @pytest.mark.parametrize(
        "memory",
        [
            {},
            {"key": "k"},
            {"scope": "project"},
            {"scope": "team", "key": "k"},
            {"scope": "project", "key": 7},
            {"scope": "project", "key": ""},
            {"scope": "path", "key": "k"},
            {"scope": "path", "key": "k", "path": ""},
            {"scope": "path", "key": "k", "path": "a\0b"},
            {"scope": "project", "key": "k", "path": "/tmp"},
            {"scope": "user", "key": "k", "path": "/tmp"},
            {"scope": "project", "key": "k", "mode": "continue"},
        ],
    )
    def test_a_binding_that_says_too_little_or_too_much_is_refused(self, memory):
        """V7: `path` if and only if the scope is `path`."""
        with pytest.raises(InvalidError):
            bind(memory, Host(project="/p"))

    def test_scopes_are_kept_in_the_words_of_a_record(self, tmp_path):
        """X-11: user is global, project is the project's, path belongs to its root."""
        host = Host(project="/work/atlas")
        assert bind({"scope": "project", "key": "k"}, host).owners == {"scope": "project", "project_id": "atlas"}
        assert bind({"scope": "user", "key": "k"}, host).owners == {"scope": "user"}
        owners = bind({"scope": "path", "key": "k", "path": "/srv/memory"}, host).owners
        assert owners == {"scope": "path", "repo_id": "memory"}


class TestGit:
    def test_a_projects_memory_keeps_itself_out_of_git(self, tmp_path):
        """V58."""
        binding = bind({"scope": "project", "key": "k"}, Host(project=str(tmp_path)))
        keep_out_of_git(binding)
        assert (tmp_path / ".vvm/.gitignore").read_text() == "*\n"

    def test_a_persons_own_rules_stay(self, tmp_path):
        os.makedirs(tmp_path / ".vvm")
        (tmp_path / ".vvm/.gitignore").write_text("runs/\n")
        keep_out_of_git(bind({"scope": "project", "key": "k"}, Host(project=str(tmp_path))))
        assert (tmp_path / ".vvm/.gitignore").read_text() == "runs/\n"
