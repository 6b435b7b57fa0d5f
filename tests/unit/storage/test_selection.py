"""Which storage is used: registered, chosen, never demoted; three tiers in three places (A3, A55-A57, A59)."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.errors import CommonplaceError, InvalidError
from commonplace.seam.storage import (
    CapabilityMismatchError,
    ProtocolError,
    StorageBackend,
    StorageCapabilities,
    StorageSelectionError,
    StorageTier,
)
from commonplace.storage import registry, tiers
from commonplace.storage.device_local import DeviceLocal
from commonplace.storage.selector import select_backend, storage_preview
from commonplace.storage.synced_vault import SyncedVault
from commonplace.storage.tiers import TierRoots, tiers_of


@pytest.fixture(autouse=True)
def _nothing_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORY_VAULT_PATH", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


def test_registering_takes_storages_under_free_names_only() -> None:
    """A56."""
    with pytest.raises(TypeError):
        registry.register("x", dict)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        registry.register("x", DeviceLocal("/x"))  # type: ignore[arg-type]
    for name in ("", "  ", "vault"):
        with pytest.raises(ProtocolError):
            registry.register(name, DeviceLocal)
    registry.register("mine", DeviceLocal)
    try:
        with pytest.raises(ProtocolError):
            registry.register("mine", SyncedVault)
        registry.register("mine", SyncedVault, clobber=True)
        assert registry.get("mine") is SyncedVault
        assert registry.names() == ["device-local", "mine", "vault"]
    finally:
        registry.unregister("mine")


def test_asking_for_an_unknown_storage_answers_nothing() -> None:
    """A56: never an error."""
    assert registry.get("no-such") is None
    assert registry.get("vault") is SyncedVault


def test_without_anything_configured_it_is_this_device(config: Path) -> None:
    """A59."""
    assert isinstance(select_backend(str(config)), DeviceLocal)
    assert storage_preview().backend == "device-local"


def test_a_vault_in_the_environment_is_used(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_VAULT_PATH", str(vault))
    assert isinstance(select_backend(), SyncedVault)


def test_what_the_config_file_says_goes_before_the_environment(
    config: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_VAULT_PATH", str(vault))
    config.write_text('[storage]\nbackend = "device-local"\n')
    assert isinstance(select_backend(str(config)), DeviceLocal)
    config.write_text(f'[storage]\nbackend = "vault"\nvault_path = "{vault}"\n')
    monkeypatch.setenv("MEMORY_VAULT_PATH", "/nowhere")
    assert isinstance(select_backend(str(config)), SyncedVault)


def test_the_choice_is_made_at_each_call(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A6, A11: never cached."""
    assert isinstance(select_backend(), DeviceLocal)
    monkeypatch.setenv("MEMORY_VAULT_PATH", str(vault))
    assert isinstance(select_backend(), SyncedVault)


BAD = {
    "unregistered": b'[storage]\nbackend = "floppy"\n',
    "vault without a path": b'[storage]\nbackend = "vault"\n',
    "vault that is not there": b'[storage]\nbackend = "vault"\nvault_path = "/no/such/vault"\n',
    "path of nothing": b'[storage]\nbackend = "vault"\nvault_path = " "\n',
    "corrupt": b"[storage\n",
    "not UTF-8": b'[storage]\nbackend = "\xff"\n',
    "number": b"[storage]\nbackend = 7\n",
    "no table": b'storage = "vault"\n',
}


@pytest.mark.parametrize("said", BAD.values(), ids=BAD)
def test_whatever_is_wrong_is_an_error_and_never_another_storage(config: Path, said: bytes) -> None:
    """A59: and the preview shows the very same words, without raising."""
    config.write_bytes(said)
    with pytest.raises(StorageSelectionError) as refused:
        select_backend(str(config))
    assert isinstance(refused.value, CommonplaceError)
    assert refused.value.hint
    preview = storage_preview(str(config))
    assert preview.error == refused.value.message
    assert preview.backend is None


def test_a_vault_in_the_environment_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_VAULT_PATH", "/no/such/vault")
    with pytest.raises(StorageSelectionError):
        select_backend()


def test_a_config_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageSelectionError):
        select_backend(str(tmp_path))


def test_everything_that_is_required_and_missing_is_named(vault: Path) -> None:
    """A59."""
    required = StorageCapabilities(concurrent_writers=True, conflict_files=True, encryption=True, sync=True)
    with pytest.raises(CapabilityMismatchError, match="conflict_files, encryption, sync") as refused:
        select_backend(required=required)
    assert storage_preview(required=required).error == refused.value.message
    assert isinstance(select_backend(required=StorageCapabilities(concurrent_writers=True)), DeviceLocal)


def test_the_preview_does_not_raise_whatever_a_storage_does(config: Path) -> None:
    class Broken(DeviceLocal):
        def __init__(self, root: str | None = None) -> None:
            raise RuntimeError("on fire")

    registry.register("broken", Broken)
    try:
        config.write_text('[storage]\nbackend = "broken"\n')
        assert storage_preview(str(config)).error == "RuntimeError: on fire"
    finally:
        registry.unregister("broken")


def test_the_preview_says_what_would_be_used_and_why(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_VAULT_PATH", str(vault))
    preview = storage_preview()
    assert (preview.backend, preview.root, preview.error) == ("vault", str(vault), None)
    assert preview.capabilities == SyncedVault.capabilities
    assert preview.conflict_strategy == "whole-file"
    assert "MEMORY_VAULT_PATH" in str(preview.reason)


def test_another_storage_can_be_configured(config: Path) -> None:
    class Elsewhere(DeviceLocal):
        pass

    registry.register("elsewhere", Elsewhere)
    try:
        config.write_text('[storage]\nbackend = "elsewhere"\nroot = "~/x"\n')
        chosen: StorageBackend = select_backend(str(config))
        assert isinstance(chosen, Elsewhere)
    finally:
        registry.unregister("elsewhere")


def test_the_three_tiers_lie_in_three_places_and_the_index_never_syncs(vault: Path, cache: Path) -> None:
    """A57, A-b."""
    roots = tiers_of(str(vault))
    assert len({roots.root(tier) for tier in StorageTier}) == 3
    assert roots.local_index.startswith(str(cache))
    assert [tier for tier in StorageTier if not tiers.SYNCS[tier]] == [StorageTier.LOCAL_INDEX]
    assert [tier for tier in StorageTier if not tiers.DERIVED[tier]] == [StorageTier.SOURCE]


@pytest.mark.parametrize(
    ("source", "shared", "local"),
    [("a", "a", "b"), ("a", "b", "a"), ("a", "b", "b"), ("a", "alias", "c"), ("a", "b", "a/index"), ("a/x", "b", "a")],
)
def test_tiers_in_one_place_or_an_index_that_would_sync_are_refused(
    tmp_path: Path, source: str, shared: str, local: str
) -> None:
    """A57."""
    (tmp_path / "a").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "a")
    with pytest.raises(InvalidError):
        TierRoots(
            source=str(tmp_path / source), shared_abstracts=str(tmp_path / shared), local_index=str(tmp_path / local)
        )
