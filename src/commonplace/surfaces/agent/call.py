"""One call, in its order: render, take the lease, load, ask, take the patch out, check it, apply it, let go (V37, V51).

The template is rendered before anything is locked, so that a mistake in it costs nobody anything. The lease is held from
loading to applying: two calls with one memory never see the same digest and both replace it. Only `continue` writes; what
it writes comes from the patch alone. The prompt and the answer are kept nowhere (V33).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from commonplace.errors import CommonplaceError, InvalidError
from commonplace.surfaces.agent.binding import Binding, bind
from commonplace.surfaces.agent.fences import take_out
from commonplace.surfaces.agent.host import Host, Notice
from commonplace.surfaces.agent.memory import Loaded, Memory
from commonplace.surfaces.agent.memory_context import MemoryContext, memory_context
from commonplace.surfaces.agent.models import Question, ask, seconds_of
from commonplace.surfaces.agent.patch import Checked, Warned, check
from commonplace.surfaces.agent.templates import render, with_input
from commonplace.surfaces.agent.values import ErrorValue

if TYPE_CHECKING:
    from commonplace.storage.mutex import Mutex
    from commonplace.surfaces.agent.agent import Agent

MODES = ("continue", "dry_run", "fresh")
_RETRIED = ("spawn_failed", "timeout", "rejected")
_BACKOFFS = (None, "fixed", "exponential")
_LONGEST_WAIT = 64.0


class Options(NamedTuple):
    """What a call says beside its template and its input (V49)."""

    memory_mode: str = "continue"
    retry: int = 0
    backoff: str | None = None
    timeout: str | float | None = None
    name: str = ""


def call(
    agent: Agent, template: str, input: object, bindings: Mapping[str, object], options: Options
) -> str | ErrorValue:
    task = with_input(render(template, input, bindings), input)
    try:
        _check(options)
        memory = agent.memory if agent.memory is not None and _mode(options) != "fresh" else None
        binding = bind(memory, agent.host) if memory is not None else None
    except InvalidError as problem:
        return ErrorValue("rejected", problem.message)
    if binding is None:
        answer = _spawn(agent, task, options)
        return answer if isinstance(answer, ErrorValue) else take_out(answer)[0]
    try:
        with _leased(binding, agent.host, shared=options.memory_mode == "dry_run") as held:
            return _Remembering(agent, binding, options).run(task, held)
    except CommonplaceError as problem:
        return _failed(problem)


def preview(agent: Agent, memory_mode: str) -> MemoryContext | ErrorValue:
    """The Memory Context of a call that would be made now."""
    if agent.memory is None:
        return ErrorValue("rejected", "the agent has no memory")
    try:
        binding = bind(agent.memory, agent.host)
        with _leased(binding, agent.host, shared=True):
            return _Remembering(agent, binding, Options(memory_mode)).context()[1]
    except InvalidError as problem:
        return ErrorValue("rejected", problem.message)
    except CommonplaceError as problem:
        return _failed(problem)


def _check(options: Options) -> None:
    seconds_of(options.timeout)
    if not isinstance(options.retry, int) or options.retry < 0:
        raise InvalidError("retry must be a number of tries", where="retry")
    if options.backoff not in _BACKOFFS:
        raise InvalidError("backoff must be fixed or exponential", where="backoff")


def _mode(options: Options) -> str:
    if options.memory_mode not in MODES:
        raise InvalidError(f"memory_mode must be one of: {', '.join(MODES)}", where="memory_mode")
    return options.memory_mode


@contextmanager
def _leased(binding: Binding, host: Host, *, shared: bool) -> Iterator[Mutex]:
    """The memory is this call's alone, or shared with others that only read (V37, V38)."""
    from commonplace.storage.lease import lease

    with lease(os.path.realpath(binding.folder), "agent", timeout=host.lock_timeout, shared=shared) as held:
        yield held


