"""The tables of a book, version by version. `docs/format/sqlite.md` describes them for a reader without this code.

A released version's text is never edited: a change is a new entry in `MIGRATIONS`.
"""

from __future__ import annotations

APPLICATION_ID = 0x43504C43  # "CPLC": how we know our own file from another program's
VERSION = 6

_V1 = """
CREATE TABLE book (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE memories (
  n INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order the book learnt them; a number is never used twice
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL, scope TEXT NOT NULL, status TEXT NOT NULL,
  content TEXT NOT NULL,
  project_id TEXT, repo_id TEXT, agent_id TEXT,
  source_kind TEXT NOT NULL,
  title TEXT, summary TEXT,
  confidence REAL, freshness REAL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, observed_at INTEGER,
  source_ref TEXT, evidence_ref TEXT,
  kind TEXT NOT NULL, tags TEXT, slug TEXT NOT NULL, aliases TEXT,
  always_load INTEGER NOT NULL, supersedes TEXT, superseded_by TEXT,
  tier TEXT NOT NULL, trust TEXT NOT NULL, fingerprint TEXT NOT NULL,
  occurrences INTEGER NOT NULL, anchors TEXT,
  valid_from INTEGER, valid_to INTEGER, deleted_at INTEGER,
  tenant TEXT, scope_word TEXT, rationale TEXT, status_reason TEXT,
  checksum INTEGER NOT NULL  -- of all the fields above but n: what a failing disk changed is never served
);
CREATE INDEX memories_by_fingerprint ON memories (fingerprint);

-- The index behind every filter (catalog/sqlite/facets.py): which memories have this value and status, in order.
CREATE TABLE memory_facets (
  facet INTEGER, value TEXT, status TEXT, created_at INTEGER, n INTEGER,
  PRIMARY KEY (facet, value, status, created_at, n)
) WITHOUT ROWID;
CREATE TABLE memory_aliases (alias TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;

CREATE VIRTUAL TABLE memories_fts USING fts5 (
  title, summary, content, content = 'memories', content_rowid = 'n', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO book VALUES ('indexed_upto', '0'), ('keys_upto', '0');

CREATE TABLE memory_vectors (
  n INTEGER, model TEXT, chunk INTEGER, dimensions INTEGER NOT NULL, vector BLOB NOT NULL, fingerprint TEXT NOT NULL,
  PRIMARY KEY (n, model, chunk)
) WITHOUT ROWID;

CREATE TABLE memory_links (
  id TEXT NOT NULL UNIQUE,
  from_id TEXT NOT NULL, relation TEXT NOT NULL, to_id TEXT NOT NULL, evidence_ref TEXT, created_at INTEGER NOT NULL
);
CREATE INDEX memory_links_from ON memory_links (from_id, relation);
CREATE INDEX memory_links_to ON memory_links (to_id, relation);

CREATE TABLE conflicts (
  id TEXT NOT NULL UNIQUE,
  left_id TEXT NOT NULL, right_id TEXT NOT NULL, reason TEXT NOT NULL, left_evidence TEXT, right_evidence TEXT,
  state TEXT NOT NULL, loser_id TEXT, resolution TEXT, created_at INTEGER NOT NULL, resolved_at INTEGER
);
CREATE INDEX conflicts_by_state ON conflicts (state, created_at);
CREATE INDEX conflicts_by_left ON conflicts (left_id);
CREATE INDEX conflicts_by_right ON conflicts (right_id);

CREATE TABLE projects (id TEXT NOT NULL UNIQUE, name TEXT, created_at INTEGER NOT NULL);
CREATE TABLE repos (id TEXT NOT NULL UNIQUE, project_id TEXT, name TEXT, created_at INTEGER NOT NULL);

CREATE TABLE sources (
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL, title TEXT, uri TEXT, body TEXT, fingerprint TEXT, captured_at INTEGER NOT NULL,
  observed_at INTEGER, actor TEXT
);
CREATE INDEX sources_by_fingerprint ON sources (fingerprint) WHERE fingerprint IS NOT NULL;

CREATE TABLE ingestion_events (
  id TEXT NOT NULL UNIQUE,
  trigger TEXT NOT NULL, source_ref TEXT NOT NULL, requested_scope TEXT NOT NULL, state TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, outcome TEXT, retry_count INTEGER NOT NULL, error TEXT
);
CREATE INDEX ingestion_events_by_state ON ingestion_events (state, created_at);
CREATE INDEX ingestion_events_by_source ON ingestion_events (source_ref);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL, lease_owner TEXT, lease_until INTEGER, error TEXT, created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX jobs_by_state ON jobs (state, due_at);

CREATE TABLE retrieval_logs (
  id TEXT PRIMARY KEY, at INTEGER NOT NULL, moment TEXT, query TEXT, receipt TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX retrieval_logs_by_time ON retrieval_logs (at);
CREATE TABLE retrieval_log_memories (
  memory_id TEXT, log_id TEXT, PRIMARY KEY (memory_id, log_id)
) WITHOUT ROWID;

CREATE TABLE saved_views (name TEXT PRIMARY KEY, filter TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID;

-- AUTOINCREMENT is a promise here: the highest number ever used is kept beside the table, so that entries cut off the
-- end of the journal are missed.
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL, run TEXT, verb TEXT NOT NULL, actor TEXT NOT NULL, trust TEXT NOT NULL, surface TEXT NOT NULL,
  at INTEGER NOT NULL,
  salt BLOB, payload BLOB, kept BLOB, payload_hash BLOB NOT NULL, prev BLOB NOT NULL, hash BLOB NOT NULL
);
CREATE INDEX journal_by_run ON journal (run) WHERE run IS NOT NULL;
-- What an entry can be found by: the ids of all things it changed (role 0), its own id (role 1), and the memories that a
-- link or a conflict it changed is about (role 2), its actor and its verb (role 3). One tree for all: ids made together lie
-- together.
CREATE TABLE journal_names (
  name TEXT, seq INTEGER, role INTEGER NOT NULL, PRIMARY KEY (name, seq)
) WITHOUT ROWID;

-- The entries before which somebody set the clock back.
CREATE TABLE clock_steps (seq INTEGER PRIMARY KEY);

CREATE TABLE foreign_journal (hash BLOB PRIMARY KEY, origin TEXT NOT NULL, entry BLOB) WITHOUT ROWID;
CREATE TABLE foreign_subjects (subject TEXT, hash BLOB, PRIMARY KEY (subject, hash)) WITHOUT ROWID;

CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, asked TEXT NOT NULL, memory_id TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_memory ON idempotency_keys (memory_id);
CREATE TABLE tombstones (id TEXT PRIMARY KEY, mark BLOB, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX tombstones_by_mark ON tombstones (mark) WHERE mark IS NOT NULL;
CREATE TABLE quarantine (
  digest BLOB PRIMARY KEY, origin TEXT NOT NULL, line INTEGER NOT NULL, reason TEXT NOT NULL, raw BLOB, at INTEGER NOT NULL
) WITHOUT ROWID;
"""

