"""Memories put straight into a canon, for tests of what lies below the verbs."""

from __future__ import annotations

from typing import Any

from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.testing.makers import a_signature


def put(canon: Canon, *records: MemoryRecord) -> tuple[MemoryRecord, ...]:
    with canon.writing(5.0) as draft:
        for record in records:
            draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
    return records


def become(canon: Canon, before: MemoryRecord, **fields: Any) -> MemoryRecord:
    after = type(before).from_dict({**before.to_dict(), **fields})
    with canon.writing(5.0) as draft:
        draft.commit(a_signature("evolve"), [(Entity.MEMORY, before, after)])
    return after
