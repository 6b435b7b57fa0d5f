"""What a text says: strings, templates, calls, blocks, and where each of them stands."""

from __future__ import annotations

import pytest
from vvm_texts import errors, read

from commonplace.surfaces.vvm.errors import Findings
from commonplace.surfaces.vvm.syntax import (
    AgentCall,
    AgentDecl,
    Assign,
    Call,
    Def,
    Do,
    Export,
    ExportPack,
    InputDecl,
    ListOf,
    Literal,
    Match,
    ModuleImport,
    Name,
    ObjectOf,
    Parallel,
    SkillImport,
)
from commonplace.surfaces.vvm.tokens import KEYWORDS, tokens_of


def _value(text: str):
    (statement,), found = read(f"x = {text}\nexport x\n")[0][:1], read(f"x = {text}\nexport x\n")[1]
    assert [one for one in found if one.code not in ("E040", "E051")] == []
    assert isinstance(statement, Assign)
    return statement.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("()", ()),
        ("true", True),
        ("false", False),
        ("12", 12),
        ("3.50", 3.5),
        ('"a # b"', "a # b"),
        (r'"tab\t quote\" slash\\ line\n \u00e9"', 'tab\t quote" slash\\ line\n é'),
        ('"""two\nlines, a "quote" and \\"\\"\\" three"""', 'two\nlines, a "quote" and """ three'),
        ('""', ""),
        ('""""""', ""),
    ],
)
def test_literals_mean_what_they_say(text: str, value: object) -> None:
    found = _value(text)
    assert isinstance(found, Literal)
    assert found.value == value
    assert type(found.value) is type(value)


def test_lists_and_objects_may_end_with_a_comma_and_span_lines() -> None:
    """V46: trailing commas are legal; keys are names or strings, and a word of the language may be one."""
    found = _value('{\n  a: [1,\n2,],\n  "b c": (),\n  error: {kind: "x"},\n}')
    assert isinstance(found, ObjectOf)
    assert [key for key, _ in found.pairs] == ["a", "b c", "error"]
    assert isinstance(found.pairs[0][1], ListOf)


def test_an_agent_call_has_its_agent_task_input_and_options() -> None:
    """V47: @name, @name.with(...), @{...}; parentheses; the first value is the input."""
    plain = _value('@helper `Help with {}.`(question, memory_mode="dry_run", retry=2,)')
    assert isinstance(plain, AgentCall)
    assert (plain.agent.name, plain.template.text, [key for key, _ in plain.options]) == (
        "helper", "Help with {}.", ["memory_mode", "retry"],
    )  # fmt: skip
    assert isinstance(plain.input, Name)
    derived = _value('@helper.with(memory={key: k}, model="haiku") `Go.`()')
    assert isinstance(derived, AgentCall)
    assert [key for key, _ in derived.agent.settings] == ["memory", "model"]
    assert derived.input is None, "() is the implicit input"
    inline = _value('@{model="haiku", prompt="brief"} `Go.`(())')
    assert isinstance(inline, AgentCall)
    assert (inline.agent.name, inline.input) == (None, Literal(inline.input.at, ()))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "holes"),
    [
        ("plain", []),
        ("{} and {name}", [None, "name"]),
        ("{{}} {{name}} }}{{", []),
        ("{{{name}}}", ["name"]),
        ('a \\` backtick, a \\" quote, a \\n stays', []),
    ],
)
def test_templates_have_holes_and_one_escape(text: str, holes: list[str | None]) -> None:
    """V52: only a backtick is escaped; every other backslash stays."""
    found = _value(f"@a `{text}`(())")
    assert isinstance(found, AgentCall)
    assert found.template.text == text
    assert [hole.name for hole in found.template.holes] == holes


def test_a_template_of_several_lines_knows_where_its_holes_are() -> None:
    found = _value("@a `one {x}\n two {y}\n{z}`(())")
    assert isinstance(found, AgentCall)
    assert [hole.at for hole in found.template.holes] == [(1, 13), (2, 6), (3, 1)]


def test_comments_blank_lines_and_windows_line_ends_do_not_matter() -> None:
    text = '# first\n\nagent a(model="m")  # declared\n\n   # odd indent\nx = [ # inside\n  1,\n\n  2]\nexport x\n'
    for other in (text, text.replace("\n", "\r\n"), "\ufeff" + text, text.removesuffix("\n")):
        body, found = read(other)
        assert [type(one) for one in body] == [AgentDecl, Assign, Export]
        assert found == []


def test_blocks_nest_by_indentation() -> None:
    body, found = read(
        """\
        def f(x):
          if x == 1:
              for i in [1]:
                  y = i
          elif x == 2:
            pass
          else:
            while false:
              break
          match x:
            case error(kind="locked"):
              return 1
            case error(_):
              pass
            case ?`good`:
              pass
            case _:
              return y
        z = f(1)
        export z
        """
    )
    assert found == []
    assert [type(one) for one in body] == [Def, Assign, Export]
    (function, *_) = body
    assert isinstance(function, Def)
    assert function.bound == {"x", "y", "i"}
    assert isinstance(function.body[1], Match)


def test_declarations_of_a_module() -> None:
    """V61: `export pack(...)` is taken too, as the language's own examples write it."""
    body, found = read(
        """\
        import "search" from "github:example/skills"
        from "./lib.vvm" import f as g
        from "./lib.vvm" import @scout
        input topic: "What it is about"
        input depth: "How deep" = "medium"
        input many = 3
        agent a(model="m", skills=["search"])
        x = g(topic, depth, many)
        export x
        export @a
        export pack(x, again=x)
        """
    )
    assert found == []
    assert [type(one) for one in body] == [
        SkillImport, ModuleImport, ModuleImport, InputDecl, InputDecl, InputDecl, AgentDecl, Assign, Export, Export, ExportPack,
    ]  # fmt: skip


def test_words_of_the_language_are_allowed_as_keys_and_keywords_only() -> None:
    assert errors("x = {match: 1, it: 2}\ny = pack(error=x, input=x.match)\nexport y\n") == []
    for word in sorted(KEYWORDS - {"it"}):
        assert "E010" in errors(f"{word} = 1\n"), word
        assert "E010" in errors(f"def f({word}):\n  pass\n"), word


def test_a_call_is_read_with_positional_values_first() -> None:
    found = _value("f(1, g(2), k=3)")
    assert isinstance(found, Call)
    assert (len(found.positional), [key for key, _ in found.keywords]) == (2, ["k"])


def test_an_expression_alone_is_a_statement() -> None:
    body, found = read("agent a()\n@a `Go.`(())\n")
    assert found == []
    assert isinstance(body[1], Do)


def test_every_token_knows_its_place() -> None:
    text = 'x = """a\nb""" + `t\n\nu`  \n  y'
    places = [(token.kind, *token.at) for token in tokens_of(text, Findings(text))]
    assert places == [
        ("name", 1, 1), ("op", 1, 3), ("string", 1, 5), ("op", 2, 6), ("template", 2, 8), ("newline", 4, 5),
        ("indent", 5, 1), ("name", 5, 3), ("newline", 5, 4), ("dedent", 5, 4), ("end", 5, 4),
    ]  # fmt: skip


def test_parallel_has_named_branches_and_binds_one_name() -> None:
    """V59."""
    body, found = read(
        """\
        agent a()
        parallel(join="any", count=1, on_fail="continue") as votes:
          one = @a `Judge.`(1)
          two = @a `Judge.`(2)
        export votes
        """
    )
    assert found == []
    block = body[1]
    assert isinstance(block, Parallel)
    assert (block.name, [name for name, _ in block.branches]) == ("votes", ["one", "two"])
