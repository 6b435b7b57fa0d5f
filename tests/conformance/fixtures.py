"""What the conformance suite wants to find on a server, offered through our own protocol code.

The suite calls tools, resources and prompts of a reference server by name. A book has four tools and no others, so the daemon
cannot pass those scenarios; but everything around them (envelope, versions, headers, status) is the same code, and here it is
shown with theirs. Nothing of this is shipped.
"""

from __future__ import annotations

import json
from typing import Any

from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.envelope import INVALID_PARAMS, ProtocolError
from commonplace.surfaces.mcp.http import answer
from commonplace.surfaces.mcp.protocol import Method, Protocol
from commonplace.surfaces.mcp.resources import NOT_FOUND
from commonplace.surfaces.mcp.versions import STATELESS
from conformance.local import Handler, Local

# The smallest picture and the smallest sound that are still one.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def embedded(uri: str, said: str, sort: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": sort, "text": said}}


NOTHING = {"type": "object", "properties": {}}
RICH: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
TOOLS: dict[str, dict[str, Any]] = {
    "test_simple_text": {"content": [text("A simple text, for testing.")]},
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]},
    "test_embedded_resource": {"content": [embedded("test://embedded-resource", "A resource inside of an answer.")]},
    "test_multiple_content_types": {
        "content": [
            text("Several sorts:"),
            IMAGE,
            embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ]
    },
    "test_error_handling": {"content": [text("This one always fails.")], "isError": True},
    "json_schema_2020_12_tool": {"content": [text("Its schema is what matters.")]},
}
RESOURCES = {
    "test://static-text": {"mimeType": "text/plain", "text": "The text of a static resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
}
PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def _tools(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    schemas = {"json_schema_2020_12_tool": RICH}
    return {"tools": [{"name": name, "description": name, "inputSchema": schemas.get(name, NOTHING)} for name in TOOLS]}


def _call(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    if params.get("name") not in TOOLS:
        raise ProtocolError(INVALID_PARAMS, "there is no such tool")
    return TOOLS[params["name"]]


def _resources(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    return {"resources": [{"uri": uri, "name": uri, "mimeType": one["mimeType"]} for uri, one in RESOURCES.items()]}


def _templates(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    return {"resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "template"}]}


def _read(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    uri = params["uri"]
    if uri.startswith("test://template/"):
        id = uri.split("/")[3]
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps({"id": id})}]}
    if uri not in RESOURCES:
        raise ProtocolError(INVALID_PARAMS if version == STATELESS else NOT_FOUND, "there is no such resource")
    return {"contents": [{"uri": uri, **RESOURCES[uri]}]}


def _prompts(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    described = {name: [{"name": one, "required": True} for one in takes] for name, takes in PROMPTS.items()}
    return {"prompts": [{"name": name, "description": name, "arguments": said} for name, said in described.items()]}


def _prompt(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    given = params.get("arguments", {})
    contents = {
        "test_simple_prompt": [text("A simple prompt.")],
        "test_prompt_with_arguments": [text(f"With {given.get('arg1')} and {given.get('arg2')}.")],
        "test_prompt_with_embedded_resource": [embedded(str(given.get("resourceUri")), "Embedded.")],
        "test_prompt_with_image": [IMAGE],
    }[params["name"]]
    return {"messages": [{"role": "user", "content": one} for one in contents]}


OFFERED: dict[str, Method] = {
    "tools/list": _tools,
    "tools/call": _call,
    "resources/list": _resources,
    "resources/templates/list": _templates,
    "resources/read": _read,
    "prompts/list": _prompts,
    "prompts/get": _prompt,
}


class Reference(Local):
    """`with Reference() as url:` is a server that offers all this."""

    def __init__(self) -> None:
        super().__init__(_Handler)


def _nobody(operation: str, fields: dict[str, Any]) -> Any:
    raise AssertionError("there is no book behind this")


class _Handler(Handler):
    speak = staticmethod(Protocol(OFFERED).answer)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, said, content = answer(self.command, headers, body, Desk(_nobody), self.speak)
        self.send_response_only(status)
        for name, value in {**said, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_DELETE = do_POST
