"""The nouns of a program: what a text says once it is read. Frozen, each with its place, none with behaviour.

Where the grammar repeats something (`a + b + c`, `x.y.z`, `if … elif …`) a node holds the whole row, so that a long
program is wide and not deep.
"""

from __future__ import annotations

import msgspec

from commonplace.surfaces.vvm.errors import Place

Plain = bool | int | float | str | tuple[()]


class Node(msgspec.Struct, frozen=True):
    """Something in a program."""

    at: Place


class Expr(Node, frozen=True):
    """What has a value."""


class Stmt(Node, frozen=True):
    """What is done."""


Block = tuple[Stmt, ...]
Keywords = tuple[tuple[str, Expr], ...]


# Templates


class Hole(Node, frozen=True):
    """`{name}`, or `{}` for the primary input."""

    name: str | None


class Template(Node, frozen=True):
    """What stands between the backticks, as it stands there, and the holes in it."""

    text: str
    holes: tuple[Hole, ...]


# Expressions


class Literal(Expr, frozen=True):
    value: Plain


class Name(Expr, frozen=True):
    name: str


class It(Expr, frozen=True):
    """The implicit input."""


class ListOf(Expr, frozen=True):
    items: tuple[Expr, ...]


class ObjectOf(Expr, frozen=True):
    pairs: Keywords


class Call(Expr, frozen=True):
    function: str
    positional: tuple[Expr, ...]
    keywords: Keywords


class AgentRef(Node, frozen=True):
    """`@name`, `@name.with(...)`, or `@{...}` without a name."""

    name: str | None
    settings: Keywords


class AgentCall(Expr, frozen=True):
    agent: AgentRef
    template: Template
    input: Expr | None
    options: Keywords


class Judged(Expr, frozen=True):
    """A criterion that is judged by meaning: ?`ready`(draft)."""

    template: Template
    input: Expr | None


class Member(Node, frozen=True):
    name: str


class Index(Node, frozen=True):
    key: Expr


class Reach(Expr, frozen=True):
    """`base.name[key]…`"""

    base: Expr
    steps: tuple[Member | Index, ...]


class Not(Expr, frozen=True):
    operand: Expr


class Logic(Expr, frozen=True):
    """All of them (`and`) or one of them (`or`), from left to right as far as needed."""

    word: str
    operands: tuple[Expr, ...]


class Chain(Expr, frozen=True):
    """`first op operand op operand …`, from left to right."""

    first: Expr
    rest: tuple[tuple[str, Expr], ...]


# Statements


class Assign(Stmt, frozen=True):
    name: str
    value: Expr


class Do(Stmt, frozen=True):
    """An expression for what it does."""

    value: Expr


class AgentDecl(Stmt, frozen=True):
    name: str
    settings: Keywords


class Def(Stmt, frozen=True):
    name: str
    params: tuple[str, ...]
    body: Block
    bound: frozenset[str]


class Return(Stmt, frozen=True):
    value: Expr | None


class If(Stmt, frozen=True):
    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block


class While(Stmt, frozen=True):
    condition: Expr
    body: Block


class For(Stmt, frozen=True):
    name: str
    items: Expr
    body: Block


class Anything(Node, frozen=True):
    """The pattern `_`."""


class ErrorPattern(Node, frozen=True):
    """`error(_)`, or of one kind."""

    kind: str | None


class Criterion(Node, frozen=True):
    """A pattern or a requirement that is judged by meaning."""

    template: Template


Pattern = Anything | ErrorPattern | Criterion


class Case(Node, frozen=True):
    pattern: Pattern
    body: Block


class Match(Stmt, frozen=True):
    value: Expr
    cases: tuple[Case, ...]


class Choose(Stmt, frozen=True):
    value: Expr
    by: Criterion
    name: str
    options: tuple[tuple[str, Block], ...]


class Parallel(Stmt, frozen=True):
    """Several expressions at once, each with a name; what came of them is one object."""

    options: Keywords
    name: str
    branches: tuple[tuple[str, Expr], ...]


class Constrain(Stmt, frozen=True):
    name: str
    bounds: Keywords
    requirements: tuple[Criterion, ...]


class WithInput(Stmt, frozen=True):
    value: Expr
    body: Block


class Try(Stmt, frozen=True):
    body: Block
    name: str | None
    handler: Block | None
    last: Block | None


class Raise(Stmt, frozen=True):
    message: str | None


class Pass(Stmt, frozen=True):
    pass


class Break(Stmt, frozen=True):
    pass


class Continue(Stmt, frozen=True):
    pass


class SkillImport(Stmt, frozen=True):
    name: str
    source: str


class ModuleImport(Stmt, frozen=True):
    """Something that a module exports; or, as `*`, the module itself, to be called with its inputs."""

    path: str
    name: str
    is_agent: bool
    alias: str


class Export(Stmt, frozen=True):
    name: str
    is_agent: bool


class ExportPack(Stmt, frozen=True):
    """`export pack(...)`: each thing that is packed is exported under its own name."""

    call: Call


class InputDecl(Stmt, frozen=True):
    """What a program asks of whoever runs it."""

    name: str
    about: str
    default: Expr | None
