"""A program runs: imports first, then declarations, then its statements in order; at the end, what it exports."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from commonplace.agent import Host
from commonplace.surfaces.vvm.errors import Place, ProgramRaisedError
from commonplace.surfaces.vvm.evaluate import evaluate, evaluate_all, packed
from commonplace.surfaces.vvm.execute import execute
from commonplace.surfaces.vvm.inputs import InputError, accepted
from commonplace.surfaces.vvm.library import defined, library
from commonplace.surfaces.vvm.machine import Machine
from commonplace.surfaces.vvm.models import Models
from commonplace.surfaces.vvm.program import Program, Source
from commonplace.surfaces.vvm.scope import Frame, Module
from commonplace.surfaces.vvm.syntax import AgentDecl, Def, Export, ExportPack, InputDecl, ModuleImport
from commonplace.surfaces.vvm.values import Function, Raised, Value, error_value, is_error, plain, thrown


def run(
    program: Program, models: Models, arguments: Mapping[str, Any] | None = None, host: Host | None = None
) -> dict[str, Value]:
    """The values that the program exports, by name. What it raises and does not catch is a `ProgramRaisedError`.

    `arguments` are for its `input` lines. `scope: "project"` is the folder of the program's file, whatever `host` says (V55).
    """
    machine = Machine(models, (host or Host())._replace(project=program.project), execute)
    return _Run(machine, program).module(program.main, arguments or {}).exports


class _Run:
    """One run: the modules that were imported by name, each run once, before whoever imports it goes on."""

    def __init__(self, machine: Machine, program: Program) -> None:
        self._machine = machine
        self._sources = {source.path: source for source in program.sources}
        self._imported: dict[str, Module] = {}
        self._one_at_a_time = threading.RLock()

    def module(self, source: Source, inputs: Mapping[str, Value]) -> Module:
        """Run a file from its first to its last line."""
        given = accepted(source, inputs)
        frame = Frame.top(Module(source.file, library()))
        try:
            self._declare(frame, source)
            self._fill(frame, source, given)
            self._machine.execute(frame, source.body)
            self._export(frame, source)
        except Raised as raised:
            place = f"{raised.file or source.file}:{raised.at.line}:{raised.at.column}"
            raise ProgramRaisedError(raised.value, place) from None
        except RecursionError:
            raise ProgramRaisedError(error_value("thrown", "values are nested too deep"), source.file) from None
        return frame.module

    def _declare(self, frame: Frame, source: Source) -> None:
        """Agents, functions and imports are there from the first line on, wherever they stand."""
        machine, module = self._machine, frame.module
        for one in source.body:
            match one:
                case AgentDecl():
                    settings = evaluate_all(machine, frame, one.settings)
                    module.agents[one.name] = machine.agent(one.name, settings, one.at)
                case Def():
                    module.values[one.name] = defined(machine, module, one)
                case ModuleImport():
                    self._import(module, one, self._sources[source.imports[one.path]])

    def _import(self, module: Module, one: ModuleImport, source: Source) -> None:
        if one.name == "*":
            module.values[one.alias] = self._callable(one.alias, source)
        elif one.is_agent:
            module.agents[one.alias] = self._held(source).agents[one.name]
        else:
            module.values[one.alias] = self._held(source).exports[one.name]

    def _held(self, source: Source) -> Module:
        with self._one_at_a_time:
            if source.path not in self._imported:
                self._imported[source.path] = self.module(source, {})
            return self._imported[source.path]

    def _callable(self, name: str, source: Source) -> Function:
        """A module to be called: each call runs it anew with its inputs, and answers with what it exports, or an error value."""

        def call(frame: Frame, at: Place, positional: list[Value], keywords: dict[str, Value]) -> Value:  # noqa: ARG001
            if positional:
                raise thrown(f"the module `{name}` takes its inputs by name", at)
            try:
                return {**self.module(source, keywords).exports}
            except InputError as refused:
                return error_value(refused.code, refused.message, {"name": refused.name})
            except ProgramRaisedError as raised:
                return error_value("module_failed", raised.message, {"module": source.file, **raised.value})

        return Function(name, call)

    def _fill(self, frame: Frame, source: Source, inputs: Mapping[str, Value]) -> None:
        for one in source.body:
            if isinstance(one, InputDecl):
                default = None if one.default is None else evaluate(self._machine, frame, one.default)
                frame.names[one.name] = inputs.get(one.name, default)

    def _export(self, frame: Frame, source: Source) -> None:
        """When everything has run: exports are declarations, and may stand before what they name."""
        for one in source.body:
            if isinstance(one, Export) and not one.is_agent:
                frame.module.exports[one.name] = frame.look_up(one.name, one.at)
            elif isinstance(one, ExportPack):
                frame.module.exports.update(packed(self._machine, frame, one.call))


def has_errors(exports: Mapping[str, Value]) -> bool:
    return any(is_error(value) for value in exports.values())


def shown(exports: Mapping[str, Value]) -> dict[str, Any]:
    """The exports as JSON knows them; functions are of use to a module that imports them, not to a reader."""
    return {name: plain(value) for name, value in exports.items() if not isinstance(value, Function)}
