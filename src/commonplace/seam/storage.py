"""Where documents lie: seven verbs, by which everything reaches a medium, and nothing more is known of it.

Text is what passes through. A document is named by a `Locator`; no verb ever answers with a path. Which backend it is, is
decided when it is needed and handed in (`storage/selector.py`): whoever uses one imports only this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import sha256
from typing import ClassVar, Final

from commonplace.errors import InvalidError, NotFoundError
from commonplace.model.base import Closed, Noun
from commonplace.seam.locator import Locator

ABSENT: Final = ""
"""As an expected hash: there must be no such document yet."""


class StorageTier(Closed):
    """What kind of document something is, and so where it may lie."""

    SOURCE = "source"
    """The truth. Syncs."""
    SHARED_ABSTRACTS = "shared_abstracts"
    """Derived; may sync, so that another device need not derive it again."""
    LOCAL_INDEX = "local_index"
    """Derived, and never synced."""


class StorageCapabilities(Noun, frozen=True, kw_only=True):
    """What a medium can be trusted with."""

    concurrent_writers: bool = False
    conflict_files: bool = False
    """Others may leave conflict copies in it, and they are recognised."""
    encryption: bool = False
    sync: bool = False

    def missing(self, required: StorageCapabilities) -> list[str]:
        """Which of the required ones are not here, by name."""
        return [name for name in self.__struct_fields__ if getattr(required, name) and not getattr(self, name)]


class Info(Noun, frozen=True, kw_only=True):
    """What is known of a document without reading it."""

    locator: Locator
    is_dir: bool
    size: int
    """In bytes; 0 for a folder."""
    mtime: float
    """Seconds since 1970. On a synced medium no more than a hint: only a hash tells whether something changed."""


class MissingDocumentError(NotFoundError, FileNotFoundError):
    """There is no such document in the store."""

    hint = "Check the name; `list` shows the ones there are."


class StorageSelectionError(InvalidError):
    """The storage that was asked for cannot be had, and nothing else is taken in its place."""

    hint = "Correct `storage.backend` in the config file, or `$MEMORY_VAULT_PATH`."


class CapabilityMismatchError(StorageSelectionError):
    """The chosen storage cannot do what is needed."""

    hint = "Choose a storage that can, or do without."


class ProtocolError(InvalidError):
    """A storage cannot be registered under this name."""

    hint = "Choose another name, or say `clobber`."


class DerivedMaintenance(ABC):
    """For media that keep derived tiers themselves."""

    @abstractmethod
    def reindex(self, tier: StorageTier) -> None:
        """Make what is derived anew."""

    @abstractmethod
    def changed_since(self, mtime: float) -> list[Locator]:
        """Which documents may have changed since then."""


Locators = list[Locator]


class StorageBackend(ABC):
    """One medium. Safe for several threads and processes at once if it says `concurrent_writers`."""

    capabilities: ClassVar[StorageCapabilities] = StorageCapabilities()
    conflict_strategy: ClassVar[str] = "none"
    """What becomes of two versions of one document: the name of a policy, not of something that acts."""
    derived_maintenance: DerivedMaintenance | None = None

    @abstractmethod
    def resolve(self, *parts: str) -> Locator:
        """The locator of these parts. Touches nothing. `InvalidLocatorError` for what would lead outside."""

    @abstractmethod
    def read(self, locator: Locator) -> str:
        """The document as it is, line ends and all; `write` of the same text makes the same bytes, also of bytes that are no
        text. `MissingDocumentError` (a `FileNotFoundError`) if there is none."""

    @abstractmethod
    def write(self, locator: Locator, text: str, expected_hash: str | None = None) -> Locator:
        """Store the document durably, whole or not at all; folders above it are made.

        `expected_hash` is the `content_hash` of what the caller read and based its text on, or `ABSENT`. If that is not what is
        there now, raises `ConflictError` and changes nothing. Without it whatever is there is replaced: for documents that are
        the caller's alone, never for what people edit.
        """

    @abstractmethod
    def list(self, locator: Locator) -> Locators:
        """What is directly in a folder, by name. Nothing for a document, or where there is nothing."""

    @abstractmethod
    def exists(self, locator: Locator) -> bool: ...

    @abstractmethod
    def info(self, locator: Locator) -> Info:
        """`MissingDocumentError` if there is nothing."""

    @abstractmethod
    def mkdir(self, locator: Locator) -> Locator:
        """Make a folder, and those above it. One that is there already is fine."""


def content_hash(text: str) -> str:
    """What a caller that read `text` passes as `expected_hash`."""
    return sha256(to_bytes(text)).hexdigest()


def to_bytes(text: str) -> bytes:
    """A document's bytes. What was no text when it was read becomes the same bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as cause:
        raise InvalidError("the text has a lone surrogate in it", hint="Take it out: it is no character.") from cause


def to_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
