"""`import_source`: keep raw material without doing anything with it. It stays raw until it is captured (rfc 51, R-c)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.capture import Material, describe, keep
from commonplace.engine.scribe import Scribe
from commonplace.errors import InvalidError
from commonplace.model.base import set_once
from commonplace.model.source import Source
from commonplace.model.words import SourceKind, Verb


class ImportSource(Material, frozen=True, kw_only=True):
    """Material to keep for later."""

    kind: Annotated[SourceKind, Meta(description="document, conversation, run or import")] = SourceKind.IMPORT

    def __post_init__(self) -> None:
        super().__post_init__()
        set_once(self, "kind", SourceKind.of(self.kind, "kind"))
        if self.kind is SourceKind.MANUAL:
            raise InvalidError("kind: manual is what `save` makes", hint="Use document or import.", where="kind")


def import_source(scribe: Scribe, asked: ImportSource) -> Source:
    """One source and no event. The same material twice is one source."""
    from commonplace.ingest.reading import read

    made = describe(scribe, asked, read(asked.source, asked.format), asked.kind)
    with scribe.writing() as pen:
        source = keep(pen, made)
        if source is made:
            pen.sign(Verb.IMPORT)
        return source
