"""The reference pages are those that the code makes."""

from __future__ import annotations

import pytest

from . import generate
from .reference_settings import VARIABLES, constants, variables_in_the_code

_MADE = generate.pages()


@pytest.mark.parametrize("name", _MADE)
def test_the_committed_page_is_the_one_the_code_makes(name: str) -> None:
    path = generate.FOLDER / name
    assert path.exists(), f"{name} is missing: run `make docs`"
    assert path.read_text() == _MADE[name], f"{name} is out of date: run `make docs` and review the difference"


def test_no_page_outlives_what_it_describes() -> None:
    assert {path.name for path in generate.FOLDER.iterdir()} == set(_MADE)


def test_every_setting_has_its_reason() -> None:
    from commonplace import settings

    found = {name: why for name, _, why in constants()}
    assert set(found) == {name for name in vars(settings) if name.isupper()}
    assert not [name for name, why in found.items() if not why]


def test_every_environment_variable_is_described() -> None:
    ours = {name for name in VARIABLES if name.startswith("COMMONPLACE_")}
    assert variables_in_the_code() == ours
