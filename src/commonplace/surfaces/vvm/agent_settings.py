"""The settings in an agent's declaration: plain values, the language's keys, skills that are imported."""

from __future__ import annotations

from commonplace.surfaces.vvm.errors import Findings
from commonplace.surfaces.vvm.syntax import AgentDecl, Call, Expr, ListOf, Literal, ObjectOf

KEYS = ("model", "prompt", "skills", "permissions", "memory")


def check_settings(agent: AgentDecl, imported: set[str], findings: Findings) -> None:
    for key, value in agent.settings:
        if key not in KEYS:
            hint = f"The language's own are: {', '.join(KEYS)}."
            findings.add("W020", value.at, f"`{key}` is not a setting of the language", hint)
        for odd in _odd(value):
            findings.add("E041", odd.at)
        if key == "skills" and isinstance(value, ListOf):
            _check_skills(value, imported, findings)


def _odd(value: Expr) -> list[Expr]:
    """What is no literal, list, object or `perm(...)`."""
    match value:
        case Literal():
            return []
        case ListOf():
            inner = [*value.items]
        case ObjectOf():
            inner = [item for _, item in value.pairs]
        case Call(function="perm"):
            inner = [*value.positional, *(item for _, item in value.keywords)]
        case _:
            return [value]
    return [odd for item in inner for odd in _odd(item)]


def _check_skills(skills: ListOf, imported: set[str], findings: Findings) -> None:
    if not skills.items:
        findings.add("W011", skills.at, hint="Leave `skills` out.")
    for item in skills.items:
        if isinstance(item, Literal) and isinstance(item.value, str) and item.value not in imported:
            hint = f'Import it: import "{item.value}" from "..."'
            findings.add("W010", item.at, f"the skill `{item.value}` is not imported", hint)
