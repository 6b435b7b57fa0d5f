"""Markdown: kept as it is. Each paragraph is a piece; the first heading is the title."""

from __future__ import annotations

import re

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.text import paragraphs
from commonplace.model.transcript import Transcript

_HEADING = re.compile(r"^#{1,6} +(\S.*)$", re.MULTILINE)
_MARKS = re.compile(r"^(?:#{1,6} +\S|[-*+] +\S|> +\S|```|\d{1,3}\. +\S|\|.+\|)", re.MULTILINE)


def read(material: Material) -> Transcript | None:
    text = material.text.strip("\n")
    heading = _HEADING.search(text) if "# " in text else None
    if heading is None and len(_MARKS.findall(text[:20_000])) < 3:
        return None
    title = heading[1].strip().rstrip("#").strip()[:80] if heading else None
    return Transcript(format="markdown", body=text, pieces=paragraphs(text), title=title)
