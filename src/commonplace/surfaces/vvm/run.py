"""A program runs: imports first, then declarations, then its statements in order; at the end, what it exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from commonplace.agent import Host
from commonplace.surfaces.vvm.errors import ProgramRaisedError
from commonplace.surfaces.vvm.evaluate import evaluate, evaluate_all
from commonplace.surfaces.vvm.execute import execute
from commonplace.surfaces.vvm.inputs import accepted
from commonplace.surfaces.vvm.library import defined, library
from commonplace.surfaces.vvm.machine import Machine
from commonplace.surfaces.vvm.models import Models
from commonplace.surfaces.vvm.program import Program, Source
from commonplace.surfaces.vvm.scope import Frame, Module
from commonplace.surfaces.vvm.syntax import AgentDecl, Def, Export, InputDecl, ModuleImport
from commonplace.surfaces.vvm.values import Function, Raised, Value, error_value, is_error, plain


def run(
    program: Program, models: Models, arguments: Mapping[str, Any] | None = None, host: Host | None = None
) -> dict[str, Value]:
    """The values that the program exports, by name. What it raises and does not catch is a `ProgramRaisedError`.

    `arguments` are for its `input` lines. `scope: "project"` is the folder of the program's file, whatever `host` says (V55).
    """
    machine = Machine(models, (host or Host())._replace(project=program.project), execute)
    modules: dict[str, Module] = {}
    for source in program.sources:
        given = arguments or {} if source is program.main else {}
        modules[source.path] = _ran(machine, source, accepted(source, given), modules)
    return modules[program.main.path].exports


def _ran(machine: Machine, source: Source, inputs: Mapping[str, Value], modules: Mapping[str, Module]) -> Module:
    frame = Frame.top(Module(source.file, library()))
    try:
        _declare(machine, frame, source, modules)
        _fill(machine, frame, source, inputs)
        machine.execute(frame, source.body)
        _export(frame, source)
    except Raised as raised:
        place = f"{raised.file or source.file}:{raised.at.line}:{raised.at.column}"
        raise ProgramRaisedError(raised.value, place) from None
    except RecursionError:
        raise ProgramRaisedError(error_value("thrown", "values are nested too deep"), source.file) from None
    return frame.module


def _fill(machine: Machine, frame: Frame, source: Source, inputs: Mapping[str, Value]) -> None:
    for one in source.body:
        if isinstance(one, InputDecl):
            default = None if one.default is None else evaluate(machine, frame, one.default)
            frame.names[one.name] = inputs.get(one.name, default)


def _declare(machine: Machine, frame: Frame, source: Source, modules: Mapping[str, Module]) -> None:
    """Agents, functions and imports are there from the first line on, wherever they stand."""
    module = frame.module
    for one in source.body:
        match one:
            case AgentDecl():
                module.agents[one.name] = machine.agent(one.name, evaluate_all(machine, frame, one.settings), one.at)
            case Def():
                module.values[one.name] = defined(machine, module, one)
            case ModuleImport():
                held = modules[source.imports[one.path]]
                if one.is_agent:
                    module.agents[one.alias] = held.agents[one.name]
                else:
                    module.values[one.alias] = held.exports[one.name]


def _export(frame: Frame, source: Source) -> None:
    for one in source.body:
        if isinstance(one, Export) and not one.is_agent:
            frame.module.exports[one.name] = frame.look_up(one.name, one.at)


def has_errors(exports: Mapping[str, Value]) -> bool:
    return any(is_error(value) for value in exports.values())


def shown(exports: Mapping[str, Value]) -> dict[str, Any]:
    """The exports as JSON knows them; functions are of use to a module that imports them, not to a reader."""
    return {name: plain(value) for name, value in exports.items() if not isinstance(value, Function)}
