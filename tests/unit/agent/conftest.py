"""What the tests of agents share: a project and a home of their own, a model that says what it is told to say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace.agent import Agent, Host


def patch(**said):
    """An answer that holds a memory patch."""
    return f"Done.\n\n```vvm-memory\n{json.dumps(said)}\n```\n"


class Scripted:
    """A model that gives its answers one after the other, the last one again and again, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers, self.prompts = [*answers] or ["Done."], []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer() if callable(answer) else answer


class Desk:
    """A project with agents in it, and what their memory's folder holds."""

    def __init__(self, root: Path) -> None:
        self.root, self.notices, self.slept = root, [], []
        self.folder = root / ".vvm" / "memory" / "user%3Aalice"

    def agent(self, *answers, host=None, **keys):
        model = Scripted(*answers)
        self.model = model
        settings = {"project": str(self.root), "notify": self.notices.append, "sleep": self.slept.append}
        keys = {"memory": {"scope": "project", "key": "user:alice"}, **keys}
        return Agent(model=model, host=Host(**{**settings, **(host or {})}), **keys)

    def text(self, name):
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else None

    @property
    def digest(self):
        return self.text("digest.md")

    def lines(self):
        return [json.loads(line) for line in (self.text("ledger.jsonl") or "").splitlines()]

    def warnings(self):
        return [line["warning"] for line in self.lines() if "warning" in line]

    def files(self):
        """Every byte below the project, by name."""
        return {str(path): path.read_bytes() for path in sorted(self.root.rglob("*")) if path.is_file()}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "home"


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "project").mkdir()
    return Desk(tmp_path / "project")
