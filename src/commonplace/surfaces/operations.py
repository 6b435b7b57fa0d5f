"""The one table of operations: every verb, what it is asked with, and what it answers.

CLI, and later HTTP, MCP and the web page, are made from this table or checked against it; a new verb appears everywhere
by one line here. It is plain data without imports, because `commonplace --help` reads it and must be quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.engine.scribe import Request


class Described:
    """One operation. `verb` and `request` name a function and a class in `commonplace.engine.<module>`.

    A plain class: the first NamedTuple or dataclass of a process costs more than all of `--help`.
    """

    def __init__(
        self,
        name: str,
        group: str,
        summary: str,
        module: str,
        verb: str,
        request: str,
        answers: str,
        positional: tuple[str, ...] = (),
        *,
        writes: bool = False,
        takes_progress: bool = False,
        destroys: bool = False,
        personal: bool = False,
        example: str = "",
        book_from: str = "",
    ) -> None:
        self.name, self.group, self.summary = name, group, summary
        self.module, self.verb, self.request = module, verb, request
        self.answers = answers
        """How the answer is shown: a record, records, an operation, operations, ..."""
        self.positional, self.writes, self.takes_progress = positional, writes, takes_progress
        self.destroys = destroys
        """Cannot be undone: a surface asks before it calls."""
        self.personal = personal
        """Changes what is the person's own: a surface asks them before it calls."""
        self.example = example
        self.book_from = book_from
        """The field of the request that names the book, where it is not the one that is open."""

    def request_class(self) -> type[Request]:
        found: type[Request] = getattr(import_module(f"commonplace.engine.{self.module}"), self.request)
        return found

    def function(self) -> Any:
        return getattr(import_module(f"commonplace.engine.{self.module}"), self.verb)


WRITING, READING, TAKING = "Writing", "Finding", "Taking in"
REVIEW, KEEPING = "Reviewing and undoing", "Keeping the book"
GROUPS = (WRITING, READING, TAKING, REVIEW, KEEPING)

