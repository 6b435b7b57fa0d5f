"""`_index.md`: what there is in the store, by kind, made from the notes and never kept by hand (A17).

The same notes give the same bytes: sorted, without a date. Each line ends in the note's id, which the editor does not show;
so after a change only the lines of the notes it touched are made anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.names import safe_name
from commonplace.formats.vault.wikilinks import link_to
from commonplace.model.filter import Filter
from commonplace.model.hashing import sha256
from commonplace.model.words import Status
from commonplace.seam.format import Put, Shelf

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

_HEAD = "# Index\n\nMade from the notes. It is written anew when they change; what you write here is lost.\n"
_LINE = re.compile(r"- \[\[.*%% (?P<kind>\S+) (?P<id>\S+) %%")
_BREAKS = re.compile(r"[\[\]|%\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SHOWN = 80


def derived(view: View, shelf: Shelf, altered: Sequence[str], layout: Layout) -> list[Put]:
    """The index, if it must be written anew."""
    try:
        before = shelf.content(layout.index_path)
    except CommonplaceError:  # something else stands at its name
        return []
    lines = _kept(before, {*map(_word, altered)}) if before is not None else None
    if lines is None:
        lines = [*_lines(_all(view), shelf, layout)]
    else:
        records = (record for id in altered if (record := view.memory(id)) is not None and record.id == id)
        lines += _lines(records, shelf, layout)
    if before is None and not lines:
        return []  # a vault without a store gets none
    after = _written(lines).encode()
    return [] if after == before else [Put(layout.index_path, after, None if before is None else sha256(before))]


def _kept(raw: bytes, altered: set[str]) -> list[str] | None:
    """The lines of the present index that still hold; None if it is not as we write it."""
    text = raw.decode(errors="replace")
    if not text.startswith(_HEAD):
        return None
    lines = []
    for line in text[len(_HEAD) :].split("\n"):
        found = _LINE.fullmatch(line)
        if found is None and line and not line.startswith("## "):
            return None
        if found and found["id"] not in altered:
            lines.append(line)
    return lines


def _all(view: View) -> Iterator[MemoryRecord]:
    return view.memories(Filter(statuses=(Status.ACTIVE,)))


def _lines(records: Iterable[MemoryRecord], shelf: Shelf, layout: Layout) -> Iterator[str]:
    for record in records:
        known = shelf.known(record.id) if record.status is Status.ACTIVE else None
        if known is not None and not layout.is_personal(known.place.path) and known.place.path.isprintable():
            yield _line(record, known.place.path)


def _line(record: MemoryRecord, path: str) -> str:
    title = record.title or record.slug or record.content
    label = " ".join(_BREAKS.sub(" ", title[:400]).split())[:_SHOWN].strip() or record.id
    tags = "".join(f" #{tag}" for tag in record.tags if re.fullmatch(r"[\w/-]+", tag))
    return f"- {link_to(path)[:-2]}|{label}]]{tags} %% {_word(record.kind)} {_word(record.id)} %%"


def _word(text: str) -> str:
    return safe_name(text).replace(" ", "%20")


def _written(lines: list[str]) -> str:
    """Sections by kind, lines by path."""
    by_kind: dict[str, list[str]] = {}
    for line in lines:
        found = _LINE.fullmatch(line)
        if found:
            by_kind.setdefault(found["kind"], []).append(line)
    sections = [f"\n## {kind}\n\n" + "".join(f"{line}\n" for line in sorted(by_kind[kind])) for kind in sorted(by_kind)]
    return _HEAD + "".join(sections)
