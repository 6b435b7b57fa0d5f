"""`commonplace demo`: a short story on a throw-away book, told with real commands and their real answers."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from commonplace.errors import CommonplaceError
from commonplace.surfaces.cli import exits, program
from commonplace.surfaces.cli.arguments import Parsed, UsageError, parse
from commonplace.surfaces.cli.page import Line, Page
from commonplace.surfaces.operations import BY_NAME


def run(parsed: Parsed) -> int:
    if parsed.arguments:
        raise UsageError("demo takes no arguments")
    color = program.color_of(parsed)
    with _throw_away_book():
        _tell(Story(Page(sys.stdout, color), color))
    return 0


@contextmanager
def _throw_away_book() -> Iterator[None]:
    """A folder of its own, a person called alice, no settings but the defaults, and afterwards no trace of any of it."""
    before, here, folder = dict(os.environ), os.getcwd(), tempfile.mkdtemp(prefix="commonplace-demo-")
    try:
        os.chdir(folder)
        os.environ.update(
            COMMONPLACE_BOOK="sqlite:demo.sqlite",
            COMMONPLACE_ACTOR="alice",
            COMMONPLACE_CONFIG=os.path.join(folder, "config.toml"),
            COMMONPLACE_FETCH="never",  # a story is told with what is there
        )
        yield
    finally:
        os.chdir(here)
        shutil.rmtree(folder, ignore_errors=True)
        os.environ.clear()
        os.environ.update(before)


class Story:
    """Shows a command as a person would type it, runs it, shows what it answers, and hands the answer on."""

    def __init__(self, page: Page, color: str) -> None:
        self._page, self._color, self._chapters = page, color, 0

    def open(self, text: str) -> None:
        self._page.write([[], [("  commonplace", "title"), (f"  {text}", "dim")]])

    def chapter(self, title: str, *said: str) -> None:
        self._chapters += 1
        rule = self._page.glyph("─" * max((self._page.width or 0) - len(title) - 6, 0))
        self._page.write([[], [(f" {self._chapters:>2}  ", "accent"), (title, "bold"), (f" {rule}", "dim")]])
        for text in said:
            self._page.write(self._page.prose(text, "dim", [("     ", "")]))

    def say(self, text: str) -> None:
        self._page.write([[], *self._page.prose(text, "dim", [("     ", "")])])

    def note(self, line: Line) -> None:
        self._page.write([[("     ", ""), *line]])

    def type(self, text: str) -> None:
        first, *more = self._broken(text)
        self._page.write(
            [[], [("  $ ", "good"), (first, "bold")], *([[("      ", ""), (line, "bold")] for line in more])]
        )

    def _broken(self, text: str) -> list[str]:
        """A command in lines that fit, broken before an option, as one would in a script."""
        room = (self._page.width or 10_000) - 8
        lines = [""]
        for number, part in enumerate(text.split(" --")):
            word = f" --{part}" if number else part
            if lines[-1] and len(lines[-1]) + len(word) > room:
                lines[-1] += " \\"
                lines.append(word.lstrip())
            else:
                lines[-1] += word
        return lines

    def do(self, *words: str, typed: str | None = None) -> Any:
        """Run one command. `typed` is shown instead where the words must not be."""
        self.type(typed or "commonplace " + " ".join(_quoted(word) for word in words))
        parsed = parse([*words, "--color", self._color], program.options_of)
        assert parsed.command is not None
        operation = BY_NAME[parsed.command]
        try:
            said = program.ask(operation, parsed)
        except CommonplaceError as refused:
            exits.tell(exits.described(refused), self._page, as_json=False)
            self._page.write([[(f"(exit code {exits.code_of(refused)})", "dim")]])
            return None
        program.show(operation, said, parsed)
        sys.stdout.flush()
        return said


def _quoted(word: str) -> str:
    return word if word and all(char.isalnum() or char in "-_:=./," for char in word) else f'"{word}"'


def _tell(story: Story) -> None:
    story.open("A story in thirteen chapters, on a throw-away book.")
    tabs = _saving(story)
    _explaining(story, _finding(story))
    _handing_over(story)
    _guarding(story)
    _reviewing(story)
    _taking_in(story)
    _disagreeing(story)
    _changing(story, tabs.id)
    _verifying(story)
    _ending(story)


def _saving(story: Story) -> Any:
    story.chapter("Keep what matters", "One statement that stands by itself, on disk before you hear back.")
    tabs = story.do("save", "Alice prefers tabs over spaces.", "--type", "profile", "--tags", "editor,style")
    story.say("A decision brings its reason along, or it waits in the inbox.")
    story.do(
        "save", "We keep all memories in one SQLite file.", "--type", "decision", "--project", "atlas",
        "--rationale", "one file is easy to back up and to move",
    )  # fmt: skip
    story.say("Quietly, only the id comes back, for the next command in a script.")
    for said in ("The API of Atlas listens on port 8080.", "Atlas is released on Fridays."):
        story.do("save", said, "--type", "project", "--project", "atlas", "--quiet")
    story.say("Saying it again does not add; it counts.")
    story.do("save", "alice prefers   tabs over spaces.", "--type", "profile")
    return tabs


def _finding(story: Story) -> Any:
    story.chapter("Find it by what it means", "A model on this machine reads along after the write, never in its way.")
    if story.do("index").model:
        story.say("Not one word of this question stands in the answer.")
        return story.do("search", "which weekday do we ship?", "--limit", "1")
    story.say("There is no model here, so the words must do; `python -m commonplace.providers.fetch` brings one.")
    return story.do("search", "on which days is Atlas released?", "--limit", "1")


def _explaining(story: Story, found: Any) -> None:
    story.chapter("Ask why it came up", "Every search leaves a receipt: each score, who nearly came up, what it took.")
    story.do("explain", found.receipt_id)
    story.chapter("Ask why it is remembered", "Source, links and history, for every memory, always.")
    story.do("explain", found[0].record.id)


def _handing_over(story: Story) -> None:
    story.chapter(
        "Hand it to an agent",
        "Few and strong, inside a budget, and behind a fence that no stored text can end: data, not instructions.",
    )
    story.do("context", "prepare the next release", "--project", "atlas", "--budget", "300")


def _guarding(story: Story) -> None:
    story.chapter("Secrets stay out", "The guard says what kind and where, and never repeats it.")
    token = "ghp_" + "".join(
        "k7Qx2Vb9Lm4Rt8Ws"[i * 7 % 16] for i in range(36)
    )  # made here, so that no secret lies in the source
    story.do(
        "save", f"Deploy with {token}", "--type", "task_hint",
        typed='commonplace save "Deploy with ghp_****************" --type task_hint',
    )  # fmt: skip


def _reviewing(story: Story) -> None:
    story.chapter("Agents may propose", "What an agent claims about a person waits until the person says yes.")
    claim = story.do("--actor", "agent:scout", "save", "Alice wants short answers.", "--type", "profile")
    story.do("list", "--status", "inbox")
    story.do("confirm", claim.id, "--reason", "true, I do")
    story.say("And an agent cannot overrule a person.")
    story.do("--actor", "agent:scout", "forget", claim.id)


_TALK = """\
Alice: We decided to deploy with Ansible because everybody knows it.
Assistant: Noted. Anything else?
Alice: The API of Atlas listens on port 9090. I prefer short meetings.
"""


def _taking_in(story: Story) -> None:
    story.chapter(
        "Take a conversation in", "It is kept whole at once, and worked through later; nothing here needs a network."
    )
    with open("talk.txt", "w", encoding="utf-8") as file:
        file.write(_TALK)
    story.type("cat talk.txt")
    for line in _TALK.splitlines():
        story.note([(line, "")])
    story.do("capture-conversation", "talk.txt", "--project", "atlas")
    story.do("process")
    story.say(
        "What was found waits, each with the words that speak for it. Nothing that was only heard is believed unseen."
    )
    waiting = story.do("inbox")
    decision = next(item.record for item in waiting if item.record.type == "decision")
    story.do("inbox-accept", decision.id, typed=f"commonplace inbox accept {decision.id}")


def _disagreeing(story: Story) -> None:
    story.chapter(
        "See what disagrees", "What says the same becomes one; what cannot both be true is shown, with both sides."
    )
    story.do("consolidate")
    (dispute,) = story.do("conflicts")
    story.say("Neither side was overwritten. You say which one is wrong.")
    heard = next(side for side in (dispute.left, dispute.right) if side.status == "inbox")
    story.do("resolve", dispute.id, heard.id, "--reason", "the config still says 8080")


def _changing(story: Story, tabs: str) -> None:
    moment = _a_moment_between()
    story.chapter("Change your mind", "The old statement stays readable, and the chain goes both ways.")
    spaces = story.do("evolve", tabs, "Alice prefers spaces.", "--reason", "the new editor does it better")
    story.do("get", spaces.id)
    story.say("What did the book believe a moment ago?")
    story.do("list", "--type", "profile", "--as-of", moment)
    story.chapter("See everything, undo anything", "Every change is in the journal: who, when, why, before, after.")
    told = story.do("journal", "--limit", "4")
    story.do("revert", told[-1].id, "--reason", "no, tabs after all")
    story.do("list", "--type", "profile")


def _a_moment_between() -> str:
    """A moment after all that was done so far and before what comes next, to the thousandth of a second."""
    time.sleep(0.002)
    moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    time.sleep(0.002)
    return moment


def _verifying(story: Story) -> None:
    story.chapter("Trust, and verify", "The journal is a chain of hashes, and every record must be what it says.")
    story.do("verify")
    story.say("Now somebody edits a copy of the file behind the book's back: one word.")
    story.do("backup", "copy.sqlite")
    story.type("sed -i 's/spaces/cheese/g' copy.sqlite")
    _tamper("copy.sqlite", b"spaces", b"cheese")
    story.do("verify", "-b", "sqlite:copy.sqlite")


def _tamper(path: str, was: bytes, now: bytes) -> None:
    with open(path, "rb") as file:
        held = file.read()
    with open(path, "wb") as file:
        file.write(held.replace(was, now))


def _ending(story: Story) -> None:
    story.chapter("What next", "The book of this story is gone already. To begin your own:")
    for command, about in (
        ('commonplace save "..." --type profile', "into a book of your own"),
        ("commonplace index", "find by meaning too; fetches the model once"),
        ("commonplace --help", "all commands, each with an example"),
        ("commonplace completion bash", "Tab completes; also zsh and fish"),
        ("import commonplace", "the same book from Python"),
    ):
        story.note([(f"{command:<40}", "id"), (about, "dim")])
