"""`context_for`: few and strong memories for an agent that is about to begin something, inside a budget (rfc 35, A41-A44).

At a session's start it hands over what always holds; for a task, what was found for it beside the person's profile; with a
later prompt, only what is new in this session and strong. Each call leaves one receipt.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from commonplace.engine.context_gathering import Gathering
from commonplace.engine.context_lines import COLUMNS, COLUMNS_WITHOUT_AGE, cell_of, citation_of, sort_of
from commonplace.engine.context_sets import Shelf
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import InvalidError
from commonplace.guard.entry import admit
from commonplace.guard.fence import fenced
from commonplace.model.base import set_once, utc
from commonplace.model.bundle import ContextBundle
from commonplace.model.filter import Circle
from commonplace.model.receipt import Moment, Outcome
from commonplace.model.result import RetrievalResult
from commonplace.retrieve.budgets import MOST_ENTRIES, MOST_NAMED, budget_for, phase_of
from commonplace.retrieve.pack import NO_ROOM, Entry, Packed, Write, pack
from commonplace.retrieve.tokens import count

if TYPE_CHECKING:
    from commonplace.retrieve.ranking import Found


class ContextFor(Request, frozen=True, kw_only=True):
    """For whom, for what, and how much. All of it may be left out: then it is the start of a session."""

    project: Annotated[str | None, Meta(description="the project the work is in")] = None
    repo: Annotated[str | None, Meta(description="the repository the work is in")] = None
    agent: Annotated[str | None, Meta(description="the agent that asks")] = None
    task: Annotated[str | None, Meta(description="what is to be done, in any words")] = None
    budget: Annotated[int | None, Meta(description="at most this many tokens; by default, the moment's own")] = None
    moment: Annotated[
        str | None, Meta(description="session_start, goal, prompt, phase, task or agent_call; told by the rest")
    ] = None
    phase: Annotated[
        str | None, Meta(description="setup, plan, work, review, release, bugfix or documenter; with its own budget")
    ] = None
    kinds: Annotated[tuple[str, ...] | None, Meta(description="only these kinds")] = None
    session: Annotated[str | None, Meta(description="the session; what it was handed is not repeated")] = None
    root: Annotated[str | None, Meta(description="the working tree, to see which anchors have moved")] = None
    as_of: Annotated[datetime | None, Meta(description="as the book knew it at this moment")] = None

    def __post_init__(self) -> None:
        if self.as_of is not None:
            set_once(self, "as_of", utc(self.as_of, "as_of"))

    @property
    def when(self) -> Moment:
        """The moment that is meant, if it is not said."""
        if self.moment is not None:
            return _moment_of(self.moment)
        return Moment.PHASE if self.phase else Moment.TASK if self._is_asked else Moment.SESSION_START

    @property
    def _is_asked(self) -> bool:
        return bool(self.task and self.task.strip())

    def check(self) -> None:
        admit({"session": self.session})  # the receipt keeps it
        if self.when is Moment.PHASE:
            phase_of(self.phase)
        elif self.phase:
            raise InvalidError("phase: goes with the moment phase", hint="Leave one of them out.", where="phase")
        if self.when not in (Moment.PHASE, Moment.SESSION_START) and not self._is_asked:
            raise InvalidError(f"task: the moment {self.when} needs one", hint="Say what is to be done.", where="task")


def _moment_of(word: str) -> Moment:
    known = [moment for moment in Moment if moment is not Moment.SEARCH]  # a search hands nothing to anybody unasked
    if word not in known:
        raise InvalidError(f"moment: must be one of: {', '.join(known)}", where="moment")
    return Moment(word)


def context_for(scribe: Scribe, asked: ContextFor) -> ContextBundle:
    asked.check()
    budget, begun = budget_for(asked.when, asked.budget, asked.phase), perf_counter()
    now = asked.as_of or scribe.clock.now()
    found = _look(scribe, asked)
    gathering = Gathering(asked, found, _shown(scribe, asked), now)
    with scribe.reading() as view:
        circle = Circle(project_id=asked.project, repo_id=asked.repo, agent_id=asked.agent)
        gathering.gather(Shelf(view, circle, now, asked.as_of, asked.kinds))
    columns = COLUMNS if gathering.dated else COLUMNS_WITHOUT_AGE

    def write(lines: Sequence[str]) -> str:
        return fenced(lines, columns, scribe.canon.book_id)

    packed = pack(gathering.entries, budget, write, MOST_ENTRIES[asked.when])
    if not gathering.dated:
        packed = _with_note(packed, gathering, budget, write)
    found.timings["context"] = round((perf_counter() - begun) * 1000, 3)
    return _handed_over(scribe, asked, budget, found, gathering, packed)


def _with_note(packed: Packed, gathering: Gathering, budget: int, write: Write) -> Packed:
    """At a session's start the text names what always holds and had no room (A74); the last lines make room for that."""
    chosen, left_out = [*packed.chosen], [*packed.left_out]
    while chosen:
        note = _note(gathering, left_out)
        text = write([*(line for entry in chosen for line in entry.lines), *note])
        if not note or count(text) <= budget:
            return Packed(text, count(text), chosen, left_out)
        left_out.append((chosen.pop(), NO_ROOM))
    return packed


