"""Ways through a program that has been read: every node, every name that gets a value, the statements inside of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from commonplace.surfaces.vvm.errors import Place
from commonplace.surfaces.vvm.syntax import (
    Assign,
    Choose,
    For,
    If,
    InputDecl,
    Match,
    ModuleImport,
    Node,
    Parallel,
    Stmt,
    Try,
    While,
    WithInput,
)


def within(*nodes: Node) -> Iterator[Node]:
    """These nodes and everything in them, in the order of the text."""
    rest: list[object] = [*reversed(nodes)]
    while rest:
        node = rest.pop()
        if isinstance(node, Node):
            yield node
            rest.extend(getattr(node, field) for field in reversed(node.__struct_fields__))
        elif isinstance(node, tuple) and not isinstance(node, Place):
            rest.extend(reversed(node))


def bound_in(body: Iterable[Stmt]) -> Iterator[tuple[str, Place]]:
    """Every name that these statements give a value, where they do so; not what is bound inside of functions."""
    rest = [*body][::-1]
    while rest:
        statement = rest.pop()
        match statement:
            case Assign() | For() | Choose() | Parallel() | InputDecl():
                yield statement.name, statement.at
            case Try(name=str(name)):
                yield name, statement.at
            case ModuleImport(is_agent=False):
                yield statement.alias, statement.at
        rest.extend(reversed([*blocks_of(statement)]))


def blocks_of(statement: Stmt) -> Iterator[Stmt]:
    """The statements in the blocks of one, in order. A function's body is a world of its own."""
    match statement:
        case If():
            yield from (inner for _, body in statement.branches for inner in body)
            yield from statement.otherwise
        case While() | For() | WithInput():
            yield from statement.body
        case Match():
            yield from (inner for case in statement.cases for inner in case.body)
        case Choose():
            yield from (inner for _, body in statement.options for inner in body)
        case Try():
            yield from (*statement.body, *(statement.handler or ()), *(statement.last or ()))
