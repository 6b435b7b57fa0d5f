"""Running the Python of a page. A comment `# -> VALUE` behind an expression states its value, and is checked."""

from __future__ import annotations

import ast
import re
from typing import Any

from .pages import Block

_STATED = re.compile(r"#\s*->\s*(.+?)\s*$")


def run(block: Block, names: dict[str, Any], page: str) -> None:
    """Execute one block in the names that earlier blocks of the page left."""
    lines = block.text.splitlines()
    module = ast.parse(block.text, page)
    ast.increment_lineno(module, block.line - 1)
    for statement in module.body:
        stated = _STATED.search(lines[(statement.end_lineno or 0) - block.line])
        if isinstance(statement, ast.Expr) and stated:
            value = eval(compile(ast.Expression(statement.value), page, "eval"), names)
            assert repr(value) == stated[1], f"{page}:{statement.lineno} says {stated[1]}, but it is {value!r}"
        else:
            exec(compile(ast.Module([statement], []), page, "exec"), names)
