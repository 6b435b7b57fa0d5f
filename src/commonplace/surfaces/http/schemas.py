"""Every request and every answer as a JSON schema; what several share is there once.

The types say most of it. What they leave to the verbs is added here by the name of the field, so that a reader of the document
knows it too: the words of a closed list, a moment that needs its time zone, how many and how sure. What remains are rules about
texts, and about several fields at once; those are told with 422.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

import msgspec

from commonplace import settings
from commonplace.engine.scribe import _lists_of
from commonplace.model.words import Scope, Status, Trust, Type, Verb
from commonplace.retrieve.budgets import PHASES
from commonplace.retrieve.profiles import PROFILES
from commonplace.surfaces.http.answer_types import answer_types
from commonplace.surfaces.http.routes import ROUTES, Route

REF = "#/components/schemas/{name}"
Schema = dict[str, Any]

_MOMENT = {"format": "date-time"}
_WORDS: dict[str, list[str]] = {
    "scope": [*Scope],
    "scopes": [*Scope],
    "types": [*Type],
    "trusts": [*Trust],
    "statuses": [*Status, "all"],
    "verb": [*Verb],
    "moment": ["session_start", "goal", "prompt", "phase", "task", "agent_call"],
    "phase": [*PHASES, ""],  # an empty one is none
    "profile": [*PROFILES],
    "state": ["open", "resolved", "all"],
}
_RANGES: dict[str, Schema] = {
    "confidence": {"minimum": 0, "maximum": 1},
    "budget": {"minimum": 0, "maximum": 1_000_000},
}
_LIMITS: dict[str, Schema] = {
    "search": {"minimum": 1, "maximum": settings.MAX_SEARCH_LIMIT},
    **{
        name: {"minimum": 1, "maximum": settings.MAX_LIST_LIMIT}
        for name in ("list", "links", "conflicts", "consolidate")
    },
    "journal": {"minimum": 1},
}
"""Whose `limit` is a page's; the work of others may be as long as one likes."""


class Schemas:
    def __init__(self) -> None:
        asked = [route.operation.request_class() for route in ROUTES]
        answered = [one for route in ROUTES for one in answer_types(route.operation)]
        found, self.components = msgspec.json.schema_components(
            [*asked, *answered], schema_hook=lambda _: {"description": "any JSON"}, ref_template=REF
        )
        self._known = list(zip([*asked, *answered], found, strict=True))
        for route in ROUTES:
            self._tell(route)

    def of(self, *sorts: Any) -> Schema:
        """The schema of what is one of these."""
        found = [next(schema for known, schema in self._known if known == one) for one in sorts]
        return found[0] if len(found) == 1 else {"anyOf": found}

    def fields(self, route: Route) -> Schema:
        """The schema of an operation's request itself."""
        name = self.of(route.operation.request_class())["$ref"].rpartition("/")[2]
        found: Schema = self.components[name]
        return found

    def _tell(self, route: Route) -> None:
        """What the types of a request do not say."""
        cls, described = route.operation.request_class(), self.fields(route)
        described["additionalProperties"] = False
        for field in msgspec.structs.fields(cls):
            schema = described["properties"][field.name]
            for sort in _sorts(schema):
                sort.update(_told(route, field.name, field.type))
                sort.get("items", {}).update(_words(field.name))
            if field.name in _lists_of(cls):
                _or_one(schema, field.name)


def _sorts(schema: Schema) -> list[Schema]:
    """What a value may be, without null."""
    found = [sort for sort in schema.get("anyOf", [schema]) if sort.get("type") != "null"]
    return [sort for sort in found if "$ref" not in sort]


def _told(route: Route, name: str, sort: Any) -> Schema:
    plain = get_args(sort)[0]
    if datetime in (plain, *get_args(plain)):
        return _MOMENT
    if name == "limit":
        return _LIMITS.get(route.operation.name, {})
    return _RANGES.get(name) or ({} if tuple in _origins(plain) else _words(name))


def _origins(plain: Any) -> set[Any]:
    return {getattr(one, "__origin__", one) for one in (plain, *get_args(plain))}


def _words(name: str) -> Schema:
    return {"enum": _WORDS[name]} if name in _WORDS else {}


def _or_one(schema: Schema, name: str) -> None:
    """One word stands for a list of one."""
    one = {"type": "string", **_words(name)}
    if "anyOf" in schema:
        schema["anyOf"].append(one)
        return
    several = {part: schema.pop(part) for part in ("type", "items") if part in schema}
    schema["anyOf"] = [several, one]
