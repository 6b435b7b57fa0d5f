"""Which storage answers to which name. Our own two are loaded when they are asked for; others register themselves."""

from __future__ import annotations

from importlib import import_module

from commonplace.seam.storage import ProtocolError, StorageBackend

_OURS = {
    "device-local": "commonplace.storage.device_local:DeviceLocal",
    "vault": "commonplace.storage.synced_vault:SyncedVault",
}
_registered: dict[str, type[StorageBackend]] = {}


def register(name: str, backend: type[StorageBackend], *, clobber: bool = False) -> None:
    """Make a storage known. `TypeError` for what is none, `ProtocolError` for a name that is empty or taken."""
    if not (isinstance(backend, type) and issubclass(backend, StorageBackend)):
        raise TypeError("a storage is a subclass of StorageBackend")
    if not isinstance(name, str) or not name.strip():
        raise ProtocolError("a storage needs a name")
    if name in names() and not clobber:
        raise ProtocolError(f"the storage {name!r} is registered already")
    _registered[name] = backend


def unregister(name: str) -> None:
    """Forget one that was registered. Our own come back in its place."""
    _registered.pop(name, None)


def get(name: str) -> type[StorageBackend] | None:
    """The storage of this name; None if there is none."""
    if name in _registered:
        return _registered[name]
    if name not in _OURS:
        return None
    module, _, attribute = _OURS[name].partition(":")
    found: type[StorageBackend] = getattr(import_module(module), attribute)
    return found


def names() -> list[str]:
    return sorted({*_OURS, *_registered})
