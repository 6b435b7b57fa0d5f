"""What a harness keeps about its work on a project: the plan, the progress, the features; through the same seam as memories.

Everything lies in `projects/<project>/_harness`. Whoever changes a plan passes the hash of the one it read: two agents that plan
at once both hear of each other. Progress only grows, one line at a time, and no line of another's is lost.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from commonplace.errors import ConflictError, CorruptError, InvalidError
from commonplace.seam.locator import Locator
from commonplace.seam.storage import ABSENT, MissingDocumentError, StorageBackend, content_hash

# Each failure means that somebody else got something done meanwhile; this many in a row do not happen by chance.
_TRIES = 50


class Document(NamedTuple):
    """A text, and what to pass when it is replaced."""

    text: str
    hash: str


class HarnessState:
    """One project's plan, progress and features, in whichever storage is handed in."""

    def __init__(self, backend: StorageBackend, project: str) -> None:
        self._backend = backend
        home = backend.resolve("projects", project, "_harness")
        if len(home.parts) != 3:
            raise InvalidError("a project's name is one part of a path", where="project")
        self._plan, self._progress, self._features = (
            home.child(name) for name in ("PLAN.md", "progress.md", "features.json")
        )

    def plan(self) -> Document:
        """The plan; an empty text if there is none yet."""
        return self._read(self._plan)

    def write_plan(self, text: str, expected_hash: str) -> None:
        """Replace the plan that was read. `ConflictError` if it is another one by now."""
        self._backend.write(self._plan, text, expected_hash)

    def progress(self) -> list[str]:
        return self._read(self._progress).text.splitlines()

    def note_progress(self, line: str) -> None:
        """One more line, behind whatever others have added."""
        if len(line.splitlines()) > 1:
            raise InvalidError("a note of progress is one line", where="line")
        self._update(self._progress, lambda text: f"{_ended(text)}{line.rstrip()}\n")

    def features(self) -> dict[str, Any]:
        """What is known of each feature, by its name."""
        return self._parsed(self._read(self._features).text)

    def set_feature(self, name: str, state: Any) -> None:
        """Say how a feature stands. Other features stay as others left them."""

        def changed(text: str) -> str:
            return json.dumps({**self._parsed(text), name: state}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

        self._update(self._features, changed)

    def _update(self, locator: Locator, change: Any) -> None:
        """Read, change, and write only if nobody wrote in between; else again from the start."""
        for left in reversed(range(_TRIES)):
            before = self._read(locator)
            try:
                self._backend.write(locator, change(before.text), before.hash)
            except ConflictError:
                if not left:
                    raise
            else:
                return

    def _read(self, locator: Locator) -> Document:
        try:
            text = self._backend.read(locator)
        except MissingDocumentError:
            return Document("", ABSENT)
        return Document(text, content_hash(text))

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            known = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError) as cause:
            raise CorruptError("the list of features is no JSON", where=str(self._features)) from cause
        if not isinstance(known, dict):
            raise CorruptError("the list of features is no JSON object", where=str(self._features))
        return known


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
