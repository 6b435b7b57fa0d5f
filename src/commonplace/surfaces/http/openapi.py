"""An OpenAPI 3.1 document that is true because it is made from what answers: the table, the requests and the nouns."""

from __future__ import annotations

from functools import cache
from typing import Any

from commonplace import __version__
from commonplace.surfaces.http.answer_types import answer_types
from commonplace.surfaces.http.answers import BY_KIND
from commonplace.surfaces.http.requests import field_names
from commonplace.surfaces.http.routes import ROUTES, Route
from commonplace.surfaces.http.schemas import REF, Schemas


@cache
def document() -> dict[str, Any]:
    schemas = Schemas()
    paths = {f"/v1/{name}": _path(route, schemas, name) for route in ROUTES for name in route.names}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Commonplace", "version": __version__, "description": "Memory for agents, on this machine."},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": {"/health": _HEALTH, **paths},
        "components": {
            "schemas": {**schemas.components, "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"Problem": _told("what went wrong, and what to do", "application/problem+json", "Problem")},
        },
    }


def _path(route: Route, schemas: Schemas, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for method in route.methods:
        if method == "HEAD":
            continue
        found[method.lower()] = {
            "summary": route.operation.summary,
            "operationId": f"{method.lower()} {name}",
            "tags": [route.operation.group],
            "parameters": _parameters(route, method, schemas),
            "responses": _responses(route, schemas),
            **({"requestBody": _body(route, schemas)} if method == "POST" and not route.is_download else {}),
        }
    return found


def _parameters(route: Route, method: str, schemas: Schemas) -> list[dict[str, Any]]:
    found = [_in_query("book", "which book; `default` if not said")]
    if route.operation.destroys:
        found.append(_in_query("confirm", "`yes`, unless it is a dry run"))
    if route.is_upload:
        found.append(_in_query("trust", "trust what is in it no more than this channel"))
    if method == "GET" and not route.is_download:
        described = schemas.fields(route)
        needs = described.get("required", [])
        found += [
            {"name": name, "in": "query", "required": name in needs, "schema": _flat(field)}
            for name, field in described["properties"].items()
        ]
    if method == "POST" and "idempotency_key" in field_names(route.operation):
        key = {"type": "string", "maxLength": 200}
        found.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    return found


def _flat(field: dict[str, Any]) -> dict[str, Any]:
    """In a query there is no null: what is not said is not there."""
    sorts = [sort for sort in field.get("anyOf", [field]) if sort.get("type") != "null"]
    plain = {name: value for name, value in sorts[0].items() if name != "default"}
    return {**plain, **({"description": field["description"]} if "description" in field else {})}


def _in_query(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": {"type": "string"}}


def _body(route: Route, schemas: Schemas) -> dict[str, Any]:
    if route.is_upload:
        return {"required": True, "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
    schema = schemas.of(route.operation.request_class())
    needs = bool(schemas.fields(route).get("required"))  # an empty body is an empty object
    return {"required": needs, "content": {"application/json": {"schema": schema}}}


def _responses(route: Route, schemas: Schemas) -> dict[str, Any]:
    if route.is_download:
        sort = "application/x-ndjson" if route.operation.name == "export" else "application/octet-stream"
        done: dict[str, Any] = {"description": "the file", "content": {sort: {"schema": {"type": "string"}}}}
    else:
        schema = schemas.of(*answer_types(route.operation))
        done = {"description": route.operation.answers, "content": {"application/json": {"schema": schema}}}
    statuses = sorted({400, 401, 403, 404, 405, 408, 413, 415, 429, *BY_KIND.values()})
    return {"200": done, **{str(status): {"$ref": "#/components/responses/Problem"} for status in statuses}}


def _told(description: str, sort: str, name: str) -> dict[str, Any]:
    return {"description": description, "content": {sort: {"schema": {"$ref": REF.format(name=name)}}}}


_PROBLEM = {
    "title": "Problem",
    "type": "object",
    "description": "Problem details (RFC 9457), with the kind of the error family, whether a retry may help, and a next step.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "kind": {"type": "string", "enum": [*BY_KIND, "unexpected"]},
        "code": {"type": "string"},
        "where": {"type": "string"},
        "hint": {"type": "string"},
        "retryable": {"type": "boolean"},
    },
    "required": ["type", "title", "status", "detail", "kind", "retryable"],
}
_HEALTH = {
    "get": {
        "summary": "is it there?",
        "operationId": "health",
        "security": [],
        "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object"}}}}},
    }
}
