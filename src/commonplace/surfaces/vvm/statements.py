"""What is done, one line or one block at a time. A statement that cannot be read is noted, and reading goes on behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from commonplace.surfaces.vvm.cursor import Cursor
from commonplace.surfaces.vvm.declarations import DECLARATIONS
from commonplace.surfaces.vvm.errors import Fault, Place
from commonplace.surfaces.vvm.expressions import expression, keywords
from commonplace.surfaces.vvm.patterns import criterion, pattern
from commonplace.surfaces.vvm.syntax import (
    Assign,
    Block,
    Break,
    Case,
    Choose,
    Constrain,
    Continue,
    Criterion,
    Def,
    Do,
    Expr,
    For,
    If,
    Match,
    Parallel,
    Pass,
    Raise,
    Return,
    Stmt,
    Try,
    While,
    WithInput,
)
from commonplace.surfaces.vvm.walk import bound_in

T = TypeVar("T")


def statements(cursor: Cursor, *, top: bool) -> Block:
    """Statements up to the end of the block, or of the program."""
    found: list[Stmt] = []
    while not cursor.sees_kind("end"):
        if cursor.sees_kind("dedent"):
            if not top:
                break
            cursor.take()
            continue
        try:
            found.extend(_statement(cursor, top=top))
        except Fault as fault:
            cursor.findings.add(fault.code, fault.at, fault.message, fault.hint)
            cursor.recover()
    return tuple(found)


def _statement(cursor: Cursor, *, top: bool) -> Block:
    if cursor.sees_kind("indent"):
        cursor.findings.add("E002", cursor.at, "this line is indented for no reason")
        return _indented(cursor)
    if cursor.sees_kind("newline"):  # what is left of a line that could not be read
        cursor.take()
        return ()
    at, word = cursor.at, cursor.token.text
    if cursor.sees_kind("name", "keyword") and cursor.following.text == "=" and cursor.following.kind == "op":
        return (_assign(cursor),)
    if cursor.sees_kind("keyword") and (word == "def" or word in DECLARATIONS):
        return (_declaration(cursor, at, top=top),)
    if cursor.sees_kind("keyword") and word in _STATEMENTS:
        cursor.take()
        return (_STATEMENTS[word](cursor, at),)
    value = expression(cursor)
    cursor.end_line()
    return (Do(at, value),)


def _declaration(cursor: Cursor, at: Place, *, top: bool) -> Stmt:
    word = cursor.take().text
    if not top:
        cursor.findings.add("E001", at, f"`{word}` stands inside of a block", "Declarations stand at the left margin.")
    return _def(cursor, at) if word == "def" else DECLARATIONS[word](cursor, at)


def _assign(cursor: Cursor) -> Stmt:
    at = cursor.at
    if cursor.sees("it"):
        cursor.findings.add("E060", at)
        name = cursor.take().text
    else:
        name = cursor.new_name("a variable")
    cursor.expect("=", "and a value")
    value = expression(cursor)
    cursor.end_line()
    return Assign(at, name, value)


def block(cursor: Cursor, behind: str) -> Block:
    """`:` and the indented lines below it."""
    _colon(cursor, behind)
    return _indented(cursor)


def _colon(cursor: Cursor, behind: str) -> None:
    cursor.expect(":", f"behind {behind}")
    cursor.end_line()
    if not cursor.sees_kind("indent"):
        code, hint = (
            ("E105", "") if behind == "parallel" else ("E002", "Indent what belongs to it; `pass` stands for none.")
        )
        raise Fault(code, cursor.at, f"nothing is indented below {behind}", hint)


def _indented(cursor: Cursor) -> Block:
    with cursor.deeper():
        cursor.take()
        found = statements(cursor, top=False)
    if cursor.sees_kind("dedent"):
        cursor.take()
    return found


def _def(cursor: Cursor, at: Place) -> Stmt:
    name = cursor.new_name("a function")
    cursor.expect("(", "behind the function's name")
    params: list[str] = []
    while not cursor.sees(")"):
        here, param = cursor.at, cursor.new_name("a parameter")
        if param in params:
            raise Fault("E001", here, f"the parameter `{param}` stands here twice")
        params.append(param)
        if not cursor.takes(","):
            break
    cursor.expect(")", "or `,` behind a parameter")
    body = block(cursor, "def")
    return Def(at, name, tuple(params), body, frozenset((*params, *(bound for bound, _ in bound_in(body)))))


def _return(cursor: Cursor, at: Place) -> Stmt:
    value = None if cursor.sees_kind("newline") else expression(cursor)
    cursor.end_line()
    return Return(at, value)


def _if(cursor: Cursor, at: Place) -> Stmt:
    branches = [(expression(cursor), block(cursor, "if"))]
    while cursor.takes("elif"):
        branches.append((expression(cursor), block(cursor, "elif")))
    otherwise = block(cursor, "else") if cursor.takes("else") else ()
    return If(at, tuple(branches), otherwise)


def _while(cursor: Cursor, at: Place) -> Stmt:
    return While(at, expression(cursor), block(cursor, "while"))


def _for(cursor: Cursor, at: Place) -> Stmt:
    name = cursor.new_name("a loop's variable")
    cursor.expect("in", "behind the loop's variable")
    return For(at, name, expression(cursor), block(cursor, "for"))


def _with(cursor: Cursor, at: Place) -> Stmt:
    cursor.expect("input", "behind with")
    return WithInput(at, expression(cursor), block(cursor, "with input"))


def _match(cursor: Cursor, at: Place) -> Stmt:
    value = expression(cursor)
    cases = _parts(cursor, "case", "match", _case)
    return Match(at, value, tuple(cases))


def _case(cursor: Cursor, at: Place) -> Case:
    return Case(at, pattern(cursor), block(cursor, "case"))


def _choose(cursor: Cursor, at: Place) -> Stmt:
    value: Expr = expression(cursor)
    cursor.expect("by", "and a criterion")
    by = criterion(cursor)
    cursor.expect("as", "and a name for the choice")
    name = cursor.new_name("a choice")
    return Choose(at, value, by, name, tuple(_parts(cursor, "option", "choose", _option)))


def _option(cursor: Cursor, at: Place) -> tuple[str, Block]:  # noqa: ARG001 - the shape of all parts
    label = cursor.expect_kind("string", "the option's label, a string").text
    return label, block(cursor, "option")


def _constrain(cursor: Cursor, at: Place) -> Stmt:
    name = cursor.new_name("what is constrained")
    bounds = keywords(cursor, "constrain")
    return Constrain(at, name, bounds, tuple(_parts(cursor, "require", "constrain", _require)))


def _require(cursor: Cursor, at: Place) -> Criterion:  # noqa: ARG001 - the shape of all parts
    found = criterion(cursor)
    cursor.end_line()
    return found


def _parts(cursor: Cursor, word: str | None, of: str, read: Callable[[Cursor, Place], T]) -> list[T]:
    """The indented parts of a statement, each begun by its word, if it has one. One that cannot be read hides no other."""
    _colon(cursor, of)
    found: list[T] = []
    with cursor.deeper():
        cursor.take()
        while not cursor.sees_kind("dedent", "end"):
            try:
                at = cursor.at if word is None else cursor.expect(word, f"in {of}").at
                found.append(read(cursor, at))
            except Fault as fault:
                cursor.findings.add(fault.code, fault.at, fault.message, fault.hint)
                cursor.recover()
    if cursor.sees_kind("dedent"):
        cursor.take()
    return found


def _try(cursor: Cursor, at: Place) -> Stmt:
    body = block(cursor, "try")
    name, handler, last = None, None, None
    if cursor.takes("except"):
        cursor.expect("as", "behind except")
        name = cursor.new_name("a caught error")
        handler = block(cursor, "except")
    if cursor.takes("finally"):
        last = block(cursor, "finally")
    if handler is None and last is None:
        cursor.findings.add("E082", at)
    return Try(at, body, name, handler, last)


def _raise(cursor: Cursor, at: Place) -> Stmt:
    message = cursor.take().text if cursor.sees_kind("string") else None
    cursor.end_line()
    return Raise(at, message)


def _bare(made: Callable[[Place], Stmt]) -> Callable[[Cursor, Place], Stmt]:
    def read(cursor: Cursor, at: Place) -> Stmt:
        cursor.end_line()
        return made(at)

    return read


def _parallel(cursor: Cursor, at: Place) -> Stmt:
    options = keywords(cursor, "parallel")
    cursor.expect("as", "and a name for what comes of it")
    name = cursor.new_name("the result of parallel")
    branches = [one for one in _parts(cursor, None, "parallel", _branch) if one is not None]
    return Parallel(at, options, name, tuple(branches))


def _branch(cursor: Cursor, at: Place) -> tuple[str, Expr] | None:
    if not (cursor.following.kind == "op" and cursor.following.text == "="):
        cursor.findings.add("E106", at)
        cursor.recover()
        return None
    name = cursor.new_name("a branch")
    cursor.expect("=", "and what to do")
    value = expression(cursor)
    cursor.end_line()
    return name, value


_STATEMENTS: dict[str, Callable[[Cursor, Place], Stmt]] = {
    "return": _return,
    "if": _if,
    "while": _while,
    "for": _for,
    "with": _with,
    "match": _match,
    "choose": _choose,
    "constrain": _constrain,
    "try": _try,
    "raise": _raise,
    "parallel": _parallel,
    "pass": _bare(Pass),
    "break": _bare(Break),
    "continue": _bare(Continue),
}
