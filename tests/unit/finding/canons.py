"""A bare catalog, and memories in it: for tests of what lies below the verbs. Its fixture is in `conftest.py`."""

from __future__ import annotations

from commonplace.model.words import Entity
from commonplace.testing.makers import a_signature


def committed(canon, *records):
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, record) for record in records])
    canon.settle(5.0)
