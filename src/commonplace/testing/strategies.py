"""Hypothesis strategies: texts, records and filters that nobody would think of. The only module here that needs Hypothesis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from commonplace.model.filter import Circle, Filter
from commonplace.model.fingerprint import fingerprint
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope, SourceKind, Status, Tier, Trust, Type

# Everything that can stand in a book: no NUL, no half of a surrogate pair.
storable = st.characters(codec="utf-8", exclude_characters="\0")
# What breaks parsers, terminals, comparisons and full text, mixed into ordinary text.
_NASTY = (
    "\r\n", "\n\n", "\t", "\u2028", "\x85", "\x1b[31m", "\u202e", "\u200b", "\ufeff", "e\u0301", "ß", "İ", "ﬁ",
    "\U0001f9d1\u200d\U0001f680", "\U000e0041", "%", "_", "\\", '"', "'", "`", "--", ";", "*", "(", "{", "</memory>", "---",
    "AND", "NEAR", "null", "日本語", "שלום",
)  # fmt: skip
texts: st.SearchStrategy[str] = st.lists(
    st.one_of(st.sampled_from(_NASTY), st.text(storable, max_size=8), st.sampled_from(["tabs", "port", "Falcon", " "])),
    max_size=8,
).map("".join)
"""Any storable text, often a nasty one."""
statements: st.SearchStrategy[str] = texts.filter(lambda text: bool(text.strip()))
"""A text that says something."""
names: st.SearchStrategy[str] = st.sampled_from(["p", "p1", "p%", "P", "ü", "a b"])
moments: st.SearchStrategy[datetime] = st.integers(0, 40).map(
    lambda n: datetime(2026, 5, 3, tzinfo=UTC) + timedelta(minutes=n // 2)
)
"""Few enough that several things share one."""
any_moment: st.SearchStrategy[datetime] = st.datetimes(timezones=st.just(UTC))
_words = st.lists(st.sampled_from(["a", "b", "c%", "ü"]), max_size=3, unique=True).map(tuple)


OWNERS = {Scope.PROJECT: "project_id", Scope.REPO: "repo_id", Scope.AGENT: "agent_id"}
"""What a memory of this scope cannot be without."""


@st.composite
def records(draw: st.DrawFn, /, **fixed: st.SearchStrategy[Any]) -> MemoryRecord:
    """A memory in any state; `fixed` replaces the strategy of a field."""
    content = draw(fixed.get("content", statements))
    fields = {
        "id": st.uuids().map(str), "type": st.sampled_from(Type), "scope": st.sampled_from(Scope),
        "status": st.sampled_from(Status), "project_id": st.none() | names, "repo_id": st.none() | names,
        "agent_id": st.none() | names, "source_kind": st.sampled_from(SourceKind),
        "title": st.none() | texts, "summary": st.none() | texts,
        "confidence": st.none() | st.floats(0, 1), "created_at": moments, "updated_at": moments,
        "observed_at": st.none() | any_moment, "source_ref": st.none() | st.sampled_from(["s1", "manual-1"]),
        "evidence_ref": st.none() | texts, "kind": st.sampled_from(["note", "log"]), "tags": _words,
        "always_load": st.booleans(), "tier": st.sampled_from(Tier), "trust": st.sampled_from(Trust),
        "occurrences": st.integers(1, 2**40), "anchors": _words, "tenant": st.none() | names,
        "rationale": st.none() | texts, "status_reason": st.none() | texts,
    }  # fmt: skip
    made = {name: draw(strategy) for name, strategy in (fields | fixed).items() if name != "content"}
    owner = OWNERS.get(made["scope"])
    if owner and made[owner] is None:
        made[owner] = draw(names)
    return MemoryRecord(content=content, fingerprint=fingerprint(content), **made)


def _circle(asked: dict[str, Any]) -> Circle:
    return Circle(**asked)


circles: st.SearchStrategy[Circle] = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("project_id", "repo_id", "agent_id"), st.none() | names)
).map(_circle)
"""Anybody's surroundings: a project, a repository, an agent, or none of them."""


def _filter(asked: dict[str, Any]) -> Filter:
    return Filter(**asked)


def _some(words: Any, size: int = 3) -> st.SearchStrategy[Any]:
    return st.none() | st.lists(st.sampled_from(words), max_size=size).map(tuple)


filters: st.SearchStrategy[Filter] = st.fixed_dictionaries(
    {"statuses": st.lists(st.sampled_from(Status), max_size=6).map(tuple)},
    optional={
        "types": _some(Type), "scopes": _some(Scope), "kinds": _some(["note", "log", "n%"]), "trusts": _some(Trust),
        "tags": _some(["a", "b", "c%", "ü"], 2), "project_id": st.none() | names, "repo_id": st.none() | names,
        "agent_id": st.none() | names, "source_ref": st.none() | st.sampled_from(["s1", "manual-1", "s"]),
        "tenant": st.none() | names, "always_load": st.none() | st.booleans(), "since": st.none() | moments,
        "until": st.none() | moments, "within": st.none() | circles, "beyond": st.none() | circles,
    },
).map(_filter)  # fmt: skip
"""Any question one can ask of a listing."""
