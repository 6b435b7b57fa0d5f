"""A vault as people have them: free notes of every sort, the editor's own files, plugins' data, attachments, drawings.

`make(folder)` lays out the small hand-made vault beside this file and then as many free notes as are asked for, the same ones
for the same seed. Nothing in it was written by Commonplace.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

_LONG_AGO = 1_760_000_000  # what was written a moment ago, and lacks its last line's end, may not be done yet
HERE = Path(__file__).parent / "vault"

_WORDS = str.split(
    "plan port meeting garden budget Ångström café naïve 日本語 данные שלום release router recipe bicycle Sunday invoice "
    "password-manager deadline 🦅 v1.2 C++ (draft) AT&T"
)
_FRONTMATTERS = (
    "",
    "---\ntags: [{a}, {b}]\n---\n",
    "---\ntags:\n  - {a}\n  - {b}\ncreated: 2026-0{n}-1{n}\n---\n",
    "---\naliases: {a} {b}\ncssclasses: wide\nrating: {n}\n---\n\n",
    "---\ntitle: '{a}: {b}'\nstatus: draft\n# a comment\nnested:\n  deep: {{x: [1, 2]}}\n---\n",
    "---\nkind: meeting\nanchor: &a {a}\nalias: *a\n---\n",
    "---\nunclosed: {a}\n",
    "---\n---\n",
    "---\r\ntags: {a}, {b}\r\n---\r\n",
    '---\nlocation: "[[{a}]]"\npublish: no\ndate: {n}\ndate: 2{n}\n---\n',
)
_BLOCKS = (
    "# {a} {b}\n\n", "{a} {b} #{a}/{b}, see [[Note {n}]] and [[Note {n}|{b}]].\n\n", "- [ ] {a}\n- [x] {b} ^block\n\n",
    "> [!note] {a}\n> {b}\n\n", "![[photo.png|300]]\n![[Note {n}#{a}]]\n\n", "```js\nlet x = '[[not a link]]' // {a}\n```\n\n",
    "| {a} | {b} |\n|---|---|\n| {n} | 2 |\n\n", "$$ x^{n} $$ and %%a comment%%\n\n", "{a}:: {b}\n\n", "---\n\n{a}\n\n***\n",
    "[{a}](Note%20{n}.md) and [web](https://example.org/{n}.md)\n\n", "```dataview\nTABLE {a} FROM #{b}\n```\n\n",
    "<div>{a}</div>\n",
    "line one  \nline two\\\nline three\t{a}\u00a0{b}\n\n", "{{{{date}}}} <% tp.file.title %>\n",
)  # fmt: skip
_FOLDERS = (
    "",
    "Daily",
    "Projects/Atlas",
    "Projects/Atlas/Archive",
    "Läden & mehr",
    "日記",
    "_archive",
    "Areas/Health (own)",
)


def make(folder: Path, free_notes: int = 0, seed: int = 5) -> None:
    shutil.copytree(HERE, folder, dirs_exist_ok=True)
    for path in folder.rglob("*"):
        os.utime(path, (_LONG_AGO, _LONG_AGO))
    chance = random.Random(seed)
    for number in range(free_notes):
        path = (
            folder / chance.choice(_FOLDERS) / f"Note {number}{chance.choice(['', ' ü', ' (draft)', '.v2', ' - x'])}.md"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_note(chance, number))
        os.utime(path, (_LONG_AGO + number, _LONG_AGO + number))


def _note(chance: random.Random, number: int) -> bytes:
    said = {"a": chance.choice(_WORDS), "b": chance.choice(_WORDS), "n": str(number % 9 + 1)}
    blocks = [chance.choice(_BLOCKS) for _ in range(chance.choice((0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8)))]
    text = "".join([chance.choice(_FRONTMATTERS), *blocks]).format(**said)
    if chance.random() < 0.1:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    if chance.random() < 0.3:
        text = text.rstrip("\r\n")
    mark = b"\xef\xbb\xbf" if chance.random() < 0.05 else b""
    tail = b"\xe9 latin\n" if chance.random() < 0.03 else b""
    return mark + text.encode() + tail
