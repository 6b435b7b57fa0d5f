"""Each file format keeps every promise of a canon, and those of a book in files."""

from __future__ import annotations

from commonplace.formats.jsonl.format import JsonlFormat
from commonplace.formats.ledger.format import LedgerFormat
from commonplace.formats.vault.format import VaultFormat
from commonplace.seam.format import Format
from commonplace.testing.files_contract import FilesContract


class TestJsonl(FilesContract):
    def format(self) -> Format:
        return JsonlFormat()


class TestLedger(FilesContract):
    def format(self) -> Format:
        return LedgerFormat()


class TestVault(FilesContract):
    def format(self) -> Format:
        return VaultFormat()
