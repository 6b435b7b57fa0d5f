"""What a module says about itself: agents, imports, exports, inputs. `def` is read with the statements it is made of."""

from __future__ import annotations

from collections.abc import Callable

from commonplace.surfaces.vvm.cursor import Cursor
from commonplace.surfaces.vvm.errors import Fault, Place
from commonplace.surfaces.vvm.expressions import expression, keywords
from commonplace.surfaces.vvm.syntax import (
    AgentDecl,
    Call,
    Export,
    ExportPack,
    InputDecl,
    ModuleImport,
    SkillImport,
    Stmt,
)

_ONLY_NAMES = "Assign it to a name first; only names and pack(...) can be exported."


def _agent(cursor: Cursor, at: Place) -> Stmt:
    name = cursor.new_name("an agent")
    settings = keywords(cursor, "the agent's name")
    cursor.end_line()
    return AgentDecl(at, name, settings)


def _skill(cursor: Cursor, at: Place) -> Stmt:
    name = cursor.expect_kind("string", "a skill's name, a string").text
    cursor.expect("from", "and a source")
    source = cursor.expect_kind("string", "the skill's source, a string").text
    cursor.end_line()
    if not name.strip() or not source.strip():
        cursor.findings.add("E030", at)
    return SkillImport(at, name, source)


def _module(cursor: Cursor, at: Place) -> Stmt:
    path = cursor.expect_kind("string", "a module's path, a string").text
    cursor.expect("import", "and a name")
    if cursor.takes("*"):
        cursor.expect("as", "and a name for the module")
        name, is_agent, alias = "*", False, cursor.new_name("a module")
    else:
        is_agent = cursor.takes("@")
        name = cursor.expect_kind("name", "the name of what is imported").text
        alias = cursor.new_name("an import") if cursor.takes("as") else name
    cursor.end_line()
    return ModuleImport(at, path, name, is_agent, alias)


def _export(cursor: Cursor, at: Place) -> Stmt:
    if cursor.takes("@"):
        name = cursor.expect_kind("name", "an agent's name").text
        cursor.end_line()
        return Export(at, name, True)
    if cursor.sees_kind("name") and cursor.following.kind == "newline":
        name = cursor.take().text
        cursor.end_line()
        return Export(at, name, False)
    value = expression(cursor)
    cursor.end_line()
    if not (isinstance(value, Call) and value.function == "pack"):
        raise Fault("E001", value.at, "only a name, an @agent or pack(...) can be exported", _ONLY_NAMES)
    return ExportPack(at, value)


def _input(cursor: Cursor, at: Place) -> Stmt:
    name = cursor.new_name("an input")
    about = None
    if cursor.takes(":"):
        about = cursor.expect_kind("string", "a description, a string").text
        if not about.strip():
            cursor.findings.add("W050", at)
    default = expression(cursor) if cursor.takes("=") else None
    if about is None and default is None:
        raise cursor.unexpected("`:` and a description, or `=` and a default")
    cursor.end_line()
    return InputDecl(at, name, about or "", default)


DECLARATIONS: dict[str, Callable[[Cursor, Place], Stmt]] = {
    "agent": _agent,
    "import": _skill,
    "from": _module,
    "export": _export,
    "input": _input,
}
