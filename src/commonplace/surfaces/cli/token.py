"""`commonplace token add|list|revoke|rotate`: who may speak to the daemon. A secret is shown once, when it is made."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError

if TYPE_CHECKING:
    from commonplace.surfaces.http.tokens import Token

OPTIONS = (
    Option(("--scope",), "scope", "SCOPE", "add: how far it reaches", choices=("read", "write", "operator")),
    Option(("--books",), "books", "NAME,...", "add: which books; `default` if not said, * for every one", many=True),
    Option(("--projects",), "projects", "NAME,...", "add: only these projects; every one if not said", many=True),
    Option(("--as",), "as", "ACTOR", "add: who speaks with it; agent:NAME if not said"),
    Option(("--days",), "days", "N", "add: it is over after so many days; never if not said"),
)
_TAKES = {"add": 1, "list": 0, "revoke": 1, "rotate": 1}


def run(parsed: Parsed) -> int:
    what, *rest = parsed.arguments or [""]
    if what not in _TAKES or len(rest) != _TAKES[what]:
        raise UsageError(
            "token takes add NAME, list, revoke NAME or rotate NAME", "For example: token add claude --scope write"
        )
    verbs: dict[str, Callable[..., list[dict[str, Any]]]] = {
        "add": _add,
        "list": _list,
        "revoke": _revoke,
        "rotate": _rotate,
    }
    _show(verbs[what](parsed, *rest), parsed)
    return 0


def _add(parsed: Parsed, name: str) -> list[dict[str, Any]]:
    from commonplace.surfaces.http import tokens

    scope = parsed.options.get("scope", [""])[-1]
    if not scope:
        raise UsageError("token add needs --scope", "read, write or operator: what is not given is not allowed.")
    projects = parsed.options.get("projects")
    token, secret = tokens.made(
        name,
        scope,
        actor=parsed.options.get("as", [None])[-1],
        books=tuple(parsed.options.get("books", ["default"])),
        projects=None if projects is None else tuple(projects),
        expires_at=_end(parsed),
    )
    tokens.add(token)
    return [_told(token) | {"token": secret}]


def _end(parsed: Parsed) -> datetime | None:
    text = parsed.options.get("days", [""])[-1]
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= 36_500:
        raise UsageError("--days: a number of days")
    return datetime.now(UTC) + timedelta(days=int(text))


def _list(_: Parsed) -> list[dict[str, Any]]:
    from commonplace.surfaces.http import tokens

    return [_told(token) for token in tokens.read().tokens]


def _revoke(_: Parsed, name: str) -> list[dict[str, Any]]:
    from commonplace.surfaces.http import tokens

    return [_told(tokens.revoke(name)) | {"revoked": True}]


def _rotate(_: Parsed, name: str) -> list[dict[str, Any]]:
    from commonplace.surfaces.http import tokens

    token, secret = tokens.rotate(name)
    return [_told(token) | {"token": secret}]


def _told(token: Token) -> dict[str, Any]:
    plain = token.to_dict()
    names = ("name", "scope", "actor", "books", "projects", "created_at", "expires_at")
    return {name: plain[name] for name in names}


def _show(told: list[dict[str, Any]], parsed: Parsed) -> None:
    if "json" in parsed.everywhere:
        sys.stdout.write(json.dumps(told if parsed.arguments[0] == "list" else told[0]) + "\n")
        return
    if not told and sys.stdout.isatty():  # a script would take the sentence for a token
        sys.stdout.write("no tokens; make one: commonplace token add NAME --scope write\n")
    for one in told:
        sys.stdout.write(_line(one) + "\n")
        if "token" in one:
            sys.stdout.flush()
            sys.stderr.write("shown once; keep it where the client reads it:\n")
            sys.stderr.flush()
            sys.stdout.write(one["token"] + "\n")


def _line(one: dict[str, Any]) -> str:
    of = "every project" if one["projects"] is None else f"projects {', '.join(one['projects'])}"
    until = f", until {one['expires_at'][:10]}" if one["expires_at"] else ""
    said = f"{one['name']}  {one['scope']}  {one['actor']}  books {', '.join(one['books'])}, {of}{until}"
    return f"{said}  (revoked)" if one.get("revoked") else said
