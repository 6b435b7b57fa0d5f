"""The routes: made from the table of operations, so that a new verb has one without a word here.

`POST /v1/<operation>` takes the request as JSON; `GET` the same in the query, for what an ordinary reader may ask. Hyphens and
underscores are the same, and the names of the RFC stand beside ours.
"""

from __future__ import annotations

from commonplace.surfaces.http.rights import needed
from commonplace.surfaces.http.tokens import Right
from commonplace.surfaces.operations import OPERATIONS, Described

# The RFC's own names (rfc 44). What it calls ingest is a memory that somebody writes by hand; captures have their own names.
ALIASES = {"ingest": "save", "context_for": "context", "work_status": "queue", "process_pending": "process"}

# Between two canons on the machine's own disk: nothing to do over a wire.
NOT_OFFERED = ("copy",)
# Their file goes over the wire: the request names none.
DOWNLOADS = ("export", "backup")
UPLOADS = ("import",)
# Long enough that others must not wait behind them.
_LONG = (
    "verify",
    "doctor",
    "scan",
    "index",
    "process",
    "work",
    "consolidate",
    "inbox-apply",
    "purge",
    "import",
    *DOWNLOADS,
)
_MATERIAL = ("capture-session", "capture-conversation", "import-source")

_MOST_BYTES = 4 * 1024 * 1024
_MOST_MATERIAL_BYTES = 32 * 1024 * 1024


class Route:
    """One operation as it is asked over HTTP."""

    def __init__(self, operation: Described) -> None:
        self.operation, self.right = operation, needed(operation)
        name = operation.name
        self.is_download, self.is_upload, self.is_long = name in DOWNLOADS, name in UPLOADS, name in _LONG
        by_query = self.right is Right.READ or name == "export"
        self.methods: tuple[str, ...] = ("GET", "HEAD", "POST") if by_query else ("POST",)
        self.most_bytes = _MOST_MATERIAL_BYTES if name in _MATERIAL else _MOST_BYTES

    @property
    def names(self) -> tuple[str, ...]:
        """As it is written in a path: the name itself, with underscores, and by the RFC."""
        own = self.operation.name
        also = (alias for alias, meant in ALIASES.items() if meant == own)
        return tuple(dict.fromkeys((own, own.replace("-", "_"), *also)))


ROUTES = tuple(Route(operation) for operation in OPERATIONS if operation.name not in NOT_OFFERED)
BY_PATH = {f"/v1/{name}": route for route in ROUTES for name in route.names}
OTHERS = {"/health": None, "/v1/openapi.json": Right.READ, "/metrics": Right.OPERATOR}
"""What is no operation, and the right it needs. `/health` alone needs no token, and says nothing."""
