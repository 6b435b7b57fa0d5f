"""What has a value: from `or` at the loosest to literals at the tightest, and agent calls among the latter."""

from __future__ import annotations

from collections.abc import Callable

from commonplace.surfaces.vvm.cursor import Cursor
from commonplace.surfaces.vvm.errors import Fault, Place
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
from commonplace.surfaces.vvm.templates import template_of

_COMPARES = ("==", "!=", "<", "<=", ">", ">=")
_ADDS = ("+", "-")
MAX_DIGITS = 300  # of a number; Python itself refuses to read endless ones


def expression(cursor: Cursor) -> Expr:
    with cursor.deeper():
        return _logic(cursor, "or", lambda: _logic(cursor, "and", lambda: _not(cursor)))


def _logic(cursor: Cursor, word: str, operand: Callable[[], Expr]) -> Expr:
    at, operands = cursor.at, [operand()]
    while cursor.takes(word):
        operands.append(operand())
    return operands[0] if len(operands) == 1 else Logic(at, word, tuple(operands))


def _not(cursor: Cursor) -> Expr:
    at = cursor.at
    if not cursor.takes("not"):
        return _chain(cursor, _COMPARES, lambda: _chain(cursor, _ADDS, lambda: _postfix(cursor)))
    with cursor.deeper():
        return Not(at, _not(cursor))


def _chain(cursor: Cursor, signs: tuple[str, ...], operand: Callable[[], Expr]) -> Expr:
    at, first = cursor.at, operand()
    rest: list[tuple[str, Expr]] = []
    while cursor.sees(*signs):
        rest.append((cursor.take().text, operand()))
    return Chain(at, first, tuple(rest)) if rest else first


def _postfix(cursor: Cursor) -> Expr:
    at, base = cursor.at, _primary(cursor)
    steps: list[Member | Index] = []
    while cursor.sees(".", "["):
        here = cursor.at
        if cursor.take().text == ".":
            if not cursor.sees_kind("name", "keyword"):
                raise cursor.unexpected("a name behind the dot")
            steps.append(Member(here, cursor.take().text))
        else:
            steps.append(Index(here, expression(cursor)))
            cursor.expect("]", "to close the index")
    return Reach(at, base, tuple(steps)) if steps else base


def _primary(cursor: Cursor) -> Expr:
    token = cursor.token
    at = token.at
    if token.kind == "string":
        return Literal(at, cursor.take().text)
    if token.kind == "number":
        return Literal(at, _number(cursor))
    if token.kind == "name":
        return _name(cursor)
    read = _STARTS.get(token.text) if token.kind in ("op", "keyword") else None
    if read is None:
        raise cursor.unexpected("a value", _better(cursor))
    cursor.take()
    return read(cursor, at)


def _better(cursor: Cursor) -> str:
    """What somebody may have meant who wrote something else here."""
    if cursor.sees("-"):
        return "There are no negative literals; write 0 - 1."
    if cursor.sees_kind("template"):
        return "A template belongs to an agent, @name `...`(...), or to a criterion, ?`...`."
    return ""


def _number(cursor: Cursor) -> int | float:
    token = cursor.take()
    if len(token.text) > MAX_DIGITS:
        raise Fault("E001", token.at, f"a number has more than {MAX_DIGITS} digits")
    return float(token.text) if "." in token.text else int(token.text)


def _name(cursor: Cursor) -> Expr:
    token = cursor.take()
    if not cursor.takes("("):
        return Name(token.at, token.text)
    positional, keywords = _arguments(cursor, f"the call of {token.text}")
    return Call(token.at, token.text, positional, keywords)


def _bracketed(cursor: Cursor, at: Place) -> Expr:
    """`()` is the empty value, `(x)` is x."""
    if cursor.takes(")"):
        return Literal(at, ())
    inner = expression(cursor)
    cursor.expect(")", "to close the bracket")
    return inner


def _list(cursor: Cursor, at: Place) -> Expr:
    items: list[Expr] = []
    while not cursor.sees("]"):
        items.append(expression(cursor))
        if not cursor.takes(","):
            break
    cursor.expect("]", "or `,` in the list")
    return ListOf(at, tuple(items))


