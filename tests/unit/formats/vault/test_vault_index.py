"""`_index.md`: made from the notes, the same bytes for the same notes (A17)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status

from .vault_shelf import VaultInMemory

INDEX = "Agent/Memory/_index.md"


class _View:
    """As much of a view as an index asks for; it counts how often it was asked for everything."""

    def __init__(self, vault: VaultInMemory) -> None:
        self._vault, self.whole = vault, 0

    def memory(self, id: str) -> MemoryRecord | None:
        return self._vault.records.get(id)

    def memories(self, where: Any) -> Iterator[MemoryRecord]:
        self.whole += 1
        return (record for record in self._vault.records.values() if record.status in where.statuses)


class _Indexed(VaultInMemory):
    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        super().__init__(files)
        self.view = _View(self)

    def index(self, *altered: MemoryRecord) -> str:
        for put in self.format.derived(self.view, self, [record.id for record in altered]):  # type: ignore[arg-type]
            self._carry_out(put)
        return self.files[INDEX].decode()


@pytest.fixture
def vault() -> _Indexed:
    return _Indexed()


def test_it_lists_what_is_in_the_store_by_kind(vault: _Indexed) -> None:
    one = vault.save("One.", slug="b-note", kind="fix", title="A | [[title]]\n%%", tags=("x", "two words"))
    two = vault.save("Two.", slug="a-note", kind="fix")
    three = vault.save("Three.", kind="decision", scope="project", project_id="atlas", slug="t", tier="T2")
    vault.save("Waiting.", status="inbox")
    vault.save("Old.", status="archived")
    vault.edit("Diary.md", b"Mine.\n")
    assert vault.index(one, two, three) == (
        "# Index\n\nMade from the notes. It is written anew when they change; what you write here is lost.\n"
        "\n## decision\n\n"
        f"- [[Agent/projects/atlas/decision/t|t]] %% decision {three.id} %%\n"
        "\n## fix\n\n"
        f"- [[Agent/Memory/fix/a-note|a-note]] %% fix {two.id} %%\n"
        f"- [[Agent/Memory/fix/b-note|A title]] #x %% fix {one.id} %%\n"
    )


def test_it_is_no_note(vault: _Indexed) -> None:
    vault.index(vault.save("One."))
    assert vault.format.scan("/nowhere") == {}
    assert not vault.format.layout.is_personal(INDEX)


def test_the_same_notes_give_the_same_bytes_however_they_came(vault: _Indexed) -> None:
    records = [vault.save(f"Number {n}.", slug=f"n{n % 7}", kind=f"k{n % 3}", id=f"id-{n:03}") for n in range(30)]
    other = _Indexed()
    step_by_step = ""
    for record in reversed(records):
        other.change(record)
        step_by_step = other.index(record)
    whole = vault.index(*records)
    assert {*whole.splitlines()} >= {line for line in step_by_step.splitlines() if line.startswith("#")}
    del vault.files[INDEX]
    assert vault.index() == whole


def test_a_change_touches_its_own_lines_only(vault: _Indexed) -> None:
    records = [vault.save(f"Number {n}.", slug=f"n{n}") for n in range(5)]
    before = vault.index(*records)
    assert vault.view.whole == 1
    moved = records[2].with_(kind="fix", title="New")
    vault.change(moved)
    gone = records[3].with_(status=Status.ARCHIVED)
    vault.change(gone)
    after = vault.index(moved, gone)
    assert vault.view.whole == 1
    assert {*before.splitlines()} - {*after.splitlines()} == {
        f"- [[Agent/Memory/note/n{n}|n{n}]] %% note {records[n].id} %%" for n in (2, 3)
    }
    assert f"- [[Agent/Memory/fix/n2|New]] %% fix {moved.id} %%" in after
    del vault.files[INDEX]
    assert vault.index() == after


def test_any_kind_and_title_has_its_line(vault: _Indexed) -> None:
    odd = vault.save("x", kind="two words\n## x", title="\x0b\u2028%% ]]", slug="odd", id="an id")
    line = "- [[Agent/Memory/two words%0A%23%23 x/odd|an id]] %% two%20words%0A%23%23%20x an%20id %%"
    assert vault.index(odd).splitlines()[-1] == line
    vault.change(odd.with_(status=Status.ARCHIVED))
    assert "- [[" not in vault.index(odd)


def test_an_unchanged_index_is_not_written(vault: _Indexed) -> None:
    saved = vault.save("One.")
    vault.index(saved)
    vault.change(saved.with_(occurrences=2))
    assert vault.format.derived(vault.view, vault, [saved.id]) == []  # type: ignore[arg-type]


def test_what_somebody_wrote_into_it_is_taken_out(vault: _Indexed) -> None:
    saved = vault.save("One.")
    made = vault.index(saved)
    for raw in (made + "mine\n", "mine\n" + made, ""):
        vault.files[INDEX] = raw.encode()
        assert vault.index(saved) == made


def test_a_vault_without_a_store_gets_none() -> None:
    vault = _Indexed({"Diary.md": b"Mine.\n"})
    assert vault.format.derived(vault.view, vault, [*vault.records]) == []  # type: ignore[arg-type]
