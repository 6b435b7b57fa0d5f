"""A command's arguments and options, made from the fields of its request, and a request made from what was typed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

import msgspec

from commonplace.model.base import Closed
from commonplace.model.words import SCOPE_WORDS, Relation, Scope, Status, Trust, Type, Verb
from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError, did_you_mean
from commonplace.surfaces.operations import Described

# The closed lists behind fields that are plain text in a request: for the help and for completion. The engine judges.
_WORDS: dict[str, tuple[str, ...]] = {
    "type": tuple(Type),
    "types": tuple(Type),
    "scope": (*Scope, *SCOPE_WORDS),
    "scopes": tuple(Scope),
    "statuses": (*Status, "all"),
    "trust": tuple(Trust),
    "trusts": tuple(Trust),
    "relation": tuple(Relation),
    "verb": tuple(Verb),
    "capture_mode": ("transcript", "notes", "summary"),
}
_SINGULAR = {"statuses": "status", "aliases": "alias"}
_IDS = ("after", "supersedes", "run", "project", "repo", "agent", "tenant")
YES = Option(("--yes", "-y"), "yes", help="do not ask; this cannot be undone")


class Field:
    """One field of a request, as the command line sees it."""

    def __init__(self, found: msgspec.structs.FieldInfo) -> None:
        annotated, meta = get_args(found.type)
        # `str | None` and `tuple[str, ...] | None` are what they are without the None
        sorts = (
            [sort for sort in get_args(annotated) if sort is not type(None)] if _may_be_none(annotated) else [annotated]
        )
        self.name: str = found.name
        self.many = getattr(sorts[0], "__origin__", None) is tuple
        self.type: type = str if self.many else sorts[0]
        self.required: bool = found.required
        self.help: str = meta.description or ""
        self.default: Any = None if found.required else found.default

    @property
    def choices(self) -> tuple[str, ...]:
        return _WORDS.get(self.name, ())


def fields_of(operation: Described) -> dict[str, Field]:
    return {found.name: Field(found) for found in msgspec.structs.fields(operation.request_class())}


def options_of(operation: Described) -> tuple[Option, ...]:
    fields = fields_of(operation)
    found = tuple(_option(field) for name, field in fields.items() if name not in operation.positional)
    return (*found, YES) if operation.destroys else found


def request_of(operation: Described, parsed: Parsed) -> Any:
    """The request that was typed. What is missing or of the wrong sort is refused here; the rest is for the engine."""
    fields = fields_of(operation)
    values: dict[str, Any] = {}
    for name, text in _arguments(operation, parsed.arguments, fields).items():
        if isinstance(text, tuple):
            values[name] = text
        elif name == "source":
            values |= _material(text)
        elif fields[name].type is datetime:
            # As an argument a time says until when something is put off, and that lies ahead.
            values[name] = _moment(text, placeholder(name), ahead=True)
        else:
            values[name] = _piped() if name == "content" and text == "-" else _path(name, text)
    for name, given in parsed.options.items():
        if name in fields:
            values[name] = _value(fields[name], given)
    missing = [field for field in fields.values() if field.required and field.name not in values]
    if missing:
        words = f": {', '.join(missing[0].choices)}" if missing[0].choices else ""
        raise UsageError(
            f"{operation.name} needs {_option(missing[0]).shown}", f"{missing[0].help.capitalize()}{words}."
        )
    from commonplace.engine.scribe import ask

    return ask(operation.request_class(), **values)


def _arguments(operation: Described, given: list[str], fields: dict[str, Field]) -> dict[str, str | tuple[str, ...]]:
    """What was given, by name. What a request can do without may be left out at the end; a list at the end takes the rest."""
    wanted = operation.positional
    if wanted and fields[wanted[-1]].many and len(given) > len(wanted):
        named = dict(zip(wanted[:-1], given, strict=False))
        return {**named, wanted[-1]: tuple(given[len(wanted) - 1 :])}
    if not sum(fields[name].required for name in wanted) <= len(given) <= len(wanted):
        # What was typed is not repeated: a stray word may be half of an unquoted secret.
        needs = " ".join(placeholder(name) for name in wanted) or "no arguments"
        raise UsageError(f"{operation.name} takes {needs}; {len(given)} given", _usage(operation, given))
    return dict(zip(wanted, given, strict=False))


def _usage(operation: Described, given: list[str]) -> str:
    """How it is written; where something is too much, what was probably meant."""
    usage = f"Usage: commonplace {operation.example}"
    if len(given) <= len(operation.positional):
        return usage
    if "content" in operation.positional or "query" in operation.positional or "task" in operation.positional:
        return "Put quotes around text with spaces. " + usage
    from commonplace.surfaces.operations import BY_NAME

    before = f"{operation.name}-"
    second = tuple(name.removeprefix(before) for name in BY_NAME if name.startswith(before))
    return did_you_mean(given[0], second, f"{operation.name} ") or usage


def placeholder(name: str) -> str:
    """The word that stands for an argument in the help."""
    return {"from_id": "ID", "to_id": "OTHER", "other_id": "OTHER"}.get(name, name.upper())


def _may_be_none(annotated: Any) -> bool:
    return type(None) in get_args(annotated)


def _option(field: Field) -> Option:
    return Option(
        names=tuple(f"--{name.replace('_', '-')}" for name in _names(field)),
        field=field.name,
        takes=_takes(field),
        help=field.help,
        many=field.many,
        required=field.required,
        choices=field.choices,
    )


def _names(field: Field) -> list[str]:
    """The field's own name, then what people would rather type."""
    names = [field.name]
    for ending in ("_id", "_ref"):
        if field.name.endswith(ending):
            names.append(field.name.removesuffix(ending))
    if field.name in ("project", "repo", "agent"):
        names.append(field.name + "_id")
    if field.many:
        names.append(_SINGULAR.get(field.name, field.name.removesuffix("s")))
    return names


