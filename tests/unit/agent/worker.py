"""A process that makes calls: `python worker.py PROJECT KEY NAME COUNT LOCK_SECONDS THINK`. Prints what it got."""

from __future__ import annotations

import json
import sys

from commonplace.agent import Agent, ErrorValue, Host


def main(project: str, key: str, name: str, count: str, lock: str, think: str) -> None:
    def model(prompt: str) -> str:
        digest = prompt.partition("### Digest\n")[2].partition("\n</memory")[0].partition("\n\n###")[0]
        number = int(digest) if digest.isdigit() else 0
        print("inside", flush=True)
        if think == "until-told":
            sys.stdin.readline()
        patch = {"digest": str(number + 1), "retain": [f"W {name} wrote number {number + 1}."]}
        return f"{number + 1}\n```vvm-memory\n{json.dumps(patch)}\n```\n"

    host = Host(project=project, lock_timeout=float(lock))
    agent = Agent(model=model, memory={"scope": "project", "key": key}, name=name, host=host)
    for _ in range(int(count)):
        answer = agent("Count on.")
        print(f"error {answer.kind}" if isinstance(answer, ErrorValue) else f"answer {answer}", flush=True)


main(*sys.argv[1:])