# What is derived is also laid out anew by a repair, where it is missing.
_V2_FULL_TEXT = """
CREATE VIRTUAL TABLE IF NOT EXISTS memories_fts USING fts5 (
  title, summary, content, terms, content = 'memories', content_rowid = 'n',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);
"""

_V2_VECTORS = """
-- Which model made vectors (catalog/sqlite/vectors.py), and how far it has come.
CREATE TABLE IF NOT EXISTS vector_models (
  model INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL,
  upto INTEGER NOT NULL,  -- no memory up to this number waits for its vectors, but those in vectors_wanted
  vectors INTEGER NOT NULL,  -- how many were kept
  state INTEGER NOT NULL,  -- another number by chance with every change of its vectors: what is held in memory knows it by this
  centre BLOB  -- what the codes are taken around; NULL while there are too few vectors for codes
);
CREATE TABLE IF NOT EXISTS memory_vectors (
  key INTEGER PRIMARY KEY,  -- model * 2^40 + n
  fingerprint TEXT NOT NULL, vectors BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS vectors_wanted (model INTEGER, n INTEGER, PRIMARY KEY (model, n)) WITHOUT ROWID;
-- Two bits for each dimension of each vector, many vectors to a row (catalog/sqlite/codes.py): what is looked through first.
CREATE TABLE IF NOT EXISTS vector_codes (
  block INTEGER PRIMARY KEY, model INTEGER NOT NULL, codes BLOB NOT NULL, checksum INTEGER NOT NULL  -- of the codes
);
CREATE INDEX IF NOT EXISTS vector_codes_by_model ON vector_codes (model, block);
"""

