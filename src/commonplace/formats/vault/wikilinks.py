"""Links between notes: `[[target]]`, `[[target|label]]`, `![[embed]]`, `[label](path.md)`; found in the text, and kept sound.

What stands in code is not a link. A link says that two notes have to do with each other; a word of our relations before it,
or a field of the frontmatter that is called like one, says how (A49). Two relations have consequences, `supersedes` and
`derived_from`: those are believed in the frontmatter only, because a sentence is too easily written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname, join, normpath, relpath
from typing import NamedTuple
from urllib.parse import quote, unquote

from commonplace.formats.vault.code import Code
from commonplace.formats.vault.frontmatter import Field
from commonplace.model.words import Relation

_WIKI = re.compile(r"\[\[(?P<target>[^\[\]|#^\r\n]+)(?P<rest>[#^|][^\[\]\r\n]*)?\]\]")
_MARKDOWN = re.compile(r"(?<!\\)\]\((?P<open><?)(?P<path>[^()<>\s#]+\.md)(?P<rest>#[^()\s>]*)?(?P<shut>>?)(?=[ \t)])")
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|pdf|mp[34]|m4a|wav|ogg|flac|webm|mov|mkv|canvas|base|excalidraw|zip|csv)\Z",
    re.IGNORECASE,
)
_TAG = re.compile(r"(?<![\w/#&])#([\w/-]+)")
_CUES = re.compile(r"\b(supports|contradicts|applies[ _]to|related[ _]to)(?:::?)?[ \t]+\Z", re.IGNORECASE)
_RELATIONS = {
    "supersedes": Relation.SUPERSEDES,
    "derived_from": Relation.DERIVED_FROM,
    "supports": Relation.SUPPORTS,
    "contradicts": Relation.CONTRADICTS,
    "applies_to": Relation.APPLIES_TO,
    "related_to": Relation.RELATED_TO,
}


class Reference(NamedTuple):
    """A link as it stands in a text."""

    start: int
    end: int
    """Where the target's own characters stand."""
    target: str
    """The note that is meant: a name, or a path from the vault's folder."""
    is_wiki: bool


def references(text: str, folder: str) -> Iterator[Reference]:
    """Every link of a text that lies in this folder, in order."""
    if "[[" not in text and ".md" not in text:
        return
    code = Code(text)
    for found in _WIKI.finditer(text):
        if not code.holds(found.start()):
            target = found["target"].rstrip().removesuffix("\\")  # in a table, `|` is written as `\|`
            if not _ATTACHMENT.search(target):
                end = found.start("target") + len(target)
                yield Reference(found.start("target"), end, _meant(target, folder), True)
    for found in _MARKDOWN.finditer(text):
        if "://" not in found["path"] and not code.holds(found.start()):
            yield Reference(found.start("path"), found.end("path"), _by_path(unquote(found["path"]), folder), False)


def _meant(target: str, folder: str) -> str:
    target = target.strip()
    if target.startswith(("./", "../")):
        target = normpath(join(folder, target))
    named = "/" in target and not target.endswith(".md")
    return f"{target.lstrip('/')}.md" if named else target.lstrip("/")


def _by_path(path: str, folder: str) -> str:
    return path[1:] if path.startswith("/") else normpath(join(folder, path))


def links_of(body: str, fields: Sequence[Field], lines: Sequence[str], path: str) -> tuple[tuple[str, str], ...]:
    """Relation and target of every link of a note, each once, in their order."""
    folder = dirname(path)
    found: dict[tuple[str, str], None] = {}
    any_link = any("[[" in line for line in lines)
    for field in fields:
        if any_link or field.key in _RELATIONS:
            found.update(dict.fromkeys(_of_field(field, lines, folder)))
    for one in references(body, folder):
        before = body[max(0, one.start - 24) : one.start - 2]
        cue = _CUES.search(before) if one.is_wiki else None
        relation = _RELATIONS[cue[1].lower().replace(" ", "_")] if cue else Relation.RELATED_TO
        found[relation, one.target] = None
    return tuple((str(relation), target) for relation, target in found)


def _of_field(field: Field, lines: Sequence[str], folder: str) -> Iterator[tuple[Relation, str]]:
    relation = _RELATIONS.get(field.key)
    if relation is None:
        if field.key == "superseded_by":
            return  # the other end says it
        text = "".join(lines[field.first : field.after])
        yield from ((Relation.RELATED_TO, one.target) for one in references(text, folder) if one.is_wiki)
        return
    values = field.value if isinstance(field.value, list) else [field.value] if field.value else []
    for value in values:
        linked = [one.target for one in references(value, folder)]
        yield from ((relation, target) for target in linked or [_meant(value, folder)] if target)


def inline_tags(body: str) -> list[str]:
    """`#tags` in the text, outside of code."""
    code = Code(body)
    found = (tag for tag in _TAG.finditer(body) if not tag[1].isdigit() and not code.holds(tag.start()))
    return [name for tag in found if (name := tag[1].strip("/"))]


def link_to(path: str) -> str:
    """A link to the note at this path, for the frontmatter; by its path, so that no other note of the name is meant."""
    return f"[[{path[:-3]}]]"


def relinked(text: str, at: str, moved: str, to: str) -> str:
    """The text of the note `at` a path, with the links that would lose the note that `moved` turned to where it is now.

    A link by name stays as it is while the name stays.
    """
    pieces, last = [], 0
    for one in sorted(references(text, dirname(at))):
        new = _turned(one, text[one.start : one.end], at, moved, to)
        if new is not None:
            pieces += [text[last : one.start], new]
            last = one.end
    return "".join((*pieces, text[last:])) if pieces else text


def _turned(one: Reference, said: str, at: str, moved: str, to: str) -> str | None:
    if not one.is_wiki:
        return quote(relpath(to, dirname(at) or "."), safe="/-_.~!$&'*+,;=:@") if one.target == moved else None
    suffix = ".md" if said.endswith(".md") else ""
    if "/" in one.target:
        return to[:-3] + suffix if _is_at(one.target, moved) else None
    stem, new = moved.rsplit("/", 1)[-1][:-3], to.rsplit("/", 1)[-1][:-3]
    return new + suffix if one.target.removesuffix(".md").casefold() == stem.casefold() and new != stem else None


def _is_at(target: str, path: str) -> bool:
    """Does a link by path, whole or only the end of it, mean the note at this path?"""
    return path == target or path.endswith(f"/{target}")
