"""What can be known to be wrong, or odd, before anything runs. One look at one module; imports are looked at by `program`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from commonplace.surfaces.vvm.agent_settings import check_settings
from commonplace.surfaces.vvm.check_parallel import check_parallel
from commonplace.surfaces.vvm.errors import Findings, Place
from commonplace.surfaces.vvm.syntax import (
    AgentDecl,
    AgentRef,
    Assign,
    Block,
    Break,
    Call,
    Constrain,
    Continue,
    Def,
    Export,
    ExportPack,
    For,
    Hole,
    InputDecl,
    ModuleImport,
    Name,
    Node,
    Return,
    SkillImport,
    Stmt,
    While,
)
from commonplace.surfaces.vvm.walk import blocks_of, bound_in, within

LIBRARY = ("pack", "perm", "range", "map", "pmap", "filter", "reduce", "refine")
_SOURCES = ("github:", "npm:", "./", "../")


def check(program: Block, findings: Findings) -> None:
    """Note everything. The program may be read in part only: what could not be read was noted before."""
    _declared_twice(program, findings)
    _skills(program, findings)
    _agents(program, findings)
    _inputs(program, findings)
    _placeholders(program, findings)
    _order(program, findings)
    _packs(program, findings)
    check_parallel(program, findings)
    if not findings.errors:  # what is read in part has names whose use was not seen
        _unused(program, findings)
        _exports(program, findings)


def functions(program: Block) -> list[Def]:
    return [one for one in program if isinstance(one, Def)]


def known_names(program: Block) -> set[str]:
    """Every name that has, or may get, a value at the top of the module."""
    return {*LIBRARY, *(one.name for one in functions(program)), *(name for name, _ in bound_in(program))}


def _declared_twice(program: Block, findings: Findings) -> None:
    agents = [(one.name, one.at) for one in program if isinstance(one, AgentDecl)]
    agents += [(one.alias, one.at) for one in program if isinstance(one, ModuleImport) and one.is_agent]
    _twice(agents, "E020", "an agent called `{}` is declared already", findings)
    _twice([(one.name, one.at) for one in functions(program)], "E021", "a function `{}` is declared already", findings)
    skills = [(one.name, one.at) for one in program if isinstance(one, SkillImport)]
    _twice(skills, "E031", "the skill `{}` is imported already", findings)
    inputs = [(one.name, one.at) for one in program if isinstance(one, InputDecl)]
    _twice(inputs, "E111", "an input called `{}` is declared already", findings)


def _twice(named: Iterable[tuple[str, Place]], code: str, message: str, findings: Findings) -> None:
    seen: set[str] = set()
    for name, at in sorted(named, key=lambda one: one[1]):
        if name in seen:
            findings.add(code, at, message.format(name))
        seen.add(name)


def _skills(program: Block, findings: Findings) -> None:
    for one in program:
        if isinstance(one, SkillImport) and one.source.strip() and not one.source.startswith(_SOURCES):
            findings.add("W001", one.at, hint="Sources are github:user/repo, npm:package, ./path or ../path.")


def _agents(program: Block, findings: Findings) -> None:
    declared = {one.name for one in program if isinstance(one, AgentDecl)}
    declared |= {one.alias for one in program if isinstance(one, ModuleImport) and one.is_agent}
    skills = {one.name for one in program if isinstance(one, SkillImport)}
    for node in within(*program):
        if isinstance(node, AgentRef) and node.name is not None and node.name not in declared:
            findings.add("E040", node.at, f"there is no agent called `{node.name}`")
        if isinstance(node, AgentDecl):
            check_settings(node, skills, findings)


def _inputs(program: Block, findings: Findings) -> None:
    """Inputs stand first: whoever runs a program reads at its top what it asks for."""
    begun = False
    for one in program:
        if isinstance(one, InputDecl) and begun:
            findings.add("E110", one.at)
        begun = begun or not isinstance(one, InputDecl | AgentDecl | Def | Export | SkillImport | ModuleImport)
    takes = any(isinstance(one, InputDecl) for one in program)
    if takes and not any(isinstance(one, Export | ExportPack) for one in program):
        findings.add("W051", program[0].at)


def _placeholders(program: Block, findings: Findings) -> None:
    known = known_names(program)
    for one in program:
        own = one.bound if isinstance(one, Def) else frozenset()
        for node in within(one):
            if isinstance(node, Hole) and node.name is not None and node.name not in own and node.name not in known:
                findings.add("E051", node.at, f"nothing is called `{node.name}`")


def _order(program: Block, findings: Findings) -> None:
    """What may stand only inside of something, or only behind something."""
    imported = {one.alias for one in program if isinstance(one, ModuleImport)}
    _walk(program, {*imported, *(one.name for one in functions(program))}, {*LIBRARY}, findings, "")
    known = known_names(program)
    for one in functions(program):
        _walk(one.body, {*one.params}, known, findings, "def")


def _walk(body: Iterable[Stmt], bound: set[str], outer: set[str], findings: Findings, inside: str) -> None:
    """Go through statements in the order of the text. `bound` grows on the way; `inside` names what is around."""
    for one in body:
        match one:
            case Return() if not inside.startswith("def"):
                findings.add("E080", one.at)
            case Break() | Continue() if not inside.endswith("loop"):
                findings.add("E081", one.at)
            case Constrain() if one.name not in bound and one.name not in outer:
                findings.add("E070", one.at, f"`{one.name}` has no value before this line")
        around = f"{inside} loop" if isinstance(one, For | While) else inside
        if isinstance(one, For):
            bound.add(one.name)
        _walk(blocks_of(one), bound, outer, findings, around)
        bound.update(name for name, _ in bound_in((one,)))


def _packs(program: Block, findings: Findings) -> None:
    for node in within(*program):
        if isinstance(node, Call) and node.function == "pack":
            for given in node.positional:
                if not isinstance(given, Name):
                    findings.add("E001", given.at, "pack takes names", "Give it a key: pack(key=value).")


def _unused(program: Block, findings: Findings) -> None:
    _unused_in(program, findings, [one for one in program if not isinstance(one, Def)])
    for one in functions(program):
        _unused_in(one.body, findings, one.body)


def _unused_in(everything: Iterable[Node], findings: Findings, body: Iterable[Stmt]) -> None:
    used = set(_used(everything))
    noted: set[str] = set()
    for node in within(*body):
        if isinstance(node, Assign) and node.name not in used and node.name not in noted and node.name[0] != "_":
            noted.add(node.name)
            findings.add("W030", node.at, f"`{node.name}` is never used")


def _used(nodes: Iterable[Node]) -> Iterator[str]:
    for node in within(*nodes):
        match node:
            case Name() | Constrain() | Export():
                yield node.name
            case Call():
                yield node.function
            case Hole(name=str(name)):
                yield name


def _exports(program: Block, findings: Findings) -> None:
    known = known_names(program)
    for one in program:
        if isinstance(one, Export) and not one.is_agent and one.name not in known:
            findings.add("W031", one.at, f"`{one.name}` is exported and never gets a value")
