"""`commonplace hook MOMENT`: the way in, as light as it can be. Words to what is asked; whatever goes wrong to one line and a 0.

The parser of the other commands is not used: it is heavier, and it may refuse. Here a word that is not understood is passed over.
"""

from __future__ import annotations

from commonplace.surfaces.hooks.ending import Ending, fill_descriptors, stand_firm

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from typing import NoReturn

    from commonplace.surfaces.hooks.hosts import Host

BUDGETS = {
    "session-start": 0.5,
    "prompt": 0.3,
    "pre-compact": 4.0,
    "session-end": 4.0,
    "sweep": 60.0,
    "keep": 60.0,
    "look": 600.0,
}
"""Seconds until a hook gives up (A41, A42). Agents wait five seconds for one (A75): the end of a session fits into that. For the
last three nobody waits: they are what others had no time for."""

_VALUES = {
    "--host": "host",
    "--book": "book",
    "-b": "book",
    "--project": "project",
    "--within": "within",
    "--actor": "",
    "--timeout": "",
    "--color": "",
}


class Asked:
    """What the command line says."""

    def __init__(self, words: list[str]) -> None:
        self.moment = ""
        self.host: str | None = None
        self.book: str | None = None
        self.project: str | None = None
        self.within: str | None = None
        self.capture = "--capture" in words
        rest = [*reversed(words)]
        while rest:
            self._take(rest.pop(), rest)

    def _take(self, word: str, rest: list[str]) -> None:
        name, equals, value = word.partition("=")
        if name in _VALUES:
            given = value if equals else rest.pop() if rest else None
            if _VALUES[name]:
                setattr(self, _VALUES[name], given)
        elif not word.startswith("-") and word != "hook" and not self.moment:
            self.moment = word

    @property
    def seconds(self) -> float:
        """How long it may take: `--within`, if that is a number that can be meant."""
        try:
            return min(max(float(self.within or ""), 0.0), 600.0)
        except ValueError:
            return BUDGETS.get(self.moment, 1.0)

    @property
    def words(self) -> list[str]:
        """What a process of its own has to be told to do the same for the same book."""
        said = ["--capture"] if self.capture else []
        return [*said, f"--book={self.book}"] if self.book else said


def run(words: list[str]) -> NoReturn:
    """Do it and end the process: in time, with one line on stderr, with 0."""
    stand_firm()
    fill_descriptors()
    asked = Asked(words)
    ending = Ending(asked.moment if asked.moment in BUDGETS else "hook", asked.seconds)
    try:
        out, said = _answer(asked, ending)
    except BaseException as cause:  # noqa: BLE001 - an agent must never stop because of its memory
        out, said = "", _why(cause)
    ending.say(out, said)


def _answer(asked: Asked, ending: Ending) -> tuple[str, str]:
    from commonplace.surfaces.hooks.payload import Skip, read_stdin, understood

    if asked.moment not in BUDGETS:
        from commonplace.surfaces.hooks.hosts import MOMENTS

        raise Skip(f"skipped: the moment is one of: {', '.join(MOMENTS)}")
    raw = read_stdin()
    if asked.moment in ("keep", "look"):
        return "", _done_for_others(raw, asked, ending)
    payload = understood(b"{}" if asked.moment == "sweep" else raw, asked.host)
    from commonplace.surfaces.hooks.moments import DONE_AT, Session

    try:
        session = Session(asked, payload, ending.left)
        ending.late = session.late
        text, said = DONE_AT[asked.moment](session)
        ending.after = session.after
    except Exception as cause:  # noqa: BLE001 - the agent still gets an answer in its own form
        text, said = "", _why(cause)
        ending.after = ending.late
    return in_its_form(text, asked.moment, payload.host), said


def _done_for_others(raw: bytes, asked: Asked, ending: Ending) -> str:
    """What another hook had no time for."""
    from commonplace.surfaces.hooks import reach

    question = reach.Question(asked.moment, url=asked.book or "", host=asked.host or "", seconds=ending.left() / 2)
    if asked.moment == "keep":
        return f"{reach.keep(question, raw)} receipts"
    reach.look(question)
    return "the files were looked through"


def in_its_form(text: str, moment: str, host: Host) -> str:
    """The text as the agent reads it: plain with a line's end, or in the JSON it wants."""
    if host.answer is None:
        return f"{text}\n" if text else ""
    from commonplace.surfaces import small_json

    return f"{small_json.write(host.answer(text, moment, host.events.get(moment, '')))}\n"


def _why(cause: BaseException) -> str:
    """One reason, without anything that was said or stored: a kind of error is enough to look further."""
    from commonplace.surfaces.hooks.payload import Skip

    if isinstance(cause, Skip):
        return str(cause) if str(cause).startswith(("skipped", "not ", "nothing")) else f"skipped: {cause}"
    kind = getattr(cause, "kind", None)
    if isinstance(kind, str):
        return f"skipped: {kind} (`commonplace doctor` says more)"
    return f"skipped: {type(cause).__name__}"
