"""MCP at `/mcp`: the same checks, the same tokens and the same threads as every other path; the protocol is `surfaces/mcp`.

What a tool asks is asked as an operation of the table, and each is held to what the token may. A call that a token may not make
is an answer of the tool, not of HTTP: the model should read why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace.surfaces.http import rights
from commonplace.surfaces.http.answers import Answer
from commonplace.surfaces.http.performing import performed
from commonplace.surfaces.http.routes import BY_PATH

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.surfaces.http.tokens import Token

PATH = "/mcp"
MOST_BYTES = 4 * 1024 * 1024


def answered(
    method: str, pairs: list[tuple[bytes, bytes]], body: bytes, token: Token, book: Book, actor: str
) -> Answer:
    """In a thread: what MCP says to this message."""
    from commonplace.surfaces.mcp.desk import Desk
    from commonplace.surfaces.mcp.http import answer

    def ask(operation: str, fields: dict[str, Any]) -> Any:
        route = BY_PATH[f"/v1/{operation}"]
        rights.check_right(token, route.right)
        return performed(route.operation, token, book, fields)

    # A token for one project means that one wherever a call names none.
    project = token.projects[0] if token.projects and len(token.projects) == 1 else None
    desk = Desk(ask, project=project, agent=actor.partition(":")[2] or actor)
    headers: dict[str, str] = {}
    for name, value in ((name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs):
        headers[name] = f"{headers[name]}, {value}" if name in headers else value  # one that stands there twice says so
    status, said, content = answer(method, headers, body, desk)
    sort = said.pop("content-type", "application/json")
    more = [(name.encode(), value.encode("latin-1")) for name, value in said.items()]
    return Answer(status, content, sort.encode(), more)