OPERATIONS: tuple[Described, ...] = (
    Described(
        "save", WRITING, "keep one statement", "save", "save", "Save", "record", ("content",), writes=True,
        example='save "Alice prefers tabs over spaces." --type profile',
    ),
    Described(
        "evolve", WRITING, "replace a statement by a newer one, with a reason", "evolve", "evolve", "Evolve", "record",
        ("id", "content"), writes=True, example='evolve ID "Alice prefers spaces." --reason "new editor"',
    ),
    Described(
        "upsert-profile-fact", WRITING, "say what is true of the person now", "upsert_profile_fact", "upsert_profile_fact",
        "UpsertProfileFact", "record", ("subject", "content"), writes=True,
        example='upsert-profile-fact editor "Alice uses Helix."',
    ),
    Described(
        "retain", WRITING, "a new digest, and facts to find later, all or nothing", "retain", "retain", "Retain", "records",
        ("retain",), writes=True, example='retain "W @Bob: runs the night build." --digest "Bob runs the builds."',
    ),
    Described(
        "link", WRITING, "say how one memory stands to another", "link", "link", "MakeLink", "link",
        ("from_id", "relation", "to_id"), writes=True, example="link ID supports OTHER",
    ),
    Described(
        "unlink", WRITING, "take a link back", "link", "unlink", "Unlink", "link", ("from_id", "relation", "to_id"),
        writes=True, example="unlink ID supports OTHER",
    ),
    Described(
        "contradict", WRITING, "say that two memories cannot both be true", "contradict", "contradict", "Contradict",
        "conflict", ("id", "other_id"), writes=True, example='contradict ID OTHER --reason "two ports"',
    ),
    Described(
        "archive", WRITING, "put a memory away; it stays readable", "archive", "archive", "Archive", "record", ("id",),
        writes=True, example="archive ID",
    ),
    Described(
        "restore", WRITING, "bring back what was archived or forgotten", "archive", "restore", "Restore", "record",
        ("id",), writes=True, example="restore ID",
    ),
    Described(
        "forget", WRITING, "soft-delete a memory", "archive", "forget", "Forget", "record", ("id",), writes=True,
        example='forget ID --reason "no longer true"',
    ),
    Described(
        "write-personal", WRITING, "change a note of your own, which no other command may", "write_personal", "write_personal",
        "WritePersonal", "record", ("id", "content"), writes=True, personal=True,
        example='write-personal Diary/Monday "Rain all day." --authorisation "Ann: fix Monday"',
    ),
    Described(
        "purge", WRITING, "destroy a memory everywhere; cannot be undone", "purge", "purge", "Purge", "report", ("id",),
        writes=True, destroys=True, example="purge ID --yes",
    ),
    Described("get", READING, "show one memory", "get", "get", "Get", "record", ("id",), example="get ID"),
    Described("list", READING, "list memories, newest first", "list", "list", "List", "records", example="list --types decision"),
    Described(
        "search", READING, "find the memories that answer a question", "search", "search", "Search", "results", ("query",),
        example='search "which editor settings"',
    ),
    Described(
        "context", READING, "what an agent should know before it begins", "context", "context_for", "ContextFor", "context",
        ("task",), example='context "deploy the service" --project p',
    ),
    Described(
        "receipts", READING, "what was searched for and handed out", "receipts", "receipts", "Receipts", "receipts",
        example="receipts --memory ID",
    ),
    Described(
        "explain", READING, "say why the book remembers this, or why it brought that up", "explain", "explain", "Explain",
        "explanation", ("id",),
        example="explain ID",
    ),
    Described(
        "links", READING, "how memories stand to each other", "links", "links", "Links", "links",
        example="links --memories ID",
    ),
    Described(
        "history", READING, "what happened to one memory", "history", "history", "History", "operations", ("id",),
        example="history ID",
    ),
    Described(
        "journal", REVIEW, "what happened to the book", "history", "journal", "Journal", "operations",
        example="journal --actor agent:claude",
    ),
    Described(
        "revert", REVIEW, "undo an operation or a run", "revert", "revert", "Revert", "operation", ("id",), writes=True,
        example="revert OPERATION",
    ),
    Described(
        "inbox", REVIEW, "what waits for a person's word", "inbox", "inbox", "Inbox", "inbox", example="inbox",
    ),
    Described(
        "inbox-accept", REVIEW, "let a memory in the inbox become active", "inbox", "inbox_accept", "Confirm", "record",
        ("id",), writes=True, example="inbox accept ID",
    ),
    Described(
        "inbox-edit", REVIEW, "let it in, in other words", "inbox", "inbox_edit", "InboxEdit", "record",
        ("id", "content"), writes=True, example='inbox edit ID "Alice prefers tabs."',
    ),
    Described(
        "inbox-reject", REVIEW, "turn a memory in the inbox away", "inbox", "inbox_reject", "Reject", "record", ("id",),
        writes=True, example='inbox reject ID --reason "hearsay"',
    ),
    Described(
        "inbox-merge", REVIEW, "it says what another memory says already", "inbox", "inbox_merge", "InboxMerge", "record",
        ("id", "into"), writes=True, example="inbox merge ID OTHER",
    ),
    Described(
        "inbox-defer", REVIEW, "show it again later", "inbox", "inbox_defer", "InboxDefer", "record", ("id", "until"),
        writes=True, example="inbox defer ID 2026-12-01T00:00:00Z",
    ),
    Described(
        "inbox-apply", REVIEW, "let in what a policy file accepts", "inbox_apply", "inbox_apply", "InboxApply", "report",
        ("policy",), writes=True, example="inbox apply policy.toml --dry-run",
    ),
    Described(
        "consolidate", REVIEW, "merge what says the same, show what disagrees, promote what is confirmed", "consolidate",
        "consolidate", "Consolidate", "consolidation", writes=True, example="consolidate --dry-run",
    ),
    Described(
        "promote", REVIEW, "let candidates become active, if they may", "promote", "promote", "Promote", "records", ("ids",),
        writes=True, example="promote ID",
    ),
    Described(
        "conflicts", REVIEW, "which memories disagree", "conflicts", "conflicts", "Conflicts", "disputes",
        example="conflicts",
    ),
    Described(
        "resolve", REVIEW, "say which side of a conflict is wrong", "resolve", "resolve", "Resolve", "conflict",
        ("id", "loser"), writes=True, example='resolve CONFLICT ID --reason "the config says 9090"',
    ),
    Described(
        "confirm", REVIEW, "let a memory in the inbox become active", "confirm", "confirm", "Confirm", "record", ("id",),
        writes=True, example='confirm ID --rationale "many writers"',
    ),
    Described(
        "reject", REVIEW, "turn a memory in the inbox away", "confirm", "reject", "Reject", "record", ("id",), writes=True,
        example='reject ID --reason "hearsay"',
    ),
    Described(
        "capture-session", TAKING, "keep a session that has ended; candidates come later", "capture", "capture_session",
        "CaptureSession", "event", ("source",), writes=True, example="capture-session session.jsonl --project p",
    ),
    Described(
        "capture-conversation", TAKING, "keep a conversation, notes or a summary of one", "capture", "capture_conversation",
        "CaptureConversation", "event", ("source",), writes=True,
        example="capture-conversation notes.md --capture-mode notes",
    ),
    Described(
        "import-source", TAKING, "keep raw material; it stays raw until it is captured", "import_source", "import_source",
        "ImportSource", "source", ("source",), writes=True, example="import-source page.md --kind document",
    ),
    Described(
        "process", TAKING, "work through what was captured", "process_pending", "process_pending", "ProcessPending", "worked",
        writes=True, takes_progress=True, example="process",
    ),
    Described(
        "work", TAKING, "work through what was captured until told to stop", "work", "work", "Work", "worked",
        writes=True, takes_progress=True, example="work --once",
    ),
    Described(
        "queue", TAKING, "what waits, what failed, what is due next", "work", "work_status", "Status", "worked",
        example="queue",
    ),
    Described("event", TAKING, "how far one capture has come", "work", "event", "Event", "event", ("id",), example="event ID"),
    Described(
        "retry", TAKING, "try a capture again that failed", "process_pending", "retry", "Retry", "event", ("id",), writes=True,
        example="retry ID",
    ),
    Described(
        "index", KEEPING, "turn what waits into vectors", "index_pending", "index_pending", "IndexPending", "report",
        takes_progress=True, example="index",
    ),
    Described("stats", KEEPING, "how much there is of what", "stats", "stats", "Stats", "report", example="stats"),
    Described(
        "verify", KEEPING, "check the journal's chain and every record against it", "verify", "verify", "Verify",
        "examination", takes_progress=True, example="verify",
    ),
    Described(
        "doctor", KEEPING, "look for damage; --full reads every byte", "doctor", "doctor", "Doctor", "examination",
        takes_progress=True, example="doctor --full",
    ),
    Described(
        "scan", KEEPING, "look for secrets in what is stored", "scan", "scan", "Scan", "examination", takes_progress=True,
        example="scan",
    ),
    Described(
        "backup", KEEPING, "make a verified copy while others write", "backup", "backup", "Backup", "report", ("path",),
        takes_progress=True, example="backup memory-backup.sqlite",
    ),
    Described(
        "export", KEEPING, "write the whole book as lines of JSON", "export", "export", "Export", "report", ("path",),
        takes_progress=True, example="export memory.jsonl",
    ),
    Described(
        "import", KEEPING, "bring an export in; twice is once", "import_", "import_", "Import", "import", ("path",),
        writes=True, takes_progress=True, example="import memory.jsonl",
    ),
    Described(
        "copy", KEEPING, "bring a whole book, with its history, into another canon", "copy", "copy", "Copy", "copy",
        ("from_book", "to_book"), takes_progress=True, book_from="from_book",
        example="copy sqlite:memory.sqlite vault:notes --verify",
    ),
)  # fmt: skip
BY_NAME = {operation.name: operation for operation in OPERATIONS}

BEGINNING = frozenset(
    (
        "save",
        "upsert-profile-fact",
        "retain",
        "capture-session",
        "capture-conversation",
        "import-source",
        "import",
        "work",
    )
)
"""A book may begin with these; `work` waits for what is captured later."""
