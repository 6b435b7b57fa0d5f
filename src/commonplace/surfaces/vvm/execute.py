"""Statements are done one after the other. What is not chosen is not run; what is raised goes to the nearest `try`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from commonplace.surfaces.vvm.evaluate import boolean, evaluate, evaluate_all, rendered
from commonplace.surfaces.vvm.judge import chosen, holds
from commonplace.surfaces.vvm.machine import Machine
from commonplace.surfaces.vvm.parallel import joined
from commonplace.surfaces.vvm.scope import Frame
from commonplace.surfaces.vvm.syntax import (
    Anything,
    Assign,
    Block,
    Break,
    Choose,
    Constrain,
    Continue,
    Criterion,
    Do,
    ErrorPattern,
    For,
    If,
    Match,
    Parallel,
    Pass,
    Pattern,
    Raise,
    Return,
    Try,
    While,
    WithInput,
)
from commonplace.surfaces.vvm.values import UNIT, Raised, Value, error_value, is_error, sort_of, thrown


class Returned(Exception):  # noqa: N818 - control flow, not an error
    def __init__(self, value: Value) -> None:
        self.value = value
        super().__init__()


class _Broke(Exception):  # noqa: N818
    pass


class _Went(Exception):  # noqa: N818
    pass


def execute(machine: Machine, frame: Frame, block: Block) -> None:
    for statement in block:
        do = _BY_SORT.get(type(statement))
        if do is not None:  # declarations were heard before anything ran
            do(machine, frame, statement)


def _assign(machine: Machine, frame: Frame, statement: Assign) -> None:
    frame.names[statement.name] = evaluate(machine, frame, statement.value)


def _return(machine: Machine, frame: Frame, statement: Return) -> None:
    raise Returned(UNIT if statement.value is None else evaluate(machine, frame, statement.value))


def _if(machine: Machine, frame: Frame, statement: If) -> None:
    for condition, body in statement.branches:
        if boolean(evaluate(machine, frame, condition), condition.at):
            return execute(machine, frame, body)
    return execute(machine, frame, statement.otherwise)


def _while(machine: Machine, frame: Frame, statement: While) -> None:
    while boolean(evaluate(machine, frame, statement.condition), statement.condition.at):
        if not _round(machine, frame, statement.body):
            return


def _for(machine: Machine, frame: Frame, statement: For) -> None:
    items = evaluate(machine, frame, statement.items)
    if not isinstance(items, list):
        raise thrown(f"`for` goes through a list, not through {sort_of(items)}", statement.items.at)
    for item in items:
        frame.names[statement.name] = item
        if not _round(machine, frame, statement.body):
            return


def _round(machine: Machine, frame: Frame, body: Block) -> bool:
    """Once through a loop's body; is there another round?"""
    try:
        execute(machine, frame, body)
    except _Went:
        return True
    except _Broke:
        return False
    return True


@contextmanager
def _it(frame: Frame, value: Value) -> Iterator[None]:
    before, frame.it = frame.it, value
    try:
        yield
    finally:
        frame.it = before


def _with_input(machine: Machine, frame: Frame, statement: WithInput) -> None:
    with _it(frame, evaluate(machine, frame, statement.value)):
        execute(machine, frame, statement.body)


def _match(machine: Machine, frame: Frame, statement: Match) -> None:
    with _it(frame, evaluate(machine, frame, statement.value)):
        for case in statement.cases:
            if _fits(machine, frame, case.pattern):
                return execute(machine, frame, case.body)
    return None


def _fits(machine: Machine, frame: Frame, pattern: Pattern) -> bool:
    match pattern:
        case Anything():
            return True
        case ErrorPattern(kind=None):
            return is_error(frame.it)
        case ErrorPattern():
            return is_error(frame.it) and frame.it["error"].get("kind") == pattern.kind
        case Criterion():
            return holds(machine, rendered(frame, pattern.template, frame.it), frame.it, pattern.at)


def _choose(machine: Machine, frame: Frame, statement: Choose) -> None:
    if not statement.options:
        return
    with _it(frame, evaluate(machine, frame, statement.value)):
        criterion = rendered(frame, statement.by.template, frame.it)
        bodies = dict(reversed(statement.options))  # of two with one label, the first
        label = chosen(machine, criterion, frame.it, [label for label, _ in statement.options], statement.at)
        frame.names[statement.name] = label
        execute(machine, frame, bodies[label])


def _constrain(machine: Machine, frame: Frame, statement: Constrain) -> None:
    """Every requirement is judged; what does not hold turns the value into an error that names it."""
    value = frame.look_up(statement.name, statement.at)
    evaluate_all(machine, frame, statement.bounds)  # hints for loops; nothing here is repeated by itself
    with _it(frame, value):
        required = [rendered(frame, one.template, value) for one in statement.requirements]
        places = [one.at for one in statement.requirements]
        violated = [said for said, at in zip(required, places, strict=True) if not holds(machine, said, value, at)]
    if violated:
        data = {"value": value, "violations": violated, "requirements": required}
        value = error_value("constraint_violation", "Constraints not satisfied", data)
    frame.names[statement.name] = value


def _try(machine: Machine, frame: Frame, statement: Try) -> None:
    """`finally` is for what happens in the program, not for a person who stops it."""
    last = statement.last or ()
    try:
        _attempt(machine, frame, statement)
    except (Raised, Returned, _Broke, _Went):
        execute(machine, frame, last)
        raise
    execute(machine, frame, last)


def _attempt(machine: Machine, frame: Frame, statement: Try) -> None:
    try:
        execute(machine, frame, statement.body)
    except Raised as raised:
        if statement.name is None or statement.handler is None:
            raise
        frame.names[statement.name] = raised.value
        frame.caught.append(raised.value)
        try:
            execute(machine, frame, statement.handler)
        finally:
            frame.caught.pop()


def _raise(machine: Machine, frame: Frame, statement: Raise) -> None:  # noqa: ARG001 - the shape of all statements
    if statement.message is None and frame.caught:
        raise Raised(frame.caught[-1], statement.at)
    raise thrown(statement.message or "", statement.at)


def _break(machine: Machine, frame: Frame, statement: Break) -> None:  # noqa: ARG001
    raise _Broke


def _continue(machine: Machine, frame: Frame, statement: Continue) -> None:  # noqa: ARG001
    raise _Went


_BY_SORT: dict[type, Callable[[Machine, Frame, Any], None]] = {
    Assign: _assign,
    Do: lambda machine, frame, statement: evaluate(machine, frame, statement.value),
    Return: _return,
    If: _if,
    While: _while,
    For: _for,
    WithInput: _with_input,
    Match: _match,
    Choose: _choose,
    Constrain: _constrain,
    Parallel: lambda machine, frame, statement: frame.names.update({statement.name: joined(machine, frame, statement)}),
    Try: _try,
    Raise: _raise,
    Break: _break,
    Continue: _continue,
    Pass: lambda machine, frame, statement: None,  # noqa: ARG005
}
