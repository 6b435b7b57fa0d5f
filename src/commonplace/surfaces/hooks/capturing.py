"""Keeping the transcript of a session that has ended: only where the user has chosen so, and only what may be read (rfc 8-10).

`[hooks] capture = true` in the config file is the choice, or `--capture` in the command that `install --capture` writes.
Sessions that nobody ended are found by the idle sweep.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.places import configured
from commonplace.surfaces.hooks import markers, reach, transcript
from commonplace.surfaces.hooks.hosts import HOSTS, Host
from commonplace.surfaces.hooks.payload import Skip

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commonplace.surfaces.hooks.markers import Marker
    from commonplace.surfaces.hooks.which_book import Chosen


class Choice:
    """Is capture wanted, and which folders may be read beside the agents' own?"""

    def __init__(self, *, wanted: bool, roots: tuple[str, ...]) -> None:
        self.wanted, self.roots = wanted, roots


def choice_of(*, asked: bool) -> Choice:
    """What the config file and the command say. Only `true` is yes."""
    said = configured().get("hooks")
    said = said if isinstance(said, dict) else {}
    roots = said.get("transcripts")
    folders = tuple(one for one in roots if isinstance(one, str)) if isinstance(roots, list) else ()
    return Choice(wanted=asked or said.get("capture") is True, roots=folders)


def capture(marker: Marker, path: str | None, host: Host, choice: Choice, chosen: Chosen, seconds: float) -> str:
    """Hand the new part of a transcript to the book; returns what to say. `Skip` if there is nothing to hand over."""
    if chosen.by_project:
        raise Skip("not captured: the book was named by the project, not by you")
    path = path or marker.text("transcript")
    if path is None:
        raise Skip("not captured: no transcript is named")
    material, end = transcript.new_in(path, host, choice.roots, marker.number("captured"))
    question = reach.Question(
        "session-end",
        url=chosen.url,
        host=host.name,
        project=marker.text("project"),
        repo=marker.text("repo"),
        seconds=seconds,
    )
    event = reach.capture(question, material, os.path.basename(path))
    marker.note(captured=end)
    return f"captured {len(material)} bytes, event {event}"


def sweep(folders: Iterable[str], choice: Choice, chosen: Chosen, seconds: float) -> int:
    """End the sessions that nobody ended; returns how many of them were captured."""
    captured = 0
    for marker in [marker for folder in dict.fromkeys(folders) for marker in markers.tidy(folder)]:
        if not marker.reflect():
            continue  # another process has it
        host = HOSTS.get(marker.text("host") or "")
        if not choice.wanted or host is None:
            continue
        try:
            capture(marker, None, host, choice, chosen, seconds)
            captured += 1
        except Skip:
            continue
        except Exception:
            marker.take_back()
            raise
    return captured
