"""What a caller of the library hands over: a text, bytes, messages, a path to read, or a source that is here already."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace import settings
from commonplace.errors import InvalidError
from commonplace.model.source import Source

if TYPE_CHECKING:
    from commonplace.engine.scribe import Scribe


def handed_over(scribe: Scribe, given: object, uri: str | None) -> dict[str, str | None]:
    """The fields of a request. A text is never taken for a path: only a path object is read."""
    if isinstance(given, Source):
        return {"source": given.id, "uri": uri}
    from commonplace.ingest.readers.material import text_of

    if isinstance(given, (str, bytes)):
        return {"source": text_of(given), "uri": uri}
    if isinstance(given, (list, tuple, dict)):
        return {"source": _written(given), "uri": uri}
    if not isinstance(given, os.PathLike):
        raise InvalidError("source: give a text, bytes, messages, a path or a source", where="source")
    path = os.fspath(given)
    with scribe.files.reading(path) as file:
        read = file.read(settings.MAX_MATERIAL_BYTES + 1)
    return {"source": text_of(read), "uri": uri or os.path.basename(path)}


def _written(messages: object) -> str:
    """Messages as a program holds them, in the form in which a file would."""
    import msgspec

    try:
        return msgspec.json.encode(messages).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        raise InvalidError("source: these messages cannot be written as JSON", where="source") from None