def _object(cursor: Cursor, at: Place) -> Expr:
    pairs: dict[str, Expr] = {}
    while not cursor.sees("}"):
        if not cursor.sees_kind("name", "keyword", "string"):
            raise cursor.unexpected("a key")
        key = cursor.take()
        cursor.expect(":", "behind the key")
        if key.text in pairs:
            raise Fault("E001", key.at, f"the key `{key.text}` stands here twice")
        pairs[key.text] = expression(cursor)
        if not cursor.takes(","):
            break
    cursor.expect("}", "or `,` in the object")
    return ObjectOf(at, tuple(pairs.items()))


def _judged(cursor: Cursor, at: Place) -> Expr:
    criterion = template(cursor, "a criterion behind ?")
    if not cursor.takes("("):
        return Judged(at, criterion, None)
    input = expression(cursor)
    cursor.expect(")", "behind the input")
    return Judged(at, criterion, input)


def template(cursor: Cursor, what: str) -> Template:
    token = cursor.expect_kind("template", f"{what}, between backticks")
    return template_of(token, cursor.findings)


def _agent_call(cursor: Cursor, at: Place) -> Expr:
    agent = _agent(cursor, at)
    task = template(cursor, "a task for the agent")
    if not cursor.takes("("):
        raise cursor.unexpected("`(` behind the task", "Use () for the implicit input, (()) for none.")
    positional, options = _arguments(cursor, "the agent call")
    if len(positional) > 1:
        hint = "Put them into one value: a list, or pack(a, b)."
        raise Fault("E001", positional[1].at, "an agent call takes one input", hint)
    return AgentCall(at, agent, task, positional[0] if positional else None, options)


def _agent(cursor: Cursor, at: Place) -> AgentRef:
    if cursor.takes("{"):
        return AgentRef(at, None, _keywords_until(cursor, "}", "the agent"))
    if not cursor.sees_kind("name"):
        raise cursor.unexpected("an agent's name behind @")
    name = cursor.take().text
    if not cursor.takes("."):
        return AgentRef(at, name, ())
    cursor.expect("with", "behind the dot")
    cursor.expect("(", "behind .with")
    return AgentRef(at, name, _keywords_until(cursor, ")", ".with"))


def keywords(cursor: Cursor, what: str) -> Keywords:
    """`(key=value, …)` with nothing else in it."""
    cursor.expect("(", f"behind {what}")
    return _keywords_until(cursor, ")", what)


def _keywords_until(cursor: Cursor, closing: str, what: str) -> Keywords:
    positional, found = _arguments(cursor, what, closing)
    if positional:
        raise Fault("E001", positional[0].at, f"{what} takes key=value only")
    return found


def _arguments(cursor: Cursor, what: str, closing: str = ")") -> tuple[tuple[Expr, ...], Keywords]:
    """Positional ones first, then key=value; a comma may stand at the end."""
    positional: list[Expr] = []
    found: dict[str, Expr] = {}
    while not cursor.sees(closing):
        at, name = cursor.at, cursor.token
        if name.kind in ("name", "keyword") and cursor.following.kind == "op" and cursor.following.text == "=":
            cursor.take(), cursor.take()
            if name.text in found:
                raise Fault("E001", at, f"`{name.text}` is given twice in {what}")
            found[name.text] = expression(cursor)
        elif found:
            raise Fault("E001", at, f"a value without a name stands behind key=value in {what}")
        else:
            positional.append(expression(cursor))
        if not cursor.takes(","):
            break
    cursor.expect(closing, f"or `,` in {what}")
    return tuple(positional), tuple(found.items())


_STARTS: dict[str, Callable[[Cursor, Place], Expr]] = {
    "(": _bracketed,
    "[": _list,
    "{": _object,
    "?": _judged,
    "@": _agent_call,
    "it": lambda _, at: It(at),
    "true": lambda _, at: Literal(at, True),
    "false": lambda _, at: Literal(at, False),
}
