"""The error family: eleven kinds that never change their meaning, each with a next step where one can be given (R7)."""

from __future__ import annotations

import pytest

from commonplace import errors
from commonplace.errors import CommonplaceError, LockedError

KINDS = {"locked", "stale", "not_found", "invalid", "secret", "too_large", "denied", "conflict", "corrupt", "unavailable",
         "not_searched"}  # fmt: skip
FAMILY = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, CommonplaceError)]


def test_the_kinds_are_those_of_the_design():
    assert {error.kind for error in FAMILY} == KINDS


def test_every_kind_has_one_class():
    own = [error for error in FAMILY if error is not CommonplaceError]
    assert len(own) == len({error.kind for error in own}) == 11


@pytest.mark.parametrize("error", FAMILY, ids=lambda error: error.__name__)
def test_every_error_is_drawn_in_the_tree_and_has_one_json_form(error):
    if error is not CommonplaceError:
        assert error.__name__ in errors.__doc__
    made = error("something", where="here", hint="do this")
    told = made.to_dict()["error"]
    assert (told["kind"], told["message"], told["where"], told["hint"]) == (error.kind, "something", "here", "do this")
    assert told["retryable"] is error.retryable
    assert str(made) == "something"
    with pytest.raises(CommonplaceError):
        raise made


def test_a_finer_cause_is_said_beside_the_kind():
    assert "code" not in LockedError("x").to_dict()["error"]
    assert LockedError("x", code="upgrading").to_dict()["error"]["code"] == "upgrading"


def test_only_what_may_help_to_repeat_is_called_repeatable():
    assert {error.kind for error in FAMILY if error.retryable} == {"locked", "not_searched"}
