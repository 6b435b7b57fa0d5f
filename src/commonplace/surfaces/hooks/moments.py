"""What a hook does at each moment of a session: hand over what always holds, what is asked for, what is new; and keep the end.

Each answers with a text for the agent and a line for whoever looks. Nothing here writes to the book but receipts, save the
capture that the user has chosen.
"""

from __future__ import annotations

from commonplace.surfaces.hooks import markers, reach
from commonplace.surfaces.hooks.payload import Payload, Skip
from commonplace.surfaces.hooks.project import Place, place_of
from commonplace.surfaces.hooks.quietly import Quietly
from commonplace.surfaces.hooks.which_book import book_for

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.surfaces.hooks.program import Asked

Said = tuple[str, str]
"""What goes to the agent, and what is said of it."""


class Session:
    """One hook call: what was asked, by whom, where, and what is known of the session."""

    def __init__(self, asked: Asked, payload: Payload, left: Callable[[], float]) -> None:
        self.asked, self.payload, self.left = asked, payload, left
        self.place: Place = place_of(payload.cwd)
        self.project = asked.project or self.place.project
        self.folder = markers.folder_for(self.place.root)
        self.marker = markers.Marker(self.folder, payload.session) if payload.session else None
        self.after: Callable[[], None] | None = None
        self._question: reach.Question | None = None

    def begin(self) -> None:
        if self.marker is not None:
            told = {"host": self.payload.host.name, "project": self.project, "repo": self.place.repo}
            told["transcript"] = self.payload.transcript
            self.marker.begin({name: value for name, value in told.items() if value})

    def ask(self, moment: str, task: str | None = None) -> reach.Handed:
        self._question = reach.Question(
            moment,
            url=book_for(self.place, self.asked.book).url,
            host=self.payload.host.name,
            project=self.project,
            repo=self.place.repo,
            session=self.marker.window if self.marker else None,
            task=task,
            seconds=self.left(),
        )
        handed = reach.ask(self._question)
        self.after = handed.after
        return handed

    def late(self) -> None:
        """There was no time for an answer. Where that is because the daemon was killed, the next one has it again."""
        if self._question is not None and self._question.killed is not None:
            from commonplace.surfaces.http.reviving import revive

            revive(self._question.killed)


def session_start(session: Session) -> Said:
    """The always-load set, the profile, and the project's standing memories: the same bytes every day (A41, A74)."""
    session.begin()
    _sweep_if_needed(session)
    handed = session.ask("session-start")
    return handed.text, _told(handed, session.project, "nothing always holds here")


def prompt(session: Session) -> Said:
    """For the first prompt of a session what it is about; for later ones only what is new and strong (A42)."""
    session.begin()
    question = session.payload.question
    if not question:
        raise Skip("no words to look for")
    handed = session.ask("prompt", question)
    return handed.text, _told(handed, session.project, "nothing new and strong")


def pre_compact(session: Session) -> Said:
    """What was said so far is captured, if that is chosen; what was handed over may be handed over again."""
    session.begin()
    try:
        return "", _captured(session)
    finally:
        if session.marker is not None:
            session.marker.note(compacted=session.marker.number("compacted") + 1)


def session_end(session: Session) -> Said:
    """The rest is captured, if that is chosen, and the session is over."""
    try:
        said = _captured(session)
    finally:
        if session.marker is not None:
            session.marker.reflect()
    return "", said


def sweep(session: Session) -> Said:
    """Sessions that nobody ended. What a session's start leaves to a process of its own."""
    from commonplace.surfaces.hooks.capturing import choice_of
    from commonplace.surfaces.hooks.capturing import sweep as swept

    choice = choice_of(asked=session.asked.capture)
    folders = (session.folder, markers.cache_folder())
    found = swept(folders, choice, book_for(session.place, session.asked.book), session.left())
    return "", f"captured {found} idle sessions" if choice.wanted else "capture is not chosen"


def _captured(session: Session) -> str:
    from commonplace.surfaces.hooks.capturing import capture, choice_of

    choice = choice_of(asked=session.asked.capture)
    if not choice.wanted:
        raise Skip("not captured: that is not chosen")
    if session.marker is None:
        raise Skip("not captured: the session has no name")
    session.begin()
    chosen = book_for(session.place, session.asked.book)
    return capture(session.marker, session.payload.transcript, session.payload.host, choice, chosen, session.left())


def _sweep_if_needed(session: Session) -> None:
    """Old markers go. If sessions were left idle and are to be captured, that is begun and not waited for."""
    from commonplace.errors import CommonplaceError

    folders = (session.folder, markers.cache_folder())
    idle = [marker for folder in dict.fromkeys(folders) for marker in markers.tidy(folder)]
    if not idle:
        return
    with Quietly(CommonplaceError, OSError):
        from commonplace.surfaces import apart
        from commonplace.surfaces.hooks.capturing import choice_of

        if choice_of(asked=session.asked.capture).wanted:
            apart.begin(["hook", "sweep", *session.asked.words])
            return
    for marker in idle:
        marker.reflect()


def _told(handed: reach.Handed, project: str | None, nothing: str) -> str:
    if handed.unread:
        return "skipped: the book's files were never read; that is begun now"
    where = f", project {project}" if project else ""
    if not handed.memories:
        return f"{nothing}{where}"
    memories = "1 memory" if handed.memories == 1 else f"{handed.memories} memories"
    return f"{memories}, {handed.tokens} tokens{where} ({handed.moment.replace('_', ' ')})"


DONE_AT: dict[str, Callable[[Session], Said]] = {
    "session-start": session_start,
    "prompt": prompt,
    "pre-compact": pre_compact,
    "session-end": session_end,
    "sweep": sweep,
}
