"""What is wrong with a `parallel` block before it runs: names, options, and branches that would wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.surfaces.vvm.errors import Findings
from commonplace.surfaces.vvm.syntax import AgentCall, AgentDecl, Block, Expr, Literal, ObjectOf, Parallel
from commonplace.surfaces.vvm.walk import within

JOINS = ("all", "first", "any")
FAILS = ("fail-fast", "continue", "ignore")


def check_parallel(program: Block, findings: Findings) -> None:
    memories = {
        one.name: memory for one in program if isinstance(one, AgentDecl) and (memory := _memory(one)) is not None
    }
    for node in within(*program):
        if isinstance(node, Parallel):
            _branches(node, findings)
            _options(node, findings)
            _shared(node, memories, findings)


def _branches(node: Parallel, findings: Findings) -> None:
    if not node.branches:
        findings.add("E105", node.at)
    seen: set[str] = set()
    for name, value in node.branches:
        if name in seen:
            findings.add("E100", value.at, f"a branch is called `{name}` already")
        seen.add(name)


def _options(node: Parallel, findings: Findings) -> None:
    given = dict(node.options)
    for key, value in node.options:
        if key not in ("join", "count", "on_fail"):
            findings.add("E001", value.at, f"`parallel` has no option `{key}`", "It has join, count and on_fail.")
    if "join" in given and _plain(given["join"]) not in JOINS:
        findings.add("E101", given["join"].at)
    if "on_fail" in given and _plain(given["on_fail"]) not in FAILS:
        findings.add("E104", given["on_fail"].at)
    join = _plain(given["join"]) if "join" in given else "all"
    if "count" in given and join != "any":
        findings.add("E102", given["count"].at)
    elif "count" in given and _plain(given["count"]) not in range(1, len(node.branches) + 1):
        findings.add("E103", given["count"].at)
    if join == "first" and len(node.branches) == 1:
        findings.add("W041", node.at)


def _plain(value: Expr) -> object:
    return value.value if isinstance(value, Literal) and not isinstance(value.value, bool) else None


def _shared(node: Parallel, memories: dict[str, object], findings: Findings) -> None:
    used: set[object] = set()
    for call in _calls(node):
        memory = memories.get(call.agent.name or "")
        if memory is None or _goes_alone(call):
            continue
        if memory in used:
            findings.add("W040", call.at)
        used.add(memory)


def _goes_alone(call: AgentCall) -> bool:
    """Has it a memory of its own, or none?"""
    mode = dict(call.options).get("memory_mode")
    is_fresh = mode is not None and _plain(mode) == "fresh"
    return is_fresh or any(key == "memory" for key, _ in call.agent.settings)


def _calls(node: Parallel) -> Iterator[AgentCall]:
    return (one for one in within(*(value for _, value in node.branches)) if isinstance(one, AgentCall))


def _memory(agent: AgentDecl) -> object:
    """Which memory a declaration binds, as something that can be compared; none if that is not plain to see."""
    bound = dict(agent.settings).get("memory")
    if not isinstance(bound, ObjectOf):
        return None
    return frozenset((key, value.value) for key, value in bound.pairs if isinstance(value, Literal))
