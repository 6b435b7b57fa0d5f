"""Words on a command line become a command, its arguments and its options.

A small parser of our own: `argparse` alone would cost more than a whole `get`. It knows three things: which words are
options, which of them take a value, and that nothing a person typed may be repeated in an error unless it is harmless,
because it might be a secret in the wrong place.
"""

from __future__ import annotations

from collections.abc import Callable


class UsageError(Exception):
    """The command line itself is wrong; nothing was done."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.message, self.hint = message, hint
        super().__init__(message)


class Option:
    """One option. `takes` is the word that stands for its value in the help; a flag takes nothing."""

    def __init__(
        self,
        names: tuple[str, ...],
        field: str,
        takes: str = "",
        help: str = "",
        *,
        many: bool = False,
        required: bool = False,
        choices: tuple[str, ...] = (),
    ) -> None:
        self.names, self.field, self.takes, self.help = names, field, takes, help
        self.many, self.required, self.choices = many, required, choices

    @property
    def shown(self) -> str:
        return f"{self.names[0]} {self.takes}" if self.takes else self.names[0]


class Parsed:
    """What was typed: the command, its arguments in order, and the values of each option by its field."""

    def __init__(self) -> None:
        self.command: str | None = None
        self.arguments: list[str] = []
        self.options: dict[str, list[str]] = {}
        self.everywhere: dict[str, list[str]] = {}

    def everywhere_last(self, field: str) -> str | None:
        values = self.everywhere.get(field)
        return values[-1] if values else None


ELSEWHERE = {
    "add": "save", "create": "save", "init": "save", "new": "save", "note": "save", "put": "save", "remember": "save",
    "change": "evolve", "replace": "evolve", "set": "evolve", "update": "evolve",
    "del": "forget", "delete": "forget", "remove": "forget", "rm": "forget", "erase": "purge", "destroy": "purge",
    "cat": "get", "read": "get", "show": "get", "view": "get",
    "ask": "search", "find": "search", "grep": "search", "query": "search", "recall": "context", "ls": "list",
    "log": "journal", "undo": "revert", "why": "explain", "accept": "inbox accept", "defer": "inbox defer",
    "merge": "inbox merge", "capture": "capture-session", "ingest": "capture-session", "move": "copy", "migrate": "copy",
    "check": "doctor", "repair": "doctor --repair", "embed": "index", "status": "stats", "info": "stats",
    "daemon": "serve", "start": "serve", "stop": "serve --stop", "inspector": "web", "ui": "web", "open": "web",
    "hooks": "install", "setup": "install", "book": "help books", "config": "help books", "version": "--version",
}  # fmt: skip
"""What other programs call it: said to whoever types it, never done for them."""

EVERYWHERE = (
    Option(("--book", "-b"), "book", "URL", "the book, such as sqlite:PATH"),
    Option(("--json",), "json", help="answer with one JSON document"),
    Option(("--quiet", "-q"), "quiet", help="only ids; for `get` only the content"),
    Option(("--actor",), "actor", "NAME", "who is speaking; agent:NAME for an agent"),
    Option(("--timeout",), "timeout", "SECONDS", "how long to wait for other writers"),
    Option(("--direct",), "direct", help="open the book itself, also if the daemon runs"),
    Option(("--color", "--colour"), "color", "WHEN", "auto, always or never", choices=("auto", "always", "never")),
    Option(("--help", "-h"), "help", help="show how to use it"),
    Option(("--version", "-V"), "version", help="show the version"),
)
"""Options of every command; they may stand before or after it."""


def parse(words: list[str], options_of: Callable[[str], tuple[Option, ...]]) -> Parsed:
    """Read the words from left to right. `options_of` tells a command's own options, which win over those of everywhere."""
    parsed = Parsed()
    everywhere = {name: option for option in EVERYWHERE for name in option.names}
    own: dict[str, Option] = {}
    rest = [*reversed(words)]
    while rest:
        word = rest.pop()
        if word == "--":
            parsed.arguments.extend(reversed(rest))
            break
        if not word.startswith("-") or word == "-":
            if parsed.command is None:
                parsed.command = word
                own = {name: option for option in options_of(word) for name in option.names}
            else:
                parsed.arguments.append(word)
            continue
        name, value = _split(word)
        option = own.get(name) or everywhere.get(name)
        if option is None:
            raise unknown_option(name, parsed.command, (*own, *everywhere))
        into = parsed.options if name in own else parsed.everywhere
        values = _values(option, name, value, rest)
        if into is parsed.everywhere and option.choices and values[-1] not in option.choices:
            raise UsageError(f"{name} is one of: {', '.join(option.choices)}")
        into.setdefault(option.field, []).extend(values)
    return parsed


def _split(word: str) -> tuple[str, str | None]:
    """`--name=value` and `-nvalue` hold both; anything else is a name."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    return word[:2], word[2:] or None


def _values(option: Option, name: str, value: str | None, rest: list[str]) -> list[str]:
    if not option.takes:
        if value is not None:
            raise UsageError(f"{name} takes no value")
        return ["yes"]
    if value is None:
        # `--reason --json` is a forgotten reason far more often than a reason that begins with two hyphens.
        if not rest or (rest[-1].startswith("--") and rest[-1] != "--"):
            raise UsageError(f"{name} needs a value: {option.shown}", f"If it begins with hyphens: {name}=VALUE")
        value = rest.pop()
    if not option.many:
        return [value]
    return [part for part in value.split(",") if part]


def unknown_option(name: str, command: str | None, known: tuple[str, ...]) -> UsageError:
    said = f"unknown option {name}" if is_harmless(name) else "unknown option"
    see = f"`commonplace {command} --help`" if command and is_harmless(command) else "`commonplace --help`"
    return UsageError(said, did_you_mean(name, known) or f"{see} shows the options.")


def unknown_command(name: str, known: tuple[str, ...]) -> UsageError:
    said = f"unknown command {name}" if is_harmless(name) else "unknown command"
    meant = f"Here it is `commonplace {ELSEWHERE[name]}`." if name in ELSEWHERE else did_you_mean(name, known)
    return UsageError(said, meant or "`commonplace --help` shows the commands.")


def is_harmless(word: str) -> bool:
    """May it be repeated on a screen or in a log? Only what looks like a word of a command line."""
    bare = word.lstrip("-").replace("-", "").replace("_", "")
    return len(word) <= 24 and (not bare or (bare.isascii() and bare.isalpha() and bare.islower()))


def did_you_mean(word: str, known: tuple[str, ...], before: str = "") -> str:
    from difflib import get_close_matches

    close = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return f"Did you mean {before}{close[0]}?" if close else ""
