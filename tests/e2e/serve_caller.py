"""One of many processes that call the daemon: mixed calls on one kept connection; prints what was saved and what failed."""

from __future__ import annotations

import http.client
import json
import sys


def main() -> None:
    port, calls, number = (int(word) for word in sys.argv[1:])
    token = sys.stdin.read().strip()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=110)
    saved: list[str] = []
    errors: list[object] = []

    def ask(operation: str, **fields: object) -> object:
        connection.request("POST", f"/v1/{operation}", json.dumps(fields), headers)
        answer = connection.getresponse()
        said = json.loads(answer.read())
        if answer.status != 200:
            errors.append((operation, answer.status, said))
        return said

    for n in range(calls):
        which = n % 5
        if which in (0, 1) or not saved:
            made = ask("save", content=f"Process {number} says {n}: the word is w{number}x{n}.", type="episode")
            saved.append(made["id"])  # type: ignore[index]
        elif which == 2:
            found = ask("search", query=f"w{number}x{n - 1}", profile="words", limit=5)
            if not any(one["record"]["id"] == saved[-1] for one in found["results"]):  # type: ignore[index]
                errors.append(("not found", saved[-1]))
        elif which == 3:
            ask("get", id=saved[-1])
        else:
            ask("list", limit=3)
    print(json.dumps({"saved": saved, "errors": errors}))


main()