def _note(gathering: Gathering, left_out: Sequence[tuple[Entry, str]]) -> list[str]:
    missing = [gathering.results[id].record for entry, why in left_out if why == NO_ROOM for id in entry.ids]
    slugs = sorted(cell_of(record.slug or record.id, 48) for record in missing if record.always_load)
    more = f", and {len(slugs) - MOST_NAMED} more" if len(slugs) > MOST_NAMED else ""
    return [f"- left out for want of room: {', '.join(slugs[:MOST_NAMED])}{more}"] if slugs else []


def _look(scribe: Scribe, asked: ContextFor) -> Found:
    from commonplace.engine.search import Search, look
    from commonplace.retrieve.ranking import Found

    if not asked.task or asked.when is Moment.SESSION_START:
        return Found(
            results=[],
            near_misses=[],
            point=1.0,
            outcome=Outcome.NOTHING_FOUND,
            confidence=1.0,
            streams=(),
            thresholds={},
            timings={},
            models={},
        )
    return look(
        scribe,
        Search(
            query=asked.task,
            project=asked.project,
            repo=asked.repo,
            agent=asked.agent,
            kinds=asked.kinds,
            as_of=asked.as_of,
            limit=2 * MOST_ENTRIES[Moment.TASK],
            # A prompt has 300 ms in all (A42): there is no time to read anything twice.
            rerank=False if asked.when in (Moment.GOAL, Moment.PROMPT) else None,
        ),
    )


def _shown(scribe: Scribe, asked: ContextFor) -> set[str]:
    if not asked.session or asked.when is Moment.SESSION_START:
        return set()
    from commonplace.engine.receipts import shown_in

    return shown_in(scribe, asked.session)


def _handed_over(
    scribe: Scribe, asked: ContextFor, budget: int, found: Found, gathering: Gathering, packed: Packed
) -> ContextBundle:
    from commonplace.engine.receipts import keep, receipt_of

    chosen = [gathering.results[id] for entry in packed.chosen for id in entry.ids]
    for entry, why in packed.left_out:
        gathering.lose(gathering.results[entry.ids[0]], why)
    outcome = Outcome.FOUND if chosen and found.outcome is Outcome.NOTHING_FOUND else found.outcome
    receipt = receipt_of(
        scribe,
        moment=asked.when,
        query=asked.task or "",
        profile="hybrid" if found.streams else "standing",
        asked=_told(asked, budget),
        found=found._replace(outcome=outcome),
        chosen=chosen,
        near_misses=[*reversed(gathering.lost), *found.near_misses],
        tokens=packed.tokens,
        session=asked.session,
    )
    keep(scribe, receipt)
    groups: dict[str, list[RetrievalResult]] = {"profile": [], "fact": [], "decision": [], "episode": []}
    for result in chosen:
        groups[sort_of(result.record)].append(result)
    return ContextBundle(
        text=packed.text,
        tokens=packed.tokens,
        budget=budget,
        moment=asked.when,
        receipt_id=receipt.id,
        profile=tuple(groups["profile"]),
        facts=tuple(groups["fact"]),
        decisions=tuple(groups["decision"]),
        episodes=tuple(groups["episode"]),
        citations=tuple(citation_of(result.record) for result in chosen),
        omitted=tuple(id for entry, why in packed.left_out if why == NO_ROOM for id in entry.ids),
    )


def _told(asked: ContextFor, budget: int) -> dict[str, object]:
    """What the receipt keeps of the question beside its words."""
    told: dict[str, object] = {"budget": budget, "as_of": asked.as_of.isoformat() if asked.as_of else None}
    return told | {name: getattr(asked, name) for name in ("project", "repo", "agent", "phase", "kinds")}
