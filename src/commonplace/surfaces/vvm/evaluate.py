"""Expressions become values, from left to right. An agent call is one of them, and the only one that costs something."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from commonplace.errors import InvalidError
from commonplace.surfaces.agent.templates import render
from commonplace.surfaces.vvm.errors import Place
from commonplace.surfaces.vvm.judge import holds
from commonplace.surfaces.vvm.machine import Machine, value_of
from commonplace.surfaces.vvm.scope import Frame
from commonplace.surfaces.vvm.syntax import (
    AgentCall,
    AgentRef,
    Call,
    Chain,
    Expr,
    Index,
    It,
    Judged,
    Keywords,
    ListOf,
    Literal,
    Logic,
    Member,
    Name,
    Not,
    ObjectOf,
    Reach,
    Template,
)
from commonplace.surfaces.vvm.values import Function, Value, error_value, given, same, sort_of, thrown

_OPTIONS = {
    "memory_mode": "a string",
    "retry": "a number",
    "backoff": "a string",
    "timeout": "a string",
    "name": "a string",
}


def evaluate(machine: Machine, frame: Frame, expr: Expr) -> Value:
    return _BY_SORT[type(expr)](machine, frame, expr)


def evaluate_all(machine: Machine, frame: Frame, pairs: Keywords) -> dict[str, Value]:
    return {key: evaluate(machine, frame, value) for key, value in pairs}


def _list(machine: Machine, frame: Frame, expr: ListOf) -> Value:
    return [evaluate(machine, frame, item) for item in expr.items]


# -- calls


def _call(machine: Machine, frame: Frame, expr: Call) -> Value:
    function = frame.look_up(expr.function, expr.at)
    if not isinstance(function, Function):
        raise thrown(f"`{expr.function}` is {sort_of(function)} and cannot be called", expr.at)
    if function is frame.module.library.get("pack"):
        return packed(machine, frame, expr)
    positional = [evaluate(machine, frame, one) for one in expr.positional]
    return function.call(frame, expr.at, positional, evaluate_all(machine, frame, expr.keywords))


def packed(machine: Machine, frame: Frame, expr: Call) -> dict[str, Value]:
    """`pack(a, k=v)`: names stand for themselves."""
    found: dict[str, Value] = {}
    for one in expr.positional:
        if not isinstance(one, Name):
            raise thrown("pack takes names; give everything else a key", one.at)
        found[one.name] = evaluate(machine, frame, one)
    return found | evaluate_all(machine, frame, expr.keywords)


def _agent_call(machine: Machine, frame: Frame, expr: AgentCall) -> Value:
    """The agent, the input, the options, what the template names; then the agent renders, remembers and asks (V51)."""
    agent = _agent(machine, frame, expr.agent)
    input = frame.it if expr.input is None else evaluate(machine, frame, expr.input)
    options = _options(evaluate_all(machine, frame, expr.options), expr.at)
    bindings = _bindings(frame, expr.template)
    try:
        return value_of(agent(expr.template.text, given(input), bindings=bindings, **options))
    except InvalidError as problem:  # the template; nobody was asked
        raise thrown(problem.message, expr.template.at) from None


def _agent(machine: Machine, frame: Frame, ref: AgentRef) -> Any:
    if ref.name is None:
        return machine.agent("", evaluate_all(machine, frame, ref.settings), ref.at)
    agent = frame.module.agents.get(ref.name)
    if agent is None:
        raise thrown(f"there is no agent called `{ref.name}`", ref.at)
    return machine.derived(agent, evaluate_all(machine, frame, ref.settings), ref.at) if ref.settings else agent


def _options(asked: dict[str, Value], at: Place) -> dict[str, Value]:
    """Those that there are. Unknown ones are ignored (V49); a known one of the wrong sort is a mistake."""
    known = {key: value for key, value in asked.items() if key in _OPTIONS}
    for key, value in known.items():
        if sort_of(value) != _OPTIONS[key]:
            raise thrown(f"{key} is {_OPTIONS[key]}, not {sort_of(value)}", at)
    if isinstance(known.get("retry"), float):
        raise thrown("retry is a whole number", at)
    return known


def _bindings(frame: Frame, template: Template) -> dict[str, Value]:
    return {hole.name: given(frame.look_up(hole.name, hole.at)) for hole in template.holes if hole.name is not None}


# -- judgement


def _judged(machine: Machine, frame: Frame, expr: Judged) -> Value:
    value = frame.it if expr.input is None else evaluate(machine, frame, expr.input)
    return holds(machine, rendered(frame, expr.template, value), value, expr.at)


def rendered(frame: Frame, template: Template, value: Value) -> str:
    """A criterion with its holes filled in."""
    return render(template.text, given(value), _bindings(frame, template))


# -- operators


def _not(machine: Machine, frame: Frame, expr: Not) -> Value:
    return not boolean(evaluate(machine, frame, expr.operand), expr.operand.at)


def _logic(machine: Machine, frame: Frame, expr: Logic) -> Value:
    decided = expr.word == "or"
    for operand in expr.operands:
        if boolean(evaluate(machine, frame, operand), operand.at) is decided:
            return decided
    return not decided


def boolean(value: Value, at: Place) -> bool:
    if not isinstance(value, bool):
        raise thrown(f"a condition is true or false, not {sort_of(value)}", at)
    return value


def _chain(machine: Machine, frame: Frame, expr: Chain) -> Value:
    value = evaluate(machine, frame, expr.first)
    for sign, operand in expr.rest:
        value = _applied(sign, value, evaluate(machine, frame, operand), operand.at)
    return value


def _applied(sign: str, one: Value, other: Value, at: Place) -> Value:
    if sign in ("==", "!="):
        return same(one, other, at) is (sign == "==")
    for value in (one, other):
        if sort_of(value) != "a number":
            raise thrown(f"`{sign}` is for numbers, not for {sort_of(value)}", at)
    return _NUMERIC[sign](one, other)


_NUMERIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


# -- parts


def _reach(machine: Machine, frame: Frame, expr: Reach) -> Value:
    value = evaluate(machine, frame, expr.base)
    for step in expr.steps:
        key = step.name if isinstance(step, Member) else evaluate(machine, frame, step.key)
        value = _part(value, key, step)
    return value


def _part(value: Value, key: Value, step: Member | Index) -> Value:
    if isinstance(value, list) and isinstance(key, int) and not isinstance(key, bool) and isinstance(step, Index):
        if 0 <= key < len(value):
            return value[key]
        raise thrown(f"a list of {len(value)} has no item {key}; the first is 0", step.at)
    if not isinstance(value, dict) or not isinstance(key, str):
        raise thrown(f"{sort_of(value)} has no part with {sort_of(key)} for a key", step.at)
    if key not in value:
        return error_value("unknown_output", f"there is no `{key}` in this object", {"name": key})
    return value[key]


_BY_SORT: dict[type, Callable[[Machine, Frame, Any], Value]] = {
    Literal: lambda _, __, expr: expr.value,
    Name: lambda _, frame, expr: frame.look_up(expr.name, expr.at),
    It: lambda _, frame, __: frame.it,
    ListOf: _list,
    ObjectOf: lambda machine, frame, expr: evaluate_all(machine, frame, expr.pairs),
    Call: _call,
    AgentCall: _agent_call,
    Judged: _judged,
    Reach: _reach,
    Not: _not,
    Logic: _logic,
    Chain: _chain,
}
