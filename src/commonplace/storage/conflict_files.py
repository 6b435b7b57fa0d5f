"""What lies in a synced folder beside the documents: conflict copies, stand-ins for what is not here yet, editors' droppings.

They are told by their names, and some only by the company they keep: `plan (1).md` is a note of its own until there is a
`plan.md` beside it. Whatever is recognised is shown and left alone. Nothing here opens, moves or deletes a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from functools import cache
from typing import Final, NamedTuple


class Conflict(NamedTuple):
    """Another version of `base`, set aside by a sync client."""

    base: str
    family: str
    has_base: bool
    """Is the file that it is a version of still there?"""


class Placeholder(NamedTuple):
    """Stands for `base`, which exists but is not on this device now."""

    base: str


class Dropping(NamedTuple):
    """Left by a program that is at work here, or was."""

    family: str


Kind = Conflict | Placeholder | Dropping

# `stem` is what stood before the mark, `ending` what stood behind it: together they name the base.
_ALWAYS: Final = (
    ("conflicted copy", r"(?P<stem>.+?) ?\((?:[^()]* )?conflicted copy[^()]*\)(?: \(\d+\))?(?P<ending>\.\w+)?"),
    ("conflicted copy", r"(?P<stem>.+?) ?\(conflicted\)(?P<ending>\.\w+)?"),
    ("case conflict", r"(?P<stem>.+?) ?\((?:case|unicode encoding|selective sync) conflict(?: \d+)?\)(?P<ending>\.\w+)?"),
    ("[conflict]", r"(?P<stem>.+?) ?\[conflict(?: \d+)?\](?P<ending>\.\w+)?"),
    ("[conflict]", r"\[conflict(?: \d+)?\] ?(?P<stem>.+?)(?P<ending>\.\w+)?"),
    ("sync-conflict", r"(?P<stem>.+?)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?(?P<ending>\.\w+)?"),
    (".conflict", r"(?P<stem>.+?)\.conflict\d*(?P<ending>\.\w+)?"),
    ("_conflict", r"(?P<stem>.+?)_conflict-\d{8}-\d{6}(?P<ending>\.\w+)?"),
    ("host and date", r"(?P<stem>.+?)_[^_]+_[a-z]{3}-\d{2}-\d{4}-\d{4}_conflict(?:_\d+)?(?P<ending>\.\w+)?"),
    ("sfconflict", r"(?P<stem>.+?) ?\(sfconflict [^()]*\)(?P<ending>\.\w+)?"),
    ("copy of", r"copy (?:\d+ |\(\d+\) )?of (?P<stem>.+?)(?P<ending>\.\w+)?"),
)  # fmt: skip
_BESIDE_ITS_BASE: Final = (
    ("(n)", r"(?P<stem>.+?) ?\([1-9]\d?\)(?P<ending>\.\w+)?"),
    ("n", r"(?P<stem>.+?) [2-9]\d?(?P<ending>\.\w+)?"),
    ("copy", r"(?P<stem>.+?)(?: - copy| copy)(?: [2-9]\d?| \(\d+\))?(?P<ending>\.\w+)?"),
)
_HOST = re.compile(r"(?P<stem>.+?)-(?P<host>[A-Z0-9]+(?:-[A-Z0-9]+)*)(?P<ending>\.\w+)?")
_TYPICAL_HOST = re.compile(r"(DESKTOP|LAPTOP|WIN|PC|MACBOOK|IMAC)\b.*|.*-(PC|MACBOOK|LAPTOP|DESKTOP)")

_DROPPINGS: Final = (
    ("vim", r"4913|\..*\.sw[a-px]|.*\.un~"),
    ("emacs", r"\.#.*|#.*#"),
    ("backup", r".*~"),
    ("office", r"~\$.*|\.~lock\..*#"),
    ("editor", r"\.goutputstream-\w+|.*\.kate-swp|.*___jb_(tmp|old)___"),
    ("sync client", r"(\.syncthing\.|~syncthing~).*\.tmp|\.dropbox(\.attr|\.cache)?|\.owncloudsync.*|\.sync_\w+\.db.*"),
    ("download", r".*\.(crdownload|part|partial)"),
    ("system", r"\.ds_store|thumbs\.db|desktop\.ini|\._.+|\.nfs[0-9a-f]{8,}|\.fuse_hidden[0-9a-f]+|icon\r"),
    ("git", r".*\.(orig|rej)|.*\.(backup|base|local|remote)\.\d+(\.\w+)?"),
    ("ours", r".*\.partial-\d+-[0-9a-f]{8}(-held)?"),
)  # fmt: skip


def classify(name: str, siblings: Collection[str], hosts: Collection[str] = ()) -> Kind | None:
    """What a file is by its name, among the names in its folder. None: a file like any other.

    `hosts` are names of machines that share the folder: a copy that is called after one of them is known in any spelling.
    """
    for family, pattern in _compiled(_DROPPINGS):
        if pattern.fullmatch(name):
            return Dropping(family)
    if name.startswith(".") and name.lower().endswith(".icloud") and len(name) > 8:
        return Placeholder(name[1:-7])
    return _conflict(name, siblings, hosts)


def _conflict(name: str, siblings: Collection[str], hosts: Collection[str]) -> Conflict | None:
    for family, pattern in _compiled(_ALWAYS):
        if found := pattern.fullmatch(name):
            base = _base(found)
            return Conflict(base, family, base in siblings)
    for family, pattern in _compiled(_BESIDE_ITS_BASE):
        if (found := pattern.fullmatch(name)) and (base := _base(found)) in siblings:
            return Conflict(base, family, True)
    return _named_after_a_host(name, siblings, hosts)


def may_be_a_copy(name: str) -> bool:
    """Is it called as a sync client calls a copy? If it also says that it is something else, it is one, without its base."""
    return any(pattern.fullmatch(name) for _, pattern in _compiled(_BESIDE_ITS_BASE))


def _named_after_a_host(name: str, siblings: Collection[str], hosts: Collection[str]) -> Conflict | None:
    """`plan-HOST.md` beside `plan.md`. Hyphens are common in names: a host is told by its capitals, or because it is known."""
    for host in hosts:
        stem, ending = os.path.splitext(name)
        if stem.lower().endswith(f"-{host.lower()}") and (base := stem[: -len(host) - 1] + ending) in siblings:
            return Conflict(base, "host", True)
    found = _HOST.fullmatch(name)
    if found and (base := _base(found)) in siblings and _is_a_host(found["host"], found["stem"]):
        return Conflict(base, "host", True)
    return None


def _is_a_host(host: str, stem: str) -> bool:
    if not re.search("[A-Z]", host) or len(host) < 4:
        return False
    # Where everything is written in capitals, capitals say nothing.
    return stem != stem.upper() or _TYPICAL_HOST.fullmatch(host) is not None


def _base(found: re.Match[str]) -> str:
    return found["stem"] + (found["ending"] or "")


@cache
def _compiled(patterns: tuple[tuple[str, str], ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((family, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for family, pattern in patterns)


def is_not_downloaded(found: os.stat_result, *, had_content: bool) -> bool:
    """Is this file a stand-in whose bytes are elsewhere? One that had content and is empty now counts as one: a sync client that
    frees space looks the same as a program that emptied it, and only the first guess loses nothing."""
    dataless, recalled_on_access = 0x4000_0000, 0x0040_0000 | 0x1000
    if getattr(found, "st_flags", 0) & dataless or getattr(found, "st_file_attributes", 0) & recalled_on_access:
        return True
    return found.st_size == 0 and had_content


def merge_conflict(data: bytes) -> int | None:
    """The line on which an unresolved merge begins, if there is one. In a fenced block such lines are an example."""
    began, parted, fence = 0, False, b""
    for number, line in enumerate(data.splitlines(), 1):
        mark = line.lstrip()[:3]
        if mark in {b"```", b"~~~"} and (not fence or mark == fence) and not began:
            fence = b"" if fence else mark
        elif fence:
            continue
        elif line.startswith(b"<<<<<<<") and not began:
            began = number
        elif began and line.startswith(b"======="):
            parted = True
        elif began and parted and line.startswith(b">>>>>>>"):
            return began
    return None
