"""Which storage is meant? Decided when it is needed, from what is configured, and never by falling back to another one.

`storage.backend` in the config file decides; else a vault if `$MEMORY_VAULT_PATH` names one; else this device. Whatever is wrong
with that is an error: memories that quietly went to another place would look lost.
"""

from __future__ import annotations

import os
import tomllib
from typing import Any

from commonplace.errors import CommonplaceError
from commonplace.model.base import Noun
from commonplace.seam.storage import (
    CapabilityMismatchError,
    StorageBackend,
    StorageCapabilities,
    StorageSelectionError,
)
from commonplace.storage import registry

_VAULT_VARIABLE = "MEMORY_VAULT_PATH"


class Choice(Noun, frozen=True, kw_only=True):
    """Which storage, where, and why."""

    backend: str
    root: str | None
    reason: str


class Preview(Noun, frozen=True, kw_only=True):
    """For `doctor`: what a call would use now, or why it would fail."""

    backend: str | None = None
    root: str | None = None
    reason: str | None = None
    capabilities: StorageCapabilities | None = None
    conflict_strategy: str | None = None
    error: str | None = None


def select_backend(config: str | None = None, *, required: StorageCapabilities | None = None) -> StorageBackend:
    """The configured storage, by the config file at this path. `StorageSelectionError` if it cannot be had;
    `CapabilityMismatchError` naming everything that is required and not there."""
    choice = _choose(config)
    made = registry.get(choice.backend)
    if made is None:
        known = ", ".join(registry.names())
        raise StorageSelectionError(f"there is no storage {choice.backend!r} ({choice.reason}); there are: {known}")
    lacking = made.capabilities.missing(required) if required is not None else []
    if lacking:
        raise CapabilityMismatchError(f"the storage {choice.backend!r} lacks: {', '.join(lacking)}")
    return _opened(made, choice)


def storage_preview(config: str | None = None, *, required: StorageCapabilities | None = None) -> Preview:
    """The same without using it. Never raises: an error is shown, in the very words of the call that would raise it."""
    try:
        choice = _choose(config)
        backend = select_backend(config, required=required)
    except CommonplaceError as cause:
        return Preview(error=cause.message)
    except Exception as cause:  # noqa: BLE001  # a storage of somebody else's may raise anything; `doctor` goes on
        return Preview(error=f"{type(cause).__name__}: {cause}")
    return Preview(
        backend=choice.backend,
        root=choice.root,
        reason=choice.reason,
        capabilities=backend.capabilities,
        conflict_strategy=backend.conflict_strategy,
    )


def _opened(made: type[StorageBackend], choice: Choice) -> StorageBackend:
    try:
        return made(choice.root) if choice.root is not None else made()  # type: ignore[call-arg]
    except (CommonplaceError, OSError, TypeError) as cause:
        message = cause.message if isinstance(cause, CommonplaceError) else str(cause)
        raise StorageSelectionError(
            f"the storage {choice.backend!r} cannot be opened: {message}", where=choice.root
        ) from cause


def _choose(config: str | None) -> Choice:
    said = _storage_table(config)
    vault = _text(said, "vault_path") or os.environ.get(_VAULT_VARIABLE) or None
    root = _text(said, "root")
    backend = _text(said, "backend")
    if backend is None:
        if vault is not None:
            return Choice(
                backend="vault", root=vault, reason=f"${_VAULT_VARIABLE} or `storage.vault_path` names a vault"
            )
        return Choice(backend="device-local", root=root, reason="nothing else is configured")
    if backend == "vault" and vault is None:
        raise StorageSelectionError(
            f"`storage.backend` is vault, and neither `storage.vault_path` nor ${_VAULT_VARIABLE} says where"
        )
    return Choice(backend=backend, root=vault if backend == "vault" else root, reason="`storage.backend` says so")


def _storage_table(config: str | None) -> dict[str, Any]:
    """The table `[storage]` of the config file; empty if there is no such file."""
    try:
        if config is None or not os.path.lexists(config):
            return {}
        with open(config, "rb") as file:
            said = tomllib.load(file).get("storage", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as cause:
        raise StorageSelectionError("the config file cannot be read", where=config) from cause
    if not isinstance(said, dict):
        raise StorageSelectionError("`storage` in the config file is no table", where=config)
    return said


def _text(said: dict[str, Any], name: str) -> str | None:
    value = said.get(name)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise StorageSelectionError(f"`storage.{name}` in the config file is no text")
    return value
