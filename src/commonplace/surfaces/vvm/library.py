"""The functions that every program has: over lists, over several at once, and small makers. And how a `def` is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from commonplace.agent import ErrorValue, pmap
from commonplace.surfaces.vvm.errors import Place
from commonplace.surfaces.vvm.execute import Returned
from commonplace.surfaces.vvm.machine import Machine
from commonplace.surfaces.vvm.scope import Frame, Module
from commonplace.surfaces.vvm.syntax import Def
from commonplace.surfaces.vvm.values import UNIT, Function, Raised, Value, is_error, sort_of, thrown

_MISSING = object()
_PERMISSIONS: dict[str, Value] = {"read": [], "write": [], "execute": [], "bash": "deny", "network": "deny"}
_MOST = 100_000  # of a range: it is a list, and lists are held in memory


def defined(machine: Machine, module: Module, made: Def) -> Function:
    """A `def` as something to call. Its names are its own; `it` comes from the caller."""

    def call(frame: Frame, at: Place, positional: list[Value], keywords: dict[str, Value]) -> Value:
        names = bound(made.name, made.params, positional, keywords, at)
        inner = frame.inner(module, names, made.bound, at)
        try:
            machine.execute(inner, made.body)
        except Returned as returned:
            return returned.value
        except Raised as raised:
            raised.file = raised.file or module.file
            raise
        except RecursionError:
            raise thrown(f"`{made.name}` calls itself, or is called, too deep", at) from None
        return UNIT

    return Function(made.name, call)


def bound(
    name: str,
    params: tuple[str, ...],
    positional: list[Value],
    keywords: dict[str, Value],
    at: Place,
    optional: int = 0,
) -> dict[str, Value]:
    """Which parameter gets which value. The last `optional` ones may be left out."""
    if len(positional) > len(params):
        raise thrown(f"`{name}` takes {len(params)} values; {len(positional)} are given", at)
    found = dict(zip(params, positional, strict=False))
    for key, value in keywords.items():
        if key not in params:
            raise thrown(f"`{name}` has no parameter `{key}`", at)
        if key in found:
            raise thrown(f"`{name}` is given `{key}` twice", at)
        found[key] = value
    for param in params[: len(params) - optional]:
        if param not in found:
            raise thrown(f"`{name}` needs `{param}`", at)
    return found


def library() -> dict[str, Function]:
    made = (
        _made("map", ("items", "f"), _map),
        _made("pmap", ("items", "f"), _pmap),
        _made("filter", ("items", "pred"), _filter),
        _made("reduce", ("items", "f", "init"), _reduce, optional=1),
        _made("refine", ("seed", "max", "done", "step"), _refine),
        _made("range", ("n",), _range),
        _made("perm", tuple(_PERMISSIONS), _perm, optional=len(_PERMISSIONS)),
        Function("pack", _pack),
    )
    return {function.name: function for function in made}


def _made(name: str, params: tuple[str, ...], body: Callable[..., Value], optional: int = 0) -> Function:
    def call(frame: Frame, at: Place, positional: list[Value], keywords: dict[str, Value]) -> Value:
        given = bound(name, params, positional, keywords, at, optional)
        return body(_Caller(name, frame, at), *(given.get(param, _MISSING) for param in params))

    return Function(name, call)


class _Caller:
    """Who called a function of the library, from where: its own calls go on from there."""

    def __init__(self, name: str, frame: Frame, at: Place) -> None:
        self.name, self.frame, self.at = name, frame, at

    def apply(self, function: Value, *values: Value) -> Value:
        if not isinstance(function, Function):
            raise self.thrown(f"calls a function, not {sort_of(function)}")
        return function.call(self.frame, self.at, [*values], {})

    def items(self, value: Value) -> list[Value]:
        if not isinstance(value, list):
            raise self.thrown(f"goes through a list, not through {sort_of(value)}")
        return value

    def thrown(self, why: str) -> Raised:
        return thrown(f"`{self.name}` {why}", self.at)


def _each(caller: _Caller, items: Value, function: Value) -> Iterator[tuple[Value, Value]]:
    return ((item, caller.apply(function, item)) for item in caller.items(items))


def _map(caller: _Caller, items: Value, function: Value) -> Value:
    answers = []
    for _, answer in _each(caller, items, function):
        if is_error(answer):
            return answer
        answers.append(answer)
    return answers


def _pmap(caller: _Caller, items: Value, function: Value) -> Value:
    """Several at once; the first error in the order of the items decides, though all that was begun is finished (V54)."""
    answers = pmap(caller.items(items), lambda item: caller.apply(function, item))
    assert not isinstance(answers, ErrorValue)  # ours are plain objects
    return next((answer for answer in answers if is_error(answer)), answers)


def _filter(caller: _Caller, items: Value, pred: Value) -> Value:
    kept = []
    for item, answer in _each(caller, items, pred):
        if is_error(answer):
            return answer
        if not isinstance(answer, bool):
            raise caller.thrown(f"wants true or false for each item, not {sort_of(answer)}")
        if answer:
            kept.append(item)
    return kept


def _reduce(caller: _Caller, items: Value, function: Value, init: Value) -> Value:
    rest = [*caller.items(items)]
    if init is _MISSING and not rest:
        raise caller.thrown("has nothing to begin with: the list is empty and there is no init")
    held = rest.pop(0) if init is _MISSING else init
    for item in rest:
        held = caller.apply(function, held, item)
        if is_error(held):
            return held
    return held


def _refine(caller: _Caller, seed: Value, most: Value, done: Value, step: Value) -> Value:
    current = seed
    for turn in _range(caller, most):
        finished = caller.apply(done, current, turn)
        if not isinstance(finished, bool):
            raise caller.thrown(f"wants true or false from done, not {sort_of(finished)}")
        if finished:
            return current
        current = caller.apply(step, current, turn)
    return current


def _range(caller: _Caller, n: Value) -> Any:
    if not isinstance(n, int) or isinstance(n, bool):
        raise caller.thrown(f"counts up to a whole number, not to {sort_of(n)}")
    if n > _MOST:
        raise caller.thrown(f"counts up to {_MOST} at most")
    return [*range(n)]


def _perm(caller: _Caller, *given: Value) -> Value:  # noqa: ARG001 - the shape of all of them
    return {key: default if value is _MISSING else value
            for (key, default), value in zip(_PERMISSIONS.items(), given, strict=True)}  # fmt: skip


def _pack(frame: Frame, at: Place, positional: list[Value], keywords: dict[str, Value]) -> Value:  # noqa: ARG001
    """As a value that is handed on, `pack` no longer sees the names of what it gets."""
    if positional:
        raise thrown("pack takes names; give everything else a key", at)
    return keywords
