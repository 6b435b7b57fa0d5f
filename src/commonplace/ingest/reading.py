"""Raw material becomes a transcript: the first reader that knows the format has it, and plain text knows them all."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import msgspec

from commonplace import settings
from commonplace.errors import InvalidError, TooLargeError
from commonplace.ingest.readers.material import Material
from commonplace.ingest.redaction import without_secrets
from commonplace.model.transcript import Transcript

FORMATS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "openclaw": "openclaw",
    "chatgpt-export": "chatgpt_export",
    "claude-export": "claude_export",
    "messages": "messages",
    "markdown": "markdown",
    "text": "text",
}
"""Format and reader, in the order in which they are asked: what is most particular goes first."""


def read(raw: str | bytes, format: str | None = None) -> Transcript:
    """What the material says, without the secrets in it. A named format is tried alone; else each, and plain text at last."""
    material = _material(raw)
    return _kept(_understood(material, format)[0])


def read_each(raw: str | bytes, format: str | None = None) -> list[Transcript]:
    """As `read`, one transcript for each conversation: a data export holds many."""
    material = _material(raw)
    whole, reader = _understood(material, format)
    several: list[Transcript] = reader.each(material) if hasattr(reader, "each") else []
    return [_kept(one) for one in several] if len(several) > 1 else [_kept(whole)]


def _material(raw: str | bytes) -> Material:
    if len(raw) > settings.MAX_MATERIAL_BYTES:
        raise TooLargeError(f"the material is larger than {settings.MAX_MATERIAL_BYTES} bytes", where="source")
    material = Material(raw)
    if not material.text.strip():
        raise InvalidError("there is nothing in it", hint="Give the material itself, or a file.", where="source")
    return material


def _kept(understood: Transcript) -> Transcript:
    found = without_secrets(understood)
    if len(found.body) > settings.MAX_SOURCE_CHARS:
        raise TooLargeError(
            f"{len(found.body)} characters; the limit is {settings.MAX_SOURCE_CHARS}",
            where="source",
            hint="Split it, one conversation at a time.",
        )
    return found


def _understood(material: Material, format: str | None) -> tuple[Transcript, ModuleType]:
    if format is not None and format not in FORMATS:
        raise InvalidError(f"format: use one of: {', '.join(FORMATS)}", where="format")
    for name in FORMATS if format is None else (format,):
        reader = import_module(f"commonplace.ingest.readers.{FORMATS[name]}")
        found: Transcript | None = reader.read(material)
        if found is not None:
            return _noted(found, material) if name == "text" and format is None else found, reader
    raise InvalidError(
        f"format: this is not {format}", where="format", hint="Leave the format out to have it looked at."
    )


def _noted(found: Transcript, material: Material) -> Transcript:
    """JSON that no reader knows is taken as plain text, and said so."""
    if material.document is None and not material.lines:
        return found
    return msgspec.structs.replace(found, note="no reader knows this format; it was taken as plain text")
