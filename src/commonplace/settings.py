"""Every setting with its default and its reason, in one place."""

from __future__ import annotations

import os

# How long a call waits for other writers before it answers `locked`. Long enough for a bulk import's batch to pass,
# short enough for an agent's turn.
BUSY_TIMEOUT_SECONDS = 10.0

# A memory is best one self-contained statement; a long message, or a session of a conversation, fits too. Sources hold
# documents.
MAX_CONTENT_BYTES = 524_288
MAX_TITLE_CHARS = 300
MAX_SUMMARY_CHARS = 4_000
MAX_RATIONALE_CHARS = 4_000
MAX_REASON_CHARS = 2_000
MAX_REF_CHARS = 2_000
MAX_NAME_CHARS = 200  # ids of projects, repos, agents, tenants; kinds, slugs, actors, keys
MAX_TAGS = 32
MAX_TAG_CHARS = 64
MAX_ALIASES = 32
MAX_ANCHORS = 32

# A captured source is kept whole: a long session's transcript fits.
MAX_SOURCE_CHARS = 8 * 1024 * 1024
# What is handed over may be larger than what is kept of it: session files hold pictures and book-keeping as well.
MAX_MATERIAL_BYTES = 64 * 1024 * 1024

# An extractor that has not answered by then is given up for this try: a model over a network may need a minute.
EXTRACT_SECONDS = 120.0
# Whoever takes work has it for so long, also if it is never heard of again: twice the time above, and a little more.
LEASE_SECONDS = 300.0
# Five tries, then a person is needed (R-i).
MAX_TRIES = 5
# Between tries: at most this much, doubled with each one, and never more than an hour; by chance somewhere below that, so
# that what failed together does not come back together.
RETRY_SECONDS = 30.0
MAX_RETRY_SECONDS = 3_600.0
# How often `commonplace work` looks whether something waits (rfc 61 suggests a quarter of an hour for what comes round).
WORK_TICK_SECONDS = 2.0
# What comes round: looks for duplicates and conflicts in the inbox, and vectors for what waits for them.
CONSOLIDATE_EVERY_SECONDS = 900.0
INDEX_EVERY_SECONDS = 900.0

# A file that was written to this recently and does not end its last line may still be arriving: it is read a little later.
FILE_SETTLE_SECONDS = 2.0
# Before a write, files are looked at for others' edits unless that was done within this many times what a look costs: a book
# of many files is not looked through for every save, and a file that a save touches is always compared.
FILE_LOOK_SHARE = 10
# So few files are looked at before every write: that costs next to nothing, and a look that a busy machine held up would be
# taken for a dear one.
FILE_LOOK_FEW = 16
# A file of lines that is larger is not read as a whole: a hundred thousand memories take a tenth of this.
MAX_BOOK_FILE_BYTES = 512 * 1024 * 1024
# How long somebody who only reads waits to take in what was edited in the files; then they read what is known.
FILE_LOOK_WAIT_SECONDS = 2.0

# One line of an import may hold a whole source; a longer one is a mistake or an attack.
MAX_IMPORT_LINE_BYTES = 16 * 1024 * 1024
# A million memories with their journal take two or three gigabytes; what is far beyond that is no export.
MAX_IMPORT_BYTES = 64 * 1024**3
# Rows per transaction when an import joins a book that others are writing to: big enough to be fast, small enough
# that a waiting writer is served within about a tenth of a second.
IMPORT_BATCH = 1_000
# And so many bytes of lines, so that an import of large memories needs no more room than one of small ones.
IMPORT_BATCH_BYTES = 2 * 1024 * 1024

# Pages in the write-ahead log before SQLite copies them back. One save writes about six, so every 160th waits for two more
# flushes; a log that may grow for longer costs more, because while it grows each flush also writes down its new size.
WAL_AUTOCHECKPOINT_PAGES = 1_000
# After a checkpoint the log file is cut back to this size, so that one bulk load does not leave a giant beside the book.
WAL_KEEP_BYTES = 32 * 1024 * 1024

# One screen.
DEFAULT_LIST_LIMIT = 20
# A page stays small enough to hold in memory and to send; everything is for `export`.
MAX_LIST_LIMIT = 1_000

# A search never waits long to write its receipt; behind a busy writer it is written with the next one.
RECEIPT_WAIT_SECONDS = 0.25
RECEIPTS_WAITING = 100
# The oldest make room: about a year of one person's searches, and some tens of megabytes.
RECEIPTS_KEPT = 20_000
# How many of those that were nearly chosen a receipt names, each with the reason it lost.
NEAR_MISSES_KEPT = 10
# A longer question is kept as its hash.
MAX_KEPT_QUERY_CHARS = 4_000

# A search is for the best few; more than this is a list.
MAX_SEARCH_LIMIT = 1_000
# Another project's memory comes up when it is linked to this one and at least so relevant (T1), or when it is so
# strongly relevant (T2) that not to show it would be odd (R-a).
LINKED_THRESHOLD = 0.40
STRONG_THRESHOLD = 0.75

# What an agent call may remember and be told (V-i). A digest is read in every call, so it stays a page; a retained fact is
# a sentence or two; a patch is a little more than both together. All of it is enforced when it is written; what a person
# wrote larger by hand is cut when it is handed out, and never rewritten.
MAX_DIGEST_CHARS = 8_000
MAX_RETAIN_ITEMS = 20
MAX_RETAIN_CHARS = 500
MAX_PATCH_BYTES = 24_000
# For the digest, the recent facts and the reminder together, at four characters a token.
MEMORY_CONTEXT_TOKENS = 2_500
LEDGER_TAIL_FACTS = 20
# A memory's key becomes a folder's name; file systems end at 255 bytes, and some tools want room for a suffix.
MAX_ESCAPED_KEY_BYTES = 200
# How long a call waits for another call with the same memory before it answers `locked` (V-a).
AGENT_LOCK_SECONDS = 10.0


def receipt_queries() -> bool:
    """Do receipts keep the words of a question, or only their hash? `$COMMONPLACE_RECEIPT_QUERIES=hash` says the latter."""
    return os.environ.get("COMMONPLACE_RECEIPT_QUERIES", "text") != "hash"
