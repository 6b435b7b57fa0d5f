"""Nothing that exists is left undescribed: verbs, options, errors, findings, settings, words, tables, lines."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import msgspec
import pytest

import commonplace
from commonplace.engine import exchange
from commonplace.engine.book import Book
from commonplace.model import words
from commonplace.model.base import Closed
from commonplace.surfaces.cli.arguments import EVERYWHERE
from commonplace.surfaces.cli.exits import BY_KIND, MEANINGS
from commonplace.surfaces.cli.program import EXTRAS
from commonplace.surfaces.operations import OPERATIONS

from .pages import ROOT, Page, page, pages
from .reference_errors import family
from .reference_settings import VARIABLES

_CLI, _LIBRARY = page("docs/guide/cli.md"), page("docs/guide/library.md")
_SOURCES = [*Path(commonplace.__file__).parent.rglob("*.py")]


def _code(page: Page) -> set[str]:
    """Everything the page sets in code, each word of it too."""
    spans = re.findall(r"`([^`\n]+)`", page.prose)
    return {*spans, *(word for span in spans for word in re.split(r"[\s,(]+", span))}


def _first_cells(page: Page) -> set[str]:
    """What stands first in a row of some table."""
    return {cell.strip(" *`") for cell in re.findall(r"^\|([^|]+)\|", page.prose, re.MULTILINE)}


@pytest.mark.parametrize("name", [*(one.name for one in OPERATIONS), *EXTRAS])
def test_every_command_is_in_the_guide(name: str) -> None:
    assert name in _code(_CLI)


@pytest.mark.parametrize("name", [one.name for one in OPERATIONS])
def test_every_verb_is_told_with_an_example_or_a_reason(name: str) -> None:
    told = [one for one in pages("guide") if one.name not in (_CLI.name, _LIBRARY.name)]
    assert any(name in _code(one) or f"commonplace {name}" in one.text for one in told)


@pytest.mark.parametrize("name", [name for name in vars(Book) if not name.startswith("_")])
def test_everything_on_a_book_is_in_the_page_of_the_library(name: str) -> None:
    assert {name, f"book.{name}", f"{name}()"} & _code(_LIBRARY), name


@pytest.mark.parametrize("name", [name for option in EVERYWHERE for name in option.names])
def test_every_option_of_every_command_is_in_the_guide(name: str) -> None:
    assert name in _code(_CLI)


@pytest.mark.parametrize(("code", "kind"), [(str(code), kind) for kind, code in BY_KIND.items()])
def test_every_exit_code_is_in_the_guide_with_its_kind(code: str, kind: str) -> None:
    assert re.search(rf"^\| {code} \| `{kind}`", _CLI.text, re.MULTILINE)


def test_exit_codes_without_a_kind_are_in_the_guide_too() -> None:
    assert {str(code) for code, _ in MEANINGS} <= _first_cells(_CLI)


@pytest.mark.parametrize("error", family(), ids=lambda error: error.__name__)
def test_every_error_is_in_the_page_of_the_library(error: type) -> None:
    assert {error.kind, error.__name__} <= _code(_LIBRARY)
    assert error.kind in _first_cells(_LIBRARY)


def _codes(makers: re.Pattern[str]) -> set[str]:
    """The `code=` of every call whose name fits, all through the package."""
    found = set()
    for path in _SOURCES:
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and makers.fullmatch(ast.unparse(call.func)):
                found |= {k.value.value for k in call.keywords if k.arg == "code" and isinstance(k.value, ast.Constant)}
    return found


def test_every_code_of_an_error_is_in_the_page_of_the_library() -> None:
    codes = _codes(re.compile(r"\w+Error")) | {"disk_full", "read_only", "io_error", "out_of_memory", "missing"}
    assert codes - _first_cells(_LIBRARY) - _first_cells(page("docs/guide/vvm.md")) == set()


def test_every_finding_is_described() -> None:
    codes = _codes(re.compile(r"Finding")) | _findings_of_verify()
    told = ("guide/reliability", "guide/undoing", "format/vault", "format/ledger", "format/jsonl", "format/files")
    described = set().union(*(_first_cells(page(f"docs/{name}.md")) for name in told))
    assert len(codes) > 10
    assert codes - described == set()


def _findings_of_verify() -> set[str]:
    text = next(path for path in _SOURCES if path.name == "verify.py").read_text()
    return set(re.findall(r'_finding\("(\w+)"', text))


@pytest.mark.parametrize("name", VARIABLES)
def test_every_environment_variable_is_in_the_guide(name: str) -> None:
    said = _CLI.text + page("docs/format/config.md").text
    assert name in said


def test_every_word_of_a_closed_list_is_in_the_guide() -> None:
    said = set().union(*(_code(one) | set(re.findall(r"[\w-]+", one.prose)) for one in pages("guide", "format")))
    lists = [one for one in vars(words).values() if isinstance(one, type) and issubclass(one, Closed)]
    assert len(lists) > 5
    assert {str(word) for one in lists for word in one} - said == set()


def test_every_word_of_the_design_is_in_the_glossary() -> None:
    wanted = (
        "memory book canon catalog journal operation run source receipt moment guard surface scribe pen draft view edit"
    )
    wanted += (
        " twin reinforce standing trust channel tier fingerprint checksum tombstone quarantine fresh settle adopt merge"
    )
    wanted += " evolve purge forget archive restore revert finding facet inbox chain payload salt seam turnstile"
    wanted += " receipt reach circle contender strand stream passage wish instruction vector fence relevance budget"
    wanted += (
        " capture event proposal candidate extractor policy echo episode job lease upkeep span transcript reader worker"
    )
    glossary = _first_cells(page("docs/guide/glossary.md"))
    assert set(wanted.split()) - glossary == set()
    assert {"kept aside", "near miss", "crossing over"} <= glossary


def test_the_glossary_is_in_order_and_has_each_word_once() -> None:
    found = re.findall(r"^\| \*\*(.+?)\*\* \|", page("docs/guide/glossary.md").text, re.MULTILINE)
    assert found == sorted(set(found))


def test_every_line_of_an_export_and_its_own_fields_are_described() -> None:
    said = page("docs/format/export.md")
    lines = set(exchange.Line.__struct_fields__)
    own = {f.name for one in (exchange.Manifest, exchange.Tombstone, exchange.End) for f in msgspec.structs.fields(one)}
    assert lines - _first_cells(said) == set()
    assert own - _code(said) == set()


def test_the_version_of_each_format_is_the_one_on_its_page() -> None:
    from commonplace.catalog.sqlite import schema

    assert f"`version` is {exchange.VERSION}." in page("docs/format/export.md").text
    assert f"| `user_version` | the format, now {schema.VERSION} |" in page("docs/format/sqlite.md").text
    assert f"0x{schema.APPLICATION_ID:X}" in page("docs/format/sqlite.md").text


def test_every_make_target_is_in_the_readme_or_the_makefile_help() -> None:
    makefile = (ROOT / "Makefile").read_text()
    everyday = ("demo", "test", "lint", "golden", "docs", "nightly", "bench", "help")
    readme = page("README.md").text
    for target in everyday:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
        assert f"make {target}" in readme