class _Remembering:
    """A call with a memory, while its lease is held."""

    def __init__(self, agent: Agent, binding: Binding, options: Options) -> None:
        self._agent, self._host, self._options = agent, agent.host, options
        self._memory = Memory(binding, _actor(options.name), agent.host.lock_timeout)
        self._key = binding.key
        self._writes = options.memory_mode == "continue"

    def run(self, task: str, held: Mutex) -> str | ErrorValue:
        loaded, context = self.context()
        for notice in context.notices:
            self._tell(notice)
        answer = _spawn(self._agent, f"{context.text}\n\n{task}", self._options)
        if isinstance(answer, ErrorValue):
            return answer
        text, blocks = take_out(answer)
        try:
            held.must_be_mine()  # whoever was paused so long that another call began must not write over it
            self._remember(check(blocks, self._host.limits), loaded)
            self._note_secrets(context)
        except CommonplaceError as problem:
            return _failed(problem, text)
        return text

    def context(self) -> tuple[Loaded, MemoryContext]:
        limits = self._host.limits
        loaded = self._memory.load(limits.tail_facts)
        is_dry_run = not self._writes
        return loaded, memory_context(loaded.text, loaded.facts, limits, is_dry_run=is_dry_run, key=self._key)

    def _remember(self, checked: Checked, loaded: Loaded) -> None:
        """Apply what may be applied; `dry_run` writes nothing at all, not even that it was here (V14, V-c)."""
        if checked.warning is not None:
            self._tell(Notice(checked.warning.kind, checked.warning.reason))
        if not self._writes:
            return
        if checked.patch is not None and not checked.patch.is_empty:
            self._apply(checked, loaded)
        if checked.warning is not None:
            self._memory.warn(checked.warning)
        self._memory.touch(self._options.memory_mode)

    def _apply(self, checked: Checked, loaded: Loaded) -> None:
        assert checked.patch is not None
        made = self._memory.apply(checked.patch, loaded, self._host.limits)
        if any(record.kind == "digest" and record.status == "inbox" for record in made):
            why = "the digest was changed while the agent was at work; its own version waits in the inbox"
            self._tell(Notice("digest_changed", why))

    def _note_secrets(self, context: MemoryContext) -> None:
        """What was held back is noted in the ledger, once, for whoever has no ear for notices (V-l)."""
        for notice in context.notices if self._writes else ():
            if notice.kind.startswith("secret"):
                self._memory.warn(Warned(*notice), is_repeated=True)

    def _tell(self, notice: Notice) -> None:
        if self._host.notify is not None:
            self._host.notify(notice)


def _spawn(agent: Agent, task: str, options: Options) -> str | ErrorValue:
    """Ask the model, again if that may help: always with the same prompt (V49, V50)."""
    question, seconds = Question(agent.prompt, task), seconds_of(options.timeout)
    answer = ask(agent.model, question, seconds)
    for attempt in range(options.retry):
        if not (isinstance(answer, ErrorValue) and answer.kind in _RETRIED):
            break
        if options.backoff is not None:
            doubled = min(2 ** min(attempt, 10), _LONGEST_WAIT)
            agent.host.sleep(doubled if options.backoff == "exponential" else 1.0)
        answer = ask(agent.model, question, seconds)
    return answer


def _failed(problem: CommonplaceError, output: str | None = None) -> ErrorValue:
    """A memory that could not be read or written is an error, never a silence; a text that was there is in `data`."""
    kind = "locked" if problem.kind == "locked" else "binding_failed"
    data = {"kind": problem.kind, "code": problem.code, "hint": problem.hint}
    return ErrorValue(kind, problem.message, data if output is None else {**data, "output": output})


def _actor(name: str) -> str:
    """Who writes, in the journal: an agent in any case, by its name where that can be one."""
    plain = "".join(char for char in name if char.isprintable())[:80]
    return f"agent:{plain or 'vvm'}"