_V2 = f"""
-- Extra words a memory can be found by (model/terms.py); NULL for most. Derived, so outside of the row's checksum.
ALTER TABLE memories ADD COLUMN terms TEXT;
DROP TABLE memories_fts;
{_V2_FULL_TEXT}
DROP TABLE memory_vectors;
{_V2_VECTORS}
ALTER TABLE retrieval_logs ADD COLUMN session TEXT;  -- whose receipt it is, so that a later prompt repeats nothing
CREATE INDEX retrieval_logs_by_session ON retrieval_logs (session, at) WHERE session IS NOT NULL;
"""

_V3 = """
-- How a source was understood, and whose its capture is.
ALTER TABLE sources ADD COLUMN format TEXT;
ALTER TABLE sources ADD COLUMN outline TEXT;
ALTER TABLE ingestion_events ADD COLUMN project_id TEXT;
ALTER TABLE ingestion_events ADD COLUMN repo_id TEXT;
ALTER TABLE ingestion_events ADD COLUMN agent_id TEXT;
ALTER TABLE ingestion_events ADD COLUMN mode TEXT;
CREATE INDEX jobs_by_subject ON jobs (subject) WHERE subject IS NOT NULL;
"""

# What a save touches costs time with every flush, so it touches four pages: the memory, its id, its fingerprint, its entry.
_V4 = """
-- Shorter keys fill a page more slowly, and the end of a hash tells as much as all of it.
DROP INDEX memories_by_fingerprint;
CREATE INDEX memories_by_fingerprint ON memories (substr(fingerprint, -16));

-- AUTOINCREMENT kept two promises on a page of its own: that no number is used twice, and that entries cut off the end of the
-- journal are missed. Now the book notes the highest number that was destroyed, and the last entry that made no memory.
INSERT INTO book SELECT 'n_upto', coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'memories';
INSERT INTO book SELECT 'entries_upto', coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'journal';
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY AUTOINCREMENT', 'INTEGER PRIMARY KEY')
  WHERE type = 'table' AND name IN ('memories', 'journal');
-- SQLite drops this table under another name only.
UPDATE sqlite_schema SET name = 'once_sequence', tbl_name = 'once_sequence', sql = 'CREATE TABLE once_sequence (name, seq)'
  WHERE name = 'sqlite_sequence';
PRAGMA writable_schema = RESET;
DROP TABLE once_sequence;
ALTER TABLE memories ADD COLUMN entry INTEGER;  -- the entry that made it, or NULL. Derived, so outside of the row's checksum.
"""

# Whoever asks for one project is also told of repositories that belong to none; to know which those are took a look at
# every memory.
_V5 = """
INSERT OR IGNORE INTO memory_facets SELECT 12, '1', status, created_at, n FROM memories
  WHERE scope = 'repo' AND project_id IS NULL AND n <= (SELECT CAST(value AS INTEGER) FROM book WHERE key = 'indexed_upto');
"""

# A receipt was as long as two pages, and its name as long again for each memory that it names. Now it lies deflated
# (catalog/sqlite/deflated.py), several to a page, and is found by four bytes for each memory (catalog/sqlite/receipts.py).
_V6 = """
DROP INDEX retrieval_logs_by_time;
DROP INDEX retrieval_logs_by_session;
ALTER TABLE retrieval_logs RENAME TO former_logs;
CREATE TABLE retrieval_logs (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, moment TEXT, query TEXT, session TEXT,
  names BLOB NOT NULL,
  receipt BLOB NOT NULL  -- its JSON, deflated
);
CREATE INDEX retrieval_logs_by_time ON retrieval_logs (at, names);
CREATE INDEX retrieval_logs_by_session ON retrieval_logs (session, at) WHERE session IS NOT NULL;
INSERT INTO retrieval_logs (id, at, moment, query, session, names, receipt)
  SELECT id, at, moment, query, session, x'', receipt FROM former_logs ORDER BY id;
DROP TABLE former_logs;
DROP TABLE retrieval_log_memories;
DELETE FROM book WHERE key = 'receipts_upto';
"""

FULL_TEXT, VECTORS = _V2_FULL_TEXT, _V2_VECTORS
"""The derived tables as they are now."""

MIGRATIONS: dict[int, str] = {1: _V1, 2: _V2, 3: _V3, 4: _V4, 5: _V5, 6: _V6}
"""What to run to come from the version before to this one. A new book runs them all."""
