"""Pages of help that are about no single command."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonplace.surfaces.cli.page import Line, Page

_BOOKS = """\
A book is one place where memories live. It is named by a URL:

  sqlite:PATH         one file, such as sqlite:~/memory.sqlite
  vault:PATH          a folder of Markdown notes, one for each memory; Obsidian opens it
  ledger:PATH         a folder with a digest, one page, and a ledger of what was kept
  jsonl:PATH          a folder with lines of JSON

`commonplace copy FROM TO --verify` brings a whole book into another form.

Which book is used, in this order:

  -b, --book URL      said on the command line
  $COMMONPLACE_BOOK   the environment
  config.toml         book = "sqlite:PATH" in ~/.config/commonplace/config.toml (or $COMMONPLACE_CONFIG)
  book.sqlite         in the user's data folder, ~/.local/share/commonplace

A command that brings something in, such as save, begins a book that is not there; no other command does."""

_ACTORS = """\
Every change is signed with an actor, and the actor's name says how far it is trusted:

  alice               a person: the operator
  agent:claude        an agent; what it says about a person waits in the inbox
  curated:NAME        a curator
  extracted:NAME, external:NAME   trusted less still

Who is speaking, in this order: --actor NAME, $COMMONPLACE_ACTOR, the login name.
Lower trust never replaces, archives or deletes what higher trust said.
`journal` has an --actor of its own, which asks for that actor's operations; there, the speaker's stands before the command:

  $ commonplace --actor alice journal --actor agent:claude"""

_OUTPUT = """\
On a terminal answers are coloured and fitted to its width. Anywhere else they are plain, uncoloured and whole.
Colour: --color auto|always|never; NO_COLOR is respected.

  --json              one JSON document on stdout, the same that the library's to_json() gives; lists are arrays.
                      An error is one JSON object on stderr, {"error": {...}}, with kind, message and retryable,
                      and code, where and hint when there is something to say.
  --quiet             one id a line, for the next command; `get` gives the bare content; checks only their exit code

Characters that cannot be seen, or that a terminal would obey, are written out as \\u{202e}. --json has the exact text.
All times are UTC."""

_TIMES = """\
Times are shown in UTC, with a Z. Where a TIME is asked for, any of these will do:

  2026-05-03T12:00:00Z, 2026-05-03T14:00+02:00
  2026-05-03 12:00                  without an offset it is UTC
  2026-05-03                        that day's beginning
  now, today, yesterday, tomorrow   a day means its beginning
  90s, 30m, 2h, 3d, 1w              so long ago; +3d is so long from now

--as-of asks what the book knew at a moment; --since and --until when something was created or done.
`inbox defer ID 3d` looks ahead: show it again in three days."""


def topic(name: str, page: Page) -> Iterator[Line]:
    if name == "exit-codes":
        return _exit_codes(page)
    text = {"books": _BOOKS, "actors": _ACTORS, "output": _OUTPUT, "times": _TIMES}[name]
    return (line for written in text.split("\n") for line in _fitted(written, page))


def _fitted(written: str, page: Page) -> Iterator[Line]:
    """Prose as it comes; of two columns, the second goes on below itself. What is to be typed stays on its line."""
    columns = re.match(r"  (\S.*?)?  +", written)
    if columns:
        return page.described(columns[1] or "", written[columns.end() :], columns.end())
    return iter([[(written, "")]]) if written.startswith(" ") else page.prose(written)


def _exit_codes(page: Page) -> Iterator[Line]:
    from commonplace.surfaces.cli.exits import MEANINGS

    yield [("Every kind of error has an exit code of its own.", "")]
    yield []
    for code, meaning in MEANINGS:
        yield from page.prose(meaning, "", [(f"  {code:>3}  ", "id")], [(" " * 7, "")])