def _takes(field: Field) -> str:
    if field.type is bool:
        return ""
    if field.many:
        return f"{_SINGULAR.get(field.name, field.name.removesuffix('s')).upper()},..."
    if issubclass(field.type, Closed):
        return field.name.upper()
    by_type: dict[type, str] = {datetime: "TIME", int: "N", float: "NUMBER"}
    return by_type.get(field.type) or ("ID" if field.name.endswith("_id") or field.name in _IDS else "TEXT")


def _value(field: Field, given: list[str]) -> Any:
    if field.many:
        return tuple(given)
    name = _option(field).names[0]
    if field.type is bool:
        return True
    if field.type is datetime:
        return _moment(given[-1], name)
    if field.type in (int, float):
        return number(given[-1], name, field.type)
    return given[-1]


def _moment(text: str, name: str, *, ahead: bool = False) -> datetime:
    from commonplace.surfaces.cli.moments import moment

    return moment(text, name, ahead=ahead)


def number(text: str, name: str, sort: type = float) -> Any:
    try:
        read = sort(text)
    except ValueError:
        read = float("nan")
    if not float("-inf") < read < float("inf"):  # holds for no nan either
        raise UsageError(f"{name}: not a number", f"For example: {name} {3 if sort is int else 0.5}")
    return read


def _path(name: str, text: str) -> str:
    if name == "path" and text == "-":
        raise UsageError("name a file; - is understood for content only")
    return text


def _material(text: str) -> dict[str, str]:
    """What a file holds, or the pipe for `-`; or the id of a source that is in the book already."""
    import os
    import sys

    from commonplace import settings
    from commonplace.ingest.readers.material import text_of
    from commonplace.storage.atomic_write import LocalFiles

    if text == "-":
        return {"source": text_of(sys.stdin.buffer.read(settings.MAX_MATERIAL_BYTES + 1))}
    if len(text) == 26 and text.isalnum() and not os.path.exists(text):
        return {"source": text}
    with LocalFiles().reading(text) as file:
        return {"source": text_of(file.read(settings.MAX_MATERIAL_BYTES + 1)), "uri": os.path.basename(text)}


def _piped() -> str:
    """`-` stands for what comes in through the pipe. The last line end belongs to the pipe, not to the text."""
    import sys

    from commonplace import settings

    if sys.stdin.isatty():
        sys.stderr.write("Write the text; end it with Ctrl-D on a line of its own.\n")
    read = sys.stdin.buffer.read(settings.MAX_CONTENT_BYTES + 16)
    if len(read) > settings.MAX_CONTENT_BYTES + 8:
        return read.decode(errors="replace")  # too long whatever it says; cut here, it may end within a character
    try:
        return read.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as cause:
        raise UsageError(
            f"the text is not UTF-8 (byte {cause.start})", "Convert it first, for example with iconv."
        ) from None
