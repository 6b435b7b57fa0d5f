"""`Toolset`: memory for an agent that somebody writes; its tools, what it is reminded of, and what its prompt says of both.

Many processes may use one workspace at once: whatever is written goes through the book, which lets one writer in at a time (G38).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from commonplace.errors import CommonplaceError, InvalidError
from commonplace.surfaces.tools.arguments import Arguments, Refused, arguments_of, failed, shown
from commonplace.surfaces.tools.entries import BookEntries, Entries, FileEntries
from commonplace.surfaces.tools.settings import DELETE, SEARCH, STORE, ToolSettings, settings_for

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.seam.clock import Clock
    from commonplace.surfaces.tools.inject import Injection

FOLDER = os.path.join(".aegis", "memory")
ACTOR = "agent:tools"


class Toolset:
    """The memory of one workspace. Opened when it is first written to; nothing is made for one that is only asked.

    `settings` are the content of an `agent.json`, its path, or nothing for the workspace's own. `book` is one that is open
    already; it stays yours to close.
    """

    def __init__(
        self,
        workspace: str | os.PathLike[str] = ".",
        settings: ToolSettings | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        book: Book | None = None,
        *,
        actor: str = ACTOR,
        clock: Clock | None = None,
    ) -> None:
        self.workspace = os.path.abspath(os.fspath(workspace))
        self.settings = settings_for(self.workspace, settings)
        self._given, self._actor = book, actor
        self._clock = clock or _system_clock()
        self._own: Book | None = None
        self._operator: Book | None = None
        self._entries = self._find_entries()
        self._mutex = threading.RLock()
        self._last: tuple[object, Injection] | None = None

    def __enter__(self) -> Toolset:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the workspace. Closing twice is closing once; using it again opens it again."""
        with self._mutex:
            for book in (self._own, self._operator):
                if book is not None:
                    book.close()
            self._own = self._operator = None

    # Tools ----------------------------------------------------------------------------------------------------------------

    def schemas(self, style: str = "openai") -> list[dict[str, Any]]:
        """The tools that are switched on, for tool calling in the style of `openai` or `anthropic`."""
        from commonplace.surfaces.tools.schemas import schemas

        return schemas(self.settings, style)

    def dispatch(self, name: str, arguments: Arguments = None) -> dict[str, Any]:
        """Answer a call. Whatever a model can get wrong is an answer with `ok` false and the reason, never an exception."""
        if not isinstance(name, str) or name not in _ANSWERS:
            return failed(f"unknown tool: {shown(name) if isinstance(name, str) else '(not a name)'}")
        if not self.settings.is_enabled(name):
            return failed(f"tool {name} is disabled")
        try:
            with self._mutex:
                return _ANSWERS[name](self, arguments_of(name, arguments))
        except Refused as why:
            return failed(str(why))
        except CommonplaceError as cause:
            return failed(f"{cause.message}. {cause.hint}" if cause.hint else cause.message)

    def _store(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from commonplace.surfaces.tools.store import Place, store

        kept_short = self.settings.max_total if isinstance(self._entries, FileEntries) else None
        return store(Place(self._entries, self._book, self._as_operator, kept_short), arguments)

    def _search(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from commonplace.surfaces.tools.search import search

        return search(self._entries.all(), arguments)

    def _delete(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        from commonplace.surfaces.tools.delete import delete

        return delete(self._entries, self._as_operator, arguments)

    # Being reminded -------------------------------------------------------------------------------------------------------

    def inject(
        self, messages: Sequence[Mapping[str, Any]], *, mode: str | None = None, **limits: Any
    ) -> list[Mapping[str, Any]]:
        """The messages with a `[Memories]` block behind the system prompt. What was handed in stays as it is.

        `mode` and any other setting of `memory` (`max_inject_chars`, `recent_count`, ...) may be chosen for this call.
        """
        from commonplace.surfaces.tools.messages import with_block

        return with_block(messages, self.memories_for(messages, mode=mode, **limits).text)

    def system(
        self, prompt: str, messages: Sequence[Mapping[str, Any]], *, mode: str | None = None, **limits: Any
    ) -> str:
        """A system prompt that travels beside the messages, with the block behind it."""
        from commonplace.surfaces.tools.messages import prompt_with_block

        return prompt_with_block(prompt, self.memories_for(messages, mode=mode, **limits).text)

    def memories_for(
        self, messages: Sequence[Mapping[str, Any]], *, mode: str | None = None, **limits: Any
    ) -> Injection:
        """What would be injected, and why. The same until the user says something else or the memories change (G-g)."""
        from commonplace.surfaces.tools.inject import choose
        from commonplace.surfaces.tools.messages import last_user_text

        settings = self.settings.for_one_call(mode, limits)
        message = last_user_text(messages)
        with self._mutex:
            entries = self._entries.all()
            asked = (message, settings, self._entries.version)
            if self._last is None or self._last[0] != asked:
                self._last = (asked, choose(entries, message, settings, self._clock.now()))
            return self._last[1]

    def system_prompt(self, prompt: str = "") -> str:
        """A system prompt with the section about memory behind it (G39)."""
        from commonplace.surfaces.tools.prompt import with_section

        return with_section(prompt, self.settings)

    # The book -------------------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The book behind it."""
        return self._given.url if self._given is not None else f"jsonl:{os.path.join(self.workspace, FOLDER)}"

    def _find_entries(self) -> Entries:
        scheme, _, folder = self.url.partition(":")
        if scheme == "jsonl":
            return FileEntries(folder)
        assert self._given is not None
        return BookEntries(self._given)

    def _book(self) -> Book:
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = self._opened(self._actor)
        return self._own

    def _as_operator(self) -> Book:
        """The same book with the operator's authority: for what this surface's own rules destroy or put away."""
        if self._operator is None:
            self._operator = self._opened("operator")
        return self._operator

    def _opened(self, actor: str) -> Book:
        from commonplace.surfaces.tools.opening import opened

        if not os.path.isdir(self.workspace) and self._given is None:
            raise InvalidError(
                "the workspace is not a folder", where=self.workspace, hint="Name a folder that is there."
            )
        return opened(self.url, actor, self._clock, self.settings.id_start)


_ANSWERS = {STORE: Toolset._store, SEARCH: Toolset._search, DELETE: Toolset._delete}


def _system_clock() -> Clock:
    from commonplace.seam.clock import SystemClock

    return SystemClock()
