"""The seven verbs on both media (A4, A33, A34, A36, A52, A54, A55, A58, A60, A63, A-i; rows 26, 32, 43, 44, 47)."""

from __future__ import annotations

import inspect
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.errors import ConflictError, InvalidError, NotFoundError, TooLargeError, UnavailableError
from commonplace.seam import storage as seam
from commonplace.seam.locator import InvalidLocatorError, Locator
from commonplace.seam.storage import ABSENT, StorageBackend, StorageCapabilities, content_hash
from commonplace.storage.device_local import DeviceLocal
from commonplace.storage.synced_vault import SyncedVault

VERBS = {"resolve", "read", "write", "list", "exists", "info", "mkdir"}


@pytest.fixture(params=[DeviceLocal, SyncedVault])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> StorageBackend:
    (tmp_path / "store").mkdir()
    made: StorageBackend = request.param(str(tmp_path / "store"))
    return made


def test_there_are_exactly_seven_verbs() -> None:
    """A52."""
    assert StorageBackend.__abstractmethods__ == VERBS


def _annotations() -> Iterator[tuple[str, str]]:
    for made in (StorageBackend, DeviceLocal, SyncedVault):
        for name, verb in inspect.getmembers(made, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{made.__name__}.{name}", str(inspect.signature(verb).return_annotation)


@pytest.mark.parametrize(("verb", "returns"), [*_annotations()])
def test_no_verb_answers_with_a_path(verb: str, returns: str) -> None:
    """A52: whatever its annotation is made of, nested or in a union. Text is a document's, only `read` answers with it."""
    assert returns, "every verb says what it answers with"
    named = {*re.findall(r"\w+", returns.replace("Locators", "list[Locator]"))}
    assert named <= {"Locator", "list", "bool", "Info", "str"}
    assert "str" not in named or verb.endswith(".read")
    assert seam.Locators == list[Locator]


def test_what_the_verbs_answer_with_is_no_path(backend: StorageBackend) -> None:
    """A52, by looking."""
    note = backend.write(backend.resolve("a", "note.md"), "x")
    answers = [note, backend.read(note), backend.info(note), backend.mkdir(backend.resolve("b"))]
    answers += backend.list(backend.resolve())
    for answer in answers:
        assert not isinstance(answer, PurePath)
    assert not os.path.isabs(note.key)


def test_a_medium_says_what_it_can_do() -> None:
    """A55, A60."""
    assert StorageCapabilities() == StorageCapabilities(
        concurrent_writers=False, conflict_files=False, encryption=False, sync=False
    )
    assert SyncedVault.capabilities == StorageCapabilities(concurrent_writers=True, conflict_files=True, sync=True)
    assert (StorageBackend.conflict_strategy, DeviceLocal.conflict_strategy) == ("none", "none")
    assert SyncedVault.conflict_strategy == "whole-file"
    assert StorageBackend.derived_maintenance is None


TEXTS = ["", "x", "a\r\nb\rc\n\n", "ohne Ende", "für 日本 🙂\u2028\ufeff", "\ufeffBOM\n", "tab\t\x01\x7f"]


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_a_document_comes_back_as_it_was_byte_for_byte(backend: StorageBackend, tmp_path: Path, text: str) -> None:
    """A58."""
    note = backend.write(backend.resolve("notes", "a.md"), text)
    assert backend.read(note) == text
    assert (tmp_path / "store/notes/a.md").read_bytes() == text.encode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_any_bytes_survive_being_read_and_written(backend: StorageBackend, tmp_path: Path, data: bytes) -> None:
    """Row 32: also those that are no text."""
    file = tmp_path / "store/a.md"
    file.write_bytes(data)
    note = backend.resolve("a.md")
    text = backend.read(note)
    backend.write(note, text, content_hash(text))
    assert file.read_bytes() == data


def test_a_lone_surrogate_is_refused(backend: StorageBackend) -> None:
    with pytest.raises(InvalidError):
        backend.write(backend.resolve("a.md"), "\ud800")
    assert backend.list(backend.resolve()) == []


def test_a_missing_document_is_told_as_such(backend: StorageBackend) -> None:
    """A58: a `FileNotFoundError`, and one of the family."""
    for verb in (backend.read, backend.info):
        with pytest.raises(FileNotFoundError) as refused:
            verb(backend.resolve("no", "such.md"))
        assert isinstance(refused.value, NotFoundError)
        assert refused.value.to_dict()["error"]["where"] == "no/such.md"
    assert not backend.exists(backend.resolve("no"))


def test_listing_is_by_name_and_never_fails(backend: StorageBackend) -> None:
    """A58."""
    for name in ("b.md", "a.md", "c/d.md"):
        backend.write(backend.resolve(name), "x")
    assert [one.key for one in backend.list(backend.resolve())] == ["a.md", "b.md", "c"]
    assert [one.key for one in backend.list(backend.resolve("c"))] == ["c/d.md"]
    assert backend.list(backend.resolve("a.md")) == backend.list(backend.resolve("nothing")) == []
    assert backend.list(backend.resolve("a.md", "x")) == []


def test_names_that_no_locator_can_have_do_not_spoil_a_listing(backend: StorageBackend, tmp_path: Path) -> None:
    for name in (
        "good.md",
        "back\\slash.md",
        "~home",
        "...",
        "note.md.partial-12-0123abcd",
        b"\xff.md".decode("utf-8", "surrogateescape"),
    ):
        (tmp_path / "store" / name).write_text("x")
    listed = backend.list(backend.resolve())
    assert [one.name for one in listed] == ["good.md", "\udcff.md"]
    assert [backend.read(one) for one in listed] == ["x", "x"]


def test_what_is_known_of_a_document_and_a_folder(backend: StorageBackend, tmp_path: Path) -> None:
    """A54."""
    note = backend.write(backend.resolve("a", "b.md"), "für")
    about = backend.info(note)
    assert (about.locator, about.is_dir, about.size) == (note, False, 4)
    assert about.mtime == (tmp_path / "store/a/b.md").stat().st_mtime
    folder = backend.info(backend.resolve("a"))
    assert (folder.is_dir, folder.size) == (True, 0)
    assert backend.info(backend.resolve()).is_dir


def test_making_a_folder_twice_is_the_same_as_once(backend: StorageBackend) -> None:
    made = backend.mkdir(backend.resolve("a", "b"))
    assert made == backend.mkdir(made) == backend.resolve("a/b")
    backend.write(backend.resolve("file"), "x")
    for name in ("file", "file/below"):
        with pytest.raises(ConflictError):
            backend.mkdir(backend.resolve(name))


def test_a_write_is_based_on_what_the_caller_read(backend: StorageBackend) -> None:
    """A36, A63, A-i."""
    note = backend.resolve("a.md")
    backend.write(note, "one", ABSENT)
    with pytest.raises(ConflictError):
        backend.write(note, "mine", ABSENT)
    read = content_hash(backend.read(note))
    backend.write(note, "two", read)
    with pytest.raises(ConflictError):
        backend.write(note, "mine", read)
    assert backend.read(note) == "two"
    with pytest.raises(ConflictError):
        backend.write(backend.resolve("gone.md"), "mine", read)


def test_an_editor_that_saves_between_our_read_and_our_write_wins(backend: StorageBackend, tmp_path: Path) -> None:
    """Row 47: both are kept, ours by its author."""
    note = backend.write(backend.resolve("digest.md"), "old")
    read = content_hash(backend.read(note))
    (tmp_path / "store/digest.md").write_text("edited")
    with pytest.raises(ConflictError):
        backend.write(note, "ours", read)
    assert backend.read(note) == "edited"


def test_without_a_hash_whatever_is_there_is_replaced(backend: StorageBackend) -> None:
    note = backend.resolve("a.md")
    for text in ("one", "two", "three"):
        backend.write(note, text)
    assert backend.read(note) == "three"


def test_threads_that_count_through_the_seam_lose_nothing(backend: StorageBackend) -> None:
    """A33: read, add, write with the hash of what was read, again on a conflict."""
    note = backend.write(backend.resolve("counter"), "0")

    def count() -> None:
        done = 0
        while done < 20:
            text = backend.read(note)
            try:
                backend.write(note, str(int(text) + 1), content_hash(text))
            except ConflictError:
                continue
            done += 1

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert backend.read(note) == "80"


def test_the_root_is_no_document(backend: StorageBackend) -> None:
    with pytest.raises(InvalidLocatorError):
        backend.write(backend.resolve(), "x")
    with pytest.raises(InvalidError):
        backend.read(backend.resolve())


@pytest.mark.parametrize("text", ["../x", "a/../../x", "..\\x", "/../x", "~/x", "%2e%2e/x"])
def test_what_would_lead_outside_is_refused(backend: StorageBackend, tmp_path: Path, text: str) -> None:
    """Row 82."""
    with pytest.raises(InvalidLocatorError):
        backend.write(backend.resolve(text), "x")
    assert sorted(os.listdir(tmp_path)) == ["store"]


def _links(tmp_path: Path) -> dict[str, Callable[[], None]]:
    store, outside = tmp_path / "store", tmp_path / "store-evil"
    return {
        "link/secret.md": lambda: (store / "link").symlink_to(outside),
        "secret.md": lambda: (store / "secret.md").symlink_to(outside / "secret.md"),
        "up/store-evil/secret.md": lambda: (store / "up").symlink_to(tmp_path),
    }


@pytest.mark.parametrize("name", [*_links(Path())])
def test_no_link_leads_outside(backend: StorageBackend, tmp_path: Path, name: str) -> None:
    """R8, rows 44 and 83: a sibling whose name begins alike is outside too."""
    (tmp_path / "store-evil").mkdir()
    (tmp_path / "store-evil/secret.md").write_text("theirs")
    _links(tmp_path)[name]()
    note = backend.resolve(name)
    for deed in (
        lambda: backend.read(note),
        lambda: backend.write(note, "mine"),
        lambda: backend.write(note, "mine", ABSENT),
    ):
        with pytest.raises((InvalidError, ConflictError)):
            deed()
    if "/" in name:
        with pytest.raises(InvalidError):
            backend.list(backend.resolve(name.partition("/")[0]))
    assert (tmp_path / "store-evil/secret.md").read_text() == "theirs"
    assert os.listdir(tmp_path / "store-evil") == ["secret.md"]


def test_a_link_that_stays_inside_is_followed(backend: StorageBackend, tmp_path: Path) -> None:
    backend.write(backend.resolve("real", "a.md"), "x")
    (tmp_path / "store/alias").symlink_to(tmp_path / "store/real")
    assert backend.read(backend.resolve("alias", "a.md")) == "x"


def test_a_root_that_is_itself_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    backend = SyncedVault(str(tmp_path / "alias"))
    backend.write(backend.resolve("a.md"), "x")
    assert (tmp_path / "real/a.md").read_text() == "x"


def test_a_pipe_is_refused_and_not_waited_for(backend: StorageBackend, tmp_path: Path) -> None:
    """R6."""
    os.mkfifo(tmp_path / "store/pipe")
    with pytest.raises(InvalidError):
        backend.read(backend.resolve("pipe"))


def test_a_giant_is_refused_with_the_limit(backend: StorageBackend, tmp_path: Path) -> None:
    """Row 43."""
    with (tmp_path / "store/giant.md").open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(TooLargeError, match="67108864"):
        backend.read(backend.resolve("giant.md"))


def test_a_name_as_long_as_a_name_can_be_is_written_too(backend: StorageBackend) -> None:
    """Row 45."""
    note = backend.resolve("é" * 126 + ".md")
    backend.write(note, "one", ABSENT)
    backend.write(note, "two", content_hash("one"))
    assert backend.read(note) == "two"
    assert backend.list(backend.resolve()) == [note]


def test_a_vault_that_is_not_there_is_never_begun_anew(tmp_path: Path) -> None:
    """R4, row 26: neither at the start nor when it vanishes in between."""
    with pytest.raises(UnavailableError):
        SyncedVault(str(tmp_path / "vault"))
    (tmp_path / "vault").mkdir()
    vault = SyncedVault(str(tmp_path / "vault"))
    (tmp_path / "vault").rename(tmp_path / "elsewhere")
    for deed in (
        lambda: vault.write(vault.resolve("a.md"), "x"),
        lambda: vault.mkdir(vault.resolve("a")),
        lambda: vault.exists(vault.resolve("a.md")),
    ):
        with pytest.raises(UnavailableError) as refused:
            deed()
        assert refused.value.code == "missing"
    assert not (tmp_path / "vault").exists()


def test_the_store_on_this_device_begins_with_its_first_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A60."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    backend = DeviceLocal()
    assert backend.list(backend.resolve()) == []
    assert not (tmp_path / "data").exists()
    backend.write(backend.resolve("a.md"), "x")
    assert (tmp_path / "data/commonplace/memory/a.md").read_text() == "x"
    assert (tmp_path / "data/commonplace/memory").stat().st_mode & 0o777 == 0o700


def test_a_write_leaves_no_lock_and_no_leftover_in_the_store(backend: StorageBackend, tmp_path: Path) -> None:
    """A35, A64."""
    backend.write(backend.resolve("a.md"), "x")
    with pytest.raises(ConflictError):
        backend.write(backend.resolve("a.md"), "y", ABSENT)
    assert os.listdir(tmp_path / "store") == ["a.md"]
