"""What somebody should look at in a vault. Looking changes nothing; every finding says what to do."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Set

from commonplace.formats.looked import unreadable as hidden
from commonplace.formats.vault.frontmatter import Field, fields_of
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.names import plain
from commonplace.formats.vault.note import LARGEST, is_true, understand, unreadable
from commonplace.formats.vault.scan import is_note, is_utf8, listed, may_hold_notes, placeheld
from commonplace.model.finding import Finding, Severity
from commonplace.model.words import Status
from commonplace.storage.conflict_files import Conflict, classify, merge_conflict

_TELLING = ("kind", "status", "tags", "always_load", "id")


def findings(folder: str, layout: Layout) -> Iterator[Finding]:
    waiting = [""]
    while waiting:
        path = waiting.pop()
        prefix = f"{path}/" if path else ""
        try:
            entries = sorted(listed(folder, path), key=lambda entry: entry.name)
        except OSError as cause:
            yield hidden(path or folder, cause)
            continue
        names = {entry.name for entry in entries}
        yield from _twins(prefix, names)
        for entry in entries:
            if may_hold_notes(entry, prefix, layout):
                waiting.append(prefix + entry.name)
            else:
                yield from _of_entry(folder, prefix + entry.name, entry, names, layout)


def _twins(prefix: str, names: Set[str]) -> Iterator[Finding]:
    """Names that another computer would take for one (row 46)."""
    alike = defaultdict(list)
    for name in names:
        if name.endswith(".md") and is_utf8(name):
            alike[plain(name)].append(name)
    for several in alike.values():
        if len(several) > 1:
            yield Finding(
                code="name_twins",
                message=f"{len(several)} notes have names that differ only in case or in Unicode form",
                severity=Severity.WARNING,
                where=prefix + min(several),
                hint="Rename one of them: on another computer, only one would be left.",
            )


def _of_entry(folder: str, path: str, entry: os.DirEntry[str], beside: Set[str], layout: Layout) -> Iterator[Finding]:
    name = entry.name
    if name.startswith(".") and name.endswith(".md.icloud"):
        yield _not_downloaded(placeheld(path[: -len(name)], name))
    elif name.startswith("."):
        return
    elif entry.is_symlink():
        yield from _of_link(folder, path)
    elif not name.endswith(".md") or not entry.is_file(follow_symlinks=False):
        return
    elif isinstance(copy := classify(name, beside), Conflict):
        yield _conflict_copy(path, copy)
    elif is_note(path, beside, layout):
        yield from _of_note(folder, path, entry, layout)
    elif not is_utf8(name):
        yield _unnamed(path)


def _of_link(folder: str, path: str) -> Iterator[Finding]:
    real = os.path.realpath(f"{folder}/{path}")
    root = os.path.realpath(folder)
    if os.path.exists(real) and os.path.commonpath((real, root)) == root:
        return
    yield Finding(
        code="link_not_followed",
        message="a link that leaves the vault, or leads nowhere, was not followed",
        severity=Severity.INFO,
        where=path,
        hint="Put the notes themselves into the vault if they should be read.",
    )


def _not_downloaded(path: str) -> Finding:
    return Finding(
        code="not_downloaded",
        message="a note is not downloaded; what is known of it stays",
        severity=Severity.WARNING,
        where=path,
        hint="Let the sync client keep this folder on the device.",
    )


def _conflict_copy(path: str, copy: Conflict) -> Finding:
    base = path.rsplit("/", 1)[0] + "/" + copy.base if "/" in path else copy.base
    return Finding(
        code="conflict_copy",
        message=f"a sync client kept another version of {base}; it is not read as a memory",
        severity=Severity.WARNING,
        where=path,
        hint="Compare the two, move into the note what is missing there, then delete the copy.",
    )


def _unnamed(path: str) -> Finding:
    return Finding(
        code="name_unreadable",
        message="a note's name is not UTF-8, so it is not read",
        severity=Severity.WARNING,
        where=os.fsencode(path).decode(errors="replace"),
        hint="Rename it.",
    )


def _of_note(folder: str, path: str, entry: os.DirEntry[str], layout: Layout) -> Iterator[Finding]:
    try:
        seen = entry.stat(follow_symlinks=False)
    except OSError as cause:
        yield hidden(path, cause)
        return
    if layout.is_loose(path):
        yield Finding(
            code="loose_note",
            message=f"a note lies right in {layout.store}/, where none belongs",
            severity=Severity.WARNING,
            where=path,
            hint=f"Move it into {layout.memory_root}/, or out of {layout.store}/.",
        )
    if seen.st_nlink > 1:
        yield Finding(
            code="hard_link",
            message="the file has another name elsewhere, which will not see what is written here",
            severity=Severity.INFO,
            where=path,
            hint="Keep one of the two.",
        )
    if seen.st_size > LARGEST:
        yield _unreadable(path, f"larger than {LARGEST} bytes")
        return
    try:
        with open(f"{folder}/{path}", "rb") as file:
            raw = file.read()
    except OSError as cause:
        yield hidden(path, cause)
        return
    yield from _of_text(path, raw, layout)


def _of_text(path: str, raw: bytes, layout: Layout) -> Iterator[Finding]:
    reason = unreadable(raw)
    text = raw.decode(errors="replace")
    if reason is None and (line := merge_conflict(raw)):
        hint = "Decide between the two versions in an editor."
        yield Finding(code="merge_conflict", message="an unresolved merge", where=f"{path}:{line}", hint=hint)
        return
    if reason:
        yield _unreadable(path, reason)
        return
    if "\ufffd" in text and not _is_utf8(raw):
        yield _odd(path, "some bytes are no UTF-8: it is read, and not written to", "Save it as UTF-8 in your editor.")
    note = understand(path, text, layout)
    keys = [field.key for field in fields_of(note.block)]
    if note.block.is_open:
        yield _odd(path, "its frontmatter has no end", "Close it with a line of three hyphens.")
    if len(keys) != len({*keys}):
        yield _odd(path, "a field stands in the frontmatter twice; the last one counts", "Take one of them out.")
    if not layout.is_personal(path):
        yield from _odd_fields(path, note.fields, note.said["status"], layout)


def _odd_fields(path: str, fields: dict[str, Field], status: Status, layout: Layout) -> Iterator[Finding]:
    unclear = [key for key in _TELLING if key in fields and not fields[key].is_simple]
    if unclear:
        hint = "Write it as one word or a simple list."
        yield _odd(path, f"not understood in the frontmatter: {', '.join(unclear)}", hint)
    line, spot = fields.get("always_load"), layout.spot(path)
    if line is None or not (status is spot.status is Status.ACTIVE) or is_true(line.value) == spot.always_load:
        return
    yield Finding(
        code="always_load_mismatch",
        message="the note's folder and its line `always_load` disagree; the folder decides",
        severity=Severity.WARNING,
        where=path,
        hint=f"Move it into or out of {layout.always_load}/, or change the line.",
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _unreadable(path: str, reason: str) -> Finding:
    return Finding(
        code="not_understood",
        message=f"not read: {reason}",
        severity=Severity.WARNING,
        where=path,
        hint="Look at it in your editor; nothing of it was changed.",
    )


def _odd(path: str, message: str, hint: str) -> Finding:
    return Finding(code="frontmatter_odd", message=message, severity=Severity.WARNING, where=path, hint=hint)
