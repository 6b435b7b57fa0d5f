"""`search`: find the memories that answer a question, say why each one came up, and leave a receipt."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from commonplace import settings
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import InvalidError, NotSearchedError
from commonplace.model.base import set_once, utc
from commonplace.model.filter import Circle, Filter, statuses_of
from commonplace.model.receipt import Moment, Outcome
from commonplace.model.result import SearchResults
from commonplace.retrieve.profiles import profile_of
from commonplace.retrieve.ranking import Found, Hunt


class Search(Request, frozen=True, kw_only=True):
    """What to look for. Any text is a legal query; nothing in it is syntax."""

    query: Annotated[str, Meta(description="what to look for, in any words")]
    project: Annotated[str | None, Meta(description="the current project: others only if linked or strong")] = None
    repo: Annotated[str | None, Meta(description="the current repository")] = None
    agent: Annotated[str | None, Meta(description="the agent that asks: what it keeps to itself is found too")] = None
    scopes: Annotated[tuple[str, ...] | None, Meta(description="only these scopes")] = None
    types: Annotated[tuple[str, ...] | None, Meta(description="only these types")] = None
    kinds: Annotated[tuple[str, ...] | None, Meta(description="only these kinds")] = None
    statuses: Annotated[tuple[str, ...] | None, Meta(description="inbox, active, superseded, ...; or all")] = None
    tags: Annotated[tuple[str, ...] | None, Meta(description="only with all of these tags")] = None
    trusts: Annotated[tuple[str, ...] | None, Meta(description="only through these channels")] = None
    since: Annotated[datetime | None, Meta(description="created at or after")] = None
    until: Annotated[datetime | None, Meta(description="created before")] = None
    as_of: Annotated[datetime | None, Meta(description="as the book knew them at this moment")] = None
    limit: Annotated[int, Meta(description="at most this many")] = 10
    profile: Annotated[str, Meta(description="hybrid, vault, recent, words or aegis")] = "hybrid"
    rerank: Annotated[bool | None, Meta(description="read the best again with the reranker; slower, better")] = None

    def __post_init__(self) -> None:
        if self.as_of is not None:
            set_once(self, "as_of", utc(self.as_of, "as_of"))
        if isinstance(self.limit, bool) or not 1 <= self.limit <= settings.MAX_SEARCH_LIMIT:
            raise InvalidError(
                f"limit: must be between 1 and {settings.MAX_SEARCH_LIMIT}",
                hint="The best few are what a search is for; `list` pages through everything.",
                where="limit",
            )

    def filter(self) -> Filter:
        """What may be found at all, wherever it belongs."""
        given = {name: getattr(self, name) for name in _FILTERED if getattr(self, name) is not None}
        if self.statuses is not None:
            given["statuses"] = statuses_of(self.statuses)
        return Filter(**given)

    def circle(self) -> Circle:
        return Circle(project_id=self.project, repo_id=self.repo, agent_id=self.agent)


_FILTERED = ("scopes", "types", "kinds", "statuses", "tags", "trusts", "since", "until")


# A search does not wait for writers: it only uses the chance if nobody is writing.
_SETTLE_SECONDS = 0.02


def search(scribe: Scribe, asked: Search) -> SearchResults:
    """Look, leave a receipt, and answer. If no stream could look, that is an error and not an empty answer."""
    from commonplace.engine.receipts import keep, receipt_of

    found = look(scribe, asked)
    receipt = receipt_of(
        scribe,
        moment=Moment.SEARCH,
        query=asked.query,
        profile=asked.profile,
        asked=parameters(asked),
        found=found,
    )
    keep(scribe, receipt)
    if found.outcome is Outcome.NOT_SEARCHED:
        said = "; ".join(f"{stream.name}: {stream.why_not}" for stream in found.streams)
        raise NotSearchedError(f"the book could not be searched ({said})", hint="Run `commonplace doctor`.")
    return SearchResults(
        results=tuple(found.results),
        receipt_id=receipt.id,
        outcome=found.outcome,
        confidence=found.confidence,
        streams=found.streams,
    )


def parameters(asked: Search) -> dict[str, object]:
    """Everything that was asked but the question itself, in its JSON form."""
    return {name: value for name, value in asked.to_dict().items() if name not in ("query", "profile")}


def look(scribe: Scribe, asked: Search, now: datetime | None = None) -> Found:
    """Search, and write nothing. `now` is from when the question is asked, if not from now."""
    profile = profile_of(asked.profile)
    if asked.rerank is not None:
        profile = profile._replace(rerank=asked.rerank)
    scribe.canon.settle(_SETTLE_SECONDS)
    with scribe.reading() as view:
        past = None
        if asked.as_of is not None:
            from commonplace.engine.past import Past

            past = Past(view, view.seq_at(asked.as_of))
        now = asked.as_of or now or scribe.clock.now()
        hunt = Hunt(view, asked.filter(), asked.circle(), profile, scribe.meaning, now, past)
        return hunt.run(asked.query, asked.limit)
