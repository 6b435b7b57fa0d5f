"""Files outside a book, which `export` writes and `import` reads."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol


class Files(Protocol):
    def writing(self, path: str) -> AbstractContextManager[BinaryIO]:
        """A new file that appears whole and durable when the block ends without an error, or not at all."""
        ...

    def reading(self, path: str) -> AbstractContextManager[BinaryIO]:
        """An existing file."""
        ...
