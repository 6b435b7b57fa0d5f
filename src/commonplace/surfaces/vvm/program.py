"""A file becomes a program: read, with what it imports, and checked as a whole. The folder of the first file is the project.

Modules are files beside the program (`./`, `../`); nothing is fetched. A file is read once, however often it is imported.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from commonplace.errors import InvalidError, NotFoundError
from commonplace.surfaces.vvm.check import check, functions
from commonplace.surfaces.vvm.errors import Diagnostic, Findings, Place, ProgramError, ProgramTooLargeError
from commonplace.surfaces.vvm.parser import normalised, parse
from commonplace.surfaces.vvm.syntax import (
    AgentCall,
    AgentDecl,
    Block,
    Criterion,
    Export,
    ExportPack,
    InputDecl,
    Judged,
    ModuleImport,
    Name,
    SkillImport,
)
from commonplace.surfaces.vvm.walk import bound_in, within

MAX_BYTES = 256 * 1024
"""Of one file: twenty times the longest program we have seen."""
MAX_MODULES = 64
STDIN = "-"
"""A program that comes through the pipe has no folder; its project is the current one (V55)."""


class Source(NamedTuple):
    """One file that was read: where it lies, what it is called in messages, what it says, what it imports from where."""

    path: str
    file: str
    body: Block
    imports: dict[str, str]


class Program(NamedTuple):
    """Everything that will run, imported modules first. The last one is the program itself."""

    sources: tuple[Source, ...]
    warnings: tuple[Diagnostic, ...]

    @property
    def main(self) -> Source:
        return self.sources[-1]

    @property
    def project(self) -> str | None:
        """The folder of the file that is run, or none: then it is the current one (V55)."""
        return None if self.main.path == STDIN else os.path.dirname(self.main.path)

    @property
    def needs_a_model(self) -> bool:
        nodes = (node for source in self.sources for node in within(*source.body))
        return any(isinstance(node, AgentCall | Judged | Criterion) for node in nodes)

    @property
    def inputs(self) -> list[InputDecl]:
        return [one for one in self.main.body if isinstance(one, InputDecl)]


def load(path: str) -> Program:
    """The program in a file. Raises `ProgramError` with everything that is wrong with it."""
    found = examine(path)
    errors = [one for one in found.findings if one.is_error]
    if errors:
        raise ProgramError(found.findings)
    return Program(tuple(found.sources), tuple(found.findings))


def examine(path: str) -> _Reader:
    """The same without the exception: all that could be read, and all findings."""
    reader = _Reader()
    reader.read(path if path == STDIN else os.path.realpath(path), path, None)
    reader.finish()
    return reader


class _Reader:
    """Reads files and what they import, depth first."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.findings: list[Diagnostic] = []
        self.left_out = 0
        self._notes: dict[str, Findings] = {}
        self._bodies: dict[str, Block] = {}
        self._reading: list[str] = []
        self._skills: dict[str, str] = {}

    def read(self, path: str, file: str, importer: tuple[Findings, Place] | None) -> bool:
        """Read one file and what it imports. Is it there to import from?"""
        if path in self._reading:
            self._refuse(importer, "modules import each other in a circle")
            return False
        if path in self._bodies:
            return True
        if len(self._bodies) >= MAX_MODULES:
            self._refuse(importer, f"a program has more than {MAX_MODULES} modules")
            return False
        text = self._text(path, file, importer)
        if text is None:
            return False
        notes = self._notes[path] = Findings(text, file)
        self._bodies[path] = body = parse(text, notes)
        check(body, notes)
        self._reading.append(path)
        imports = {one.path: self._import(one, path, file, notes) for one in body if isinstance(one, ModuleImport)}
        self._reading.pop()
        self._check_skills(body, notes)
        self.sources.append(Source(path, file, body, {key: value for key, value in imports.items() if value}))
        return True

    def finish(self) -> None:
        notes = [self._notes[source.path] for source in self.sources]
        self.findings = [one for found in notes for one in found.all()]
        self.left_out = sum(found.left_out for found in notes)

    def _text(self, path: str, file: str, importer: tuple[Findings, Place] | None) -> str | None:
        if importer is not None and not os.path.isfile(path):
            self._refuse(importer, "there is no such module")
            return None
        return text_in(path, file)

    def _refuse(self, importer: tuple[Findings, Place] | None, why: str) -> None:
        assert importer is not None, "only an import can be refused"
        notes, at = importer
        notes.add("E090", at, why)

    def _import(self, one: ModuleImport, path: str, file: str, notes: Findings) -> str:
        if not one.path.startswith(("./", "../")):
            notes.add("E900", one.at, "only files beside the program can be imported", "Begin its path with ./ or ../")
            return ""
        target = os.path.realpath(os.path.join(os.path.dirname(path), one.path))
        if not target.endswith(".vvm"):  # what is wrong in a file is quoted, and not every file is meant to be
            notes.add("E090", one.at, "a module is a file whose name ends with .vvm")
            return ""
        shown = os.path.normpath(os.path.join(os.path.dirname(file), one.path))
        if not self.read(target, shown, (notes, one.at)):
            return ""
        if not _exports(self._bodies[target], one):
            what = "agent" if one.is_agent else "value"
            notes.add("E090", one.at, f"that module exports no {what} called `{one.name}`")
        return target

    def _check_skills(self, body: Block, notes: Findings) -> None:
        for one in body:
            if isinstance(one, SkillImport) and self._skills.setdefault(one.name, one.source) != one.source:
                notes.add("E032", one.at, f"another module imports the skill `{one.name}` from elsewhere")


def _exports(body: Block, wanted: ModuleImport) -> bool:
    if wanted.name == "*":
        return True
    if wanted.is_agent:
        agents = {one.name for one in body if isinstance(one, AgentDecl)}
        return wanted.name in agents and any(
            isinstance(one, Export) and one.is_agent and one.name == wanted.name for one in body
        )
    named = {one.name for one in body if isinstance(one, Export) and not one.is_agent}
    named &= {*(one.name for one in functions(body)), *(name for name, _ in bound_in(body))}
    for one in body:
        if isinstance(one, ExportPack):
            named |= {key for key, _ in one.call.keywords} | {
                x.name for x in one.call.positional if isinstance(x, Name)
            }
    return wanted.name in named


def text_in(path: str, file: str) -> str:
    """A program's text: UTF-8, of a length that can be read. `-` is the pipe."""
    try:
        with open(0 if path == STDIN else path, "rb", closefd=path != STDIN) as opened:
            read = opened.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError("there is no such program", where=file, hint="Check the path.") from None
    except IsADirectoryError:
        raise InvalidError("this is a folder, not a program", where=file, hint="Name a file in it.") from None
    if len(read) > MAX_BYTES:
        raise ProgramTooLargeError(f"a program has at most {MAX_BYTES // 1024} KiB", where=file)
    try:
        return normalised(read.decode())
    except UnicodeDecodeError as cause:
        raise InvalidError(
            f"the program is not UTF-8 (byte {cause.start})",
            where=file,
            hint="Convert it first, for example with iconv.",
        ) from None
