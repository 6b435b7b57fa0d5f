"""Anchors: a memory about a file or a commit is stale when that moved, and asking never leaves the working tree."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.retrieve.ages import age
from commonplace.retrieve.anchors import MAX_FILE_BYTES, Standing, Tree

HOLDS, MOVED, UNKNOWN = Standing.HOLDS, Standing.MOVED, Standing.UNKNOWN


def anchor_to(path, content: bytes) -> str:
    return f"file:{path}@sha256:{sha256(content).hexdigest()}"


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_bytes(b"one")
    (tmp_path / "outside.txt").write_bytes(b"outside")
    return root


class TestFiles:
    def test_a_file_that_is_as_it_was_holds(self, root):
        assert Tree(str(root)).standing(anchor_to("src/app.py", b"one")) is HOLDS

    def test_a_file_that_changed_or_is_gone_has_moved(self, root):
        assert Tree(str(root)).standing(anchor_to("src/app.py", b"two")) is MOVED
        assert Tree(str(root)).standing(anchor_to("src/gone.py", b"one")) is MOVED
        assert Tree(str(root)).standing(anchor_to("src/app.py/deeper.py", b"one")) is MOVED

    def test_a_short_hash_will_do(self, root):
        assert Tree(str(root)).standing(f"file:src/app.py@{sha256(b'one').hexdigest()[:12]}") is HOLDS

    def test_one_of_several_is_enough_to_be_stale(self, root):
        anchors = (anchor_to("src/app.py", b"one"), anchor_to("src/app.py", b"two"))
        assert Tree(str(root)).is_stale(anchors)
        assert not Tree(str(root)).is_stale(anchors[:1])
        assert not Tree(str(root)).is_stale(())

    @pytest.mark.parametrize(
        "path",
        ["../outside.txt", "src/../../outside.txt", "/etc/hostname", "src//app.py", "./src/app.py", "..", "", "..\\outside.txt",
         "C:/x", "//host/share", "%2e%2e/outside.txt", "src/" + "a/" * 100 + "b", "x" * 1900],
    )  # fmt: skip
    def test_a_path_that_leads_out_is_never_called_the_file_it_names(self, root, path):
        """Whatever is outside, the anchor cannot be used to learn its hash or whether it is there."""
        for content in (b"outside", b"else"):
            assert Tree(str(root)).standing(anchor_to(path, content)) is not HOLDS

    def test_links_are_not_followed(self, root, tmp_path):
        (root / "link.txt").symlink_to(tmp_path / "outside.txt")
        (root / "folder").symlink_to(tmp_path)
        assert Tree(str(root)).standing(anchor_to("link.txt", b"outside")) is UNKNOWN
        assert Tree(str(root)).standing(anchor_to("folder/outside.txt", b"outside")) is UNKNOWN

    def test_a_pipe_a_folder_and_a_giant_are_not_read(self, root):
        os.mkfifo(root / "pipe")
        with (root / "giant").open("wb") as file:
            file.truncate(MAX_FILE_BYTES + 1)
        for name in ("pipe", "src", "giant"):
            assert Tree(str(root)).standing(anchor_to(name, b"")) is UNKNOWN

    def test_no_tree_no_answer(self, tmp_path):
        assert Tree(str(tmp_path / "nowhere")).standing(anchor_to("a", b"")) is UNKNOWN

    @pytest.mark.parametrize(
        "anchor", ["", "file:", "file:a", "file:a@md5:xyz", "url:https://x", "commit:", "commit:zzz", "x" * 2000]
    )
    def test_what_is_no_anchor_of_ours_is_unknown(self, root, anchor):
        assert Tree(str(root)).standing(anchor) is UNKNOWN

    def test_when_the_time_is_up_it_does_not_look(self, root):
        assert Tree(str(root), seconds=-1).standing(anchor_to("src/app.py", b"two")) is UNKNOWN

    @given(st.text(st.sampled_from("./\\~%ab\0é\n@:"), max_size=40))
    def test_no_path_makes_an_error(self, path):
        assert Tree("/nonexistent").standing(f"file:{path}@{'0' * 64}") is UNKNOWN


@pytest.mark.skipif(shutil.which("git") is None, reason="asks the real git")
class TestCommits:
    @pytest.fixture
    def repo(self, root):
        git(root, "init", "-q", "-b", "main")
        return root

    def test_head_and_what_lies_before_it_hold(self, repo):
        first, second = commit(repo, "one"), commit(repo, "two")
        assert Tree(str(repo)).standing(f"commit:{second}") is HOLDS
        assert Tree(str(repo)).standing(f"commit:{first}") is HOLDS
        assert Tree(str(repo)).standing(f"commit:{first[:10]}") is HOLDS

    def test_a_commit_that_was_rewritten_away_has_moved(self, repo):
        commit(repo, "one")
        lost = commit(repo, "two")
        git(repo, "reset", "-q", "--hard", "HEAD~1")
        commit(repo, "three")
        assert Tree(str(repo)).standing(f"commit:{lost}") is MOVED
        assert Tree(str(repo)).standing(f"commit:{'0' * 40}") is MOVED

    def test_a_shallow_clone_does_not_know(self, repo, tmp_path):
        first = commit(repo, "one")
        commit(repo, "two")
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
        assert Tree(str(tmp_path / "shallow")).standing(f"commit:{first}") is UNKNOWN

    def test_a_folder_that_is_no_repository_does_not_know(self, tmp_path):
        assert Tree(str(tmp_path)).standing(f"commit:{'0' * 40}") is UNKNOWN

    def test_without_git_only_head_itself_is_known(self, repo, monkeypatch):
        first, second = commit(repo, "one"), commit(repo, "two")
        monkeypatch.setenv("PATH", "/nonexistent")
        assert Tree(str(repo)).standing(f"commit:{second}") is HOLDS
        assert Tree(str(repo)).standing(f"commit:{first}") is UNKNOWN

    def test_the_variables_of_another_repository_do_not_lead_astray(self, repo, tmp_path, monkeypatch):
        here = commit(repo, "one")
        git(tmp_path, "init", "-q", "other")
        monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
        later = commit_here(repo, "two")
        assert Tree(str(repo)).standing(f"commit:{here}") is HOLDS
        assert Tree(str(repo)).standing(f"commit:{later}") is HOLDS


def git(folder, *words):
    calm = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    calm |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", "-C", str(folder), *who, *words], env=calm, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit(repo, said):
    (repo / "src" / "app.py").write_text(said)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", said)
    return git(repo, "rev-parse", "HEAD")


commit_here = commit


class TestAges:
    NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("days", "said"),
        [(0, "today"), (0.9, "today"), (1, "1 day"), (6, "6 days"), (7, "1 week"), (29, "4 weeks"), (30, "1 month"),
         (200, "6 months"), (364, "12 months"), (365, "1 year"), (800, "2 years"), (-0.5, "today"), (-3, "ahead")],
    )  # fmt: skip
    def test_an_age_is_said_coarsely(self, days, said):
        assert age(self.NOW - timedelta(days=days), self.NOW) == said

    @given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
    def test_any_two_moments_have_an_age(self, moment, now):
        assert 4 <= len(age(moment, now)) <= 12
