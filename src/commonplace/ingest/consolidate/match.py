"""Match: which memories say the same as this one, and which say nearly the same?

The same is what has the same tokens in the same order (`values.py`): equal words, equal values, equal denials. That is an
equivalence, so groups do not depend on who is compared with whom first. Vectors and full text only find whom to look at; they
never decide. Of SICK's training pairs that differ in one word and whose vectors are nearest of all (0.99), four in twenty-five
do not mean the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace.errors import CommonplaceError
from commonplace.ingest.consolidate.values import DENIAL, VALUES, Token, tokens_of
from commonplace.model.filter import PRIVATE, Filter
from commonplace.model.record import LIVE
from commonplace.model.terms import query_terms
from commonplace.model.words import Scope, Type
from commonplace.retrieve.understand import telling_words

if TYPE_CHECKING:
    from datetime import datetime

    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

# A statement; what is longer is a document, of which only an exact copy is the same.
LONGEST = 1_000
# Whom a candidate is compared with: the nearest by words, and as many by vectors.
PARTNERS = 20
_JOINS = frozenset(("and", "or", "but", "nor"))
_STATEMENTS = tuple(kind for kind in Type if kind is not Type.EPISODE)


def readers_of(record: MemoryRecord) -> dict[str, Any]:
    """Who gets to see it. Which agent it came from does not matter, unless it is that agent's own."""
    readers = {"scope": record.scope, "tenant": record.tenant}
    if record.scope is not Scope.GLOBAL:
        readers |= {"project_id": record.project_id, "repo_id": record.repo_id}
    return readers | {"agent_id": record.agent_id} if record.scope in PRIVATE else readers


def same_readers(one: MemoryRecord, other: MemoryRecord) -> bool:
    return readers_of(one) == readers_of(other)


def meaning_of(record: MemoryRecord) -> tuple[object, ...]:
    """Equal for memories that say the same to the same readers, and for no others."""
    return (record.type, *readers_of(record).values(), record.valid_from, record.valid_to, *canonical(record))


def canonical(record: MemoryRecord) -> tuple[str, ...]:
    if record.type is Type.EPISODE or len(record.content) > LONGEST:
        return (record.fingerprint,)
    said = forms_of(record.content)
    return said or (record.fingerprint,)


def forms_of(text: str) -> tuple[str, ...]:
    """What is compared. A single denial stands first wherever it was said, if there is but one clause it can be about."""
    tokens = tokens_of(text)
    denials = sum(token.sort == DENIAL for token in tokens)
    if denials == 1 and not any(token.form in _JOINS for token in tokens):
        return (_DENIED, *(token.form for token in tokens if token.sort != DENIAL))
    return tuple(_DENIED if token.sort == DENIAL else token.form for token in tokens)


_DENIED = "¬"


def is_nearly(one: str, other: str) -> bool:
    """Is one the other with a word or two more, none of them a value or a denial? Then it says more, and both stay."""
    shorter, longer = sorted((tokens_of(one), tokens_of(other)), key=len)
    if not 4 <= len(shorter) < len(longer) <= len(shorter) + 2:
        return False
    rest = _left_over(shorter, longer)
    return rest is not None and not any(token.sort == DENIAL or token.sort in VALUES for token in rest)


def _left_over(shorter: tuple[Token, ...], longer: tuple[Token, ...]) -> list[Token] | None:
    """What the longer one has beside the shorter one's tokens in their order; None if it does not hold them so."""
    rest: list[Token] = []
    waiting = [token.form for token in shorter]
    for token in longer:
        if waiting and token.form == waiting[0]:
            waiting.pop(0)
        else:
            rest.append(token)
    return None if waiting else rest


class Partners(NamedTuple):
    """Where to look for whom a candidate is compared with."""

    view: View
    now: datetime
    model: str | None = None
    """Whose vectors to ask, if there are any; without, words alone find."""

    def of(self, record: MemoryRecord, *, anywhere: bool = False) -> list[MemoryRecord]:
        """Live statements that may say the same or the opposite to the same readers; with `anywhere`, to other readers."""
        if record.type is Type.EPISODE or len(record.content) > LONGEST:
            found = self.view.same_words(record.fingerprint)
        else:
            found = [*dict.fromkeys((*self._by_words(record, anywhere), *self._by_vectors(record, anywhere)))]
        held = self.view.by_id([id for id in found if id != record.id])
        return [held[id] for id in found if id in held and self._fits(record, held[id], anywhere)]

    def _fits(self, record: MemoryRecord, other: MemoryRecord, anywhere: bool) -> bool:
        return other.is_live(self.now) and (anywhere or same_readers(record, other))

    def _by_words(self, record: MemoryRecord, anywhere: bool) -> list[str]:
        terms = [term for word in telling_words(record.content) for term in query_terms(word)[:1]]
        hits = self.view.lexical(terms, _narrow(record, anywhere), PARTNERS) if terms else []
        return [hit.id for hit in hits]

    def _by_vectors(self, record: MemoryRecord, anywhere: bool) -> list[str]:
        """By the vector that its words have already; one is never made here, because that may be dear."""
        if self.model is None:
            return []
        try:
            place = self.view.order_of(record.id)[1]
            vectors = self.view.vectors_of(self.model, [place]).get(place)
            if vectors is None:
                return []
            return [hit.id for hit in self.view.nearest(self.model, vectors[0], _narrow(record, anywhere), PARTNERS)]
        except CommonplaceError:
            return []


def _narrow(record: MemoryRecord, anywhere: bool) -> Filter:
    if anywhere:
        return Filter(statuses=LIVE, types=_STATEMENTS, tenant=record.tenant)
    readers = readers_of(record)
    return Filter(statuses=LIVE, types=_STATEMENTS, scopes=(readers.pop("scope"),), **readers)
