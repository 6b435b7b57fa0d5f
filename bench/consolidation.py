"""How often is consolidation wrong? Run: `COMMONPLACE_DATA=… python -m bench consolidation`.

Protocol: SICK 2014's pairs of sentences (CC BY-NC-SA, evaluation only). The rules were written looking at its train and trial
parts; its test part is reported beside them. A merge is wrong if the pair is labelled neutral or contradiction, or entailment
with a relatedness below 4; the stricter count asks for 4.5. LongMemEval (MIT), development half: each knowledge update is a pair
of turns, the old one and the new one; it is seen if any sentence of the one disagrees with any of the other. The shares that
must overlap were chosen on these very questions, so that recall is what can be reached; false alarms are counted on sentences
of different questions, and on sentences of one session, of which nearly none disagree. "Extracted" asks the same of what a book
would really hold: the candidates that the rules extract from each question's sessions, and from LoCoMo's conversations, each with
each. At last all sentences of SICK's test part are candidates in one book, consolidated by the verb itself: does it find what
comparing pair by pair finds, at what cost?
"""

from __future__ import annotations

import lzma
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import commonplace
from bench.quality import locomo
from bench.quality.cases import Store, data_folder, lines
from bench.quality.embedder import documents, model
from commonplace.ingest.consolidate.conflict import disagreement
from commonplace.ingest.consolidate.match import forms_of, is_nearly
from commonplace.ingest.rules.extractor import RuleExtractor
from commonplace.model.record import MemoryRecord
from commonplace.model.transcript import Piece, Role, Transcript
from commonplace.model.words import Entity, Status
from commonplace.testing.makers import a_memory, a_signature

_PARTS = {"train and trial": ("train", "trial"), "test": ("test_annotated",)}
_CLASSES = ("restatement", "entailment", "neutral", "contradiction")
_VERDICTS = ("merged", "related", "conflict", "left alone")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class Pair(NamedTuple):
    one: str
    other: str
    relatedness: float
    label: str

    @property
    def sort(self) -> str:
        """A restatement is an entailment that people find next to identical."""
        return "restatement" if self.label == "entailment" and self.relatedness >= 4.5 else self.label


def run(folder: Path) -> Iterator[str]:
    for part in _PARTS:
        yield from _sick(part)
    yield from _updates()
    yield from _extracted()
    for by in ("words", "words and vectors"):
        yield from _whole_book(folder, by)


def pairs(part: str) -> list[Pair]:
    found = []
    for name in _PARTS[part]:
        with lzma.open(data_folder() / "sick2014" / f"SICK_{name}.txt.xz", "rt") as file:
            rows = (line.rstrip("\n").split("\t") for line in [*file][1:])
            found += [Pair(row[1].strip(), row[2].strip(), float(row[3]), row[4].strip().lower()) for row in rows]
    return found


def verdict_on(pair: Pair) -> str:
    if forms_of(pair.one) == forms_of(pair.other):
        return "merged"
    if disagreement(pair.one, pair.other):
        return "conflict"
    return "related" if is_nearly(pair.one, pair.other) else "left alone"


def _sick(part: str) -> Iterator[str]:
    held = [(pair, verdict_on(pair)) for pair in pairs(part)]
    counted = Counter((pair.sort, verdict) for pair, verdict in held)
    yield f"  SICK {part}: {len(held)} pairs"
    yield "    " + "".join(f"{title:>14}" for title in ("", *_VERDICTS))
    for sort in _CLASSES:
        yield "    " + f"{sort:>14}" + "".join(f"{counted[sort, verdict]:>14}" for verdict in _VERDICTS)
    yield from _rates([(pair, verdict) for pair, verdict in held])
    yield ""


def _rates(held: Sequence[tuple[Pair, str]]) -> Iterator[str]:
    merged = [pair for pair, verdict in held if verdict == "merged"]
    wrong = [pair for pair in merged if pair.label != "entailment" or pair.relatedness < 4]
    strict = [pair for pair in merged if pair.sort != "restatement"]
    different = sum(pair.label != "entailment" for pair, _ in held)
    yield f"    wrong merges: {_of(len(wrong), len(merged))} merges; below 4.5: {_of(len(strict), len(merged))}"
    yield f"    neutral or contradictory pairs merged: {_of(sum(p.label != 'entailment' for p in merged), different)}"
    yield f"    restatements merged: {_of(len(merged) - len(strict), _count(held, 'restatement'))}"
    conflicts = [pair for pair, verdict in held if verdict == "conflict"]
    right = sum(pair.label == "contradiction" for pair in conflicts)
    yield f"    conflicts that are contradictions: {_of(right, len(conflicts))} (precision)"
    yield f"    contradictions seen: {_of(right, _count(held, 'contradiction'))} (recall)"


def _count(held: Sequence[tuple[Pair, str]], sort: str) -> int:
    return sum(pair.sort == sort for pair, _ in held)


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole} = {100 * part / max(whole, 1):.2f} %"


def _updates() -> Iterator[str]:
    """The old turn and the new one of each knowledge update, by sentences; questions are none."""
    held = [*_old_and_new()]
    seen = sum(any(disagreement(*both) for both in product(old, new)) for old, new in held)
    every = [[*old, *new] for old, new in held]
    apart = [both for one, other in combinations(every, 2) for both in product(one, other)]
    yield "  LongMemEval dev, knowledge updates"
    yield f"    updates seen as a conflict: {_of(seen, len(held))}"
    yield f"    false alarms, sentences of different questions: {_of(_alarms(apart), len(apart))}"
    within = [*_within_sessions()]
    yield f"    alarms between sentences of one session: {_of(_alarms(within), len(within))}"
    yield ""


def _extracted() -> Iterator[str]:
    """Candidates as the rules extract them: of knowledge updates some should disagree, of all others hardly any."""
    updates, others = [], []
    sessions = _sessions()
    for asked in lines("longmemeval", "questions.dev.jsonl.xz"):
        talks = [
            [(turn["role"], turn["content"]) for turn in sessions[id]["turns"]] for id in asked["answer_session_ids"]
        ]
        (updates if asked["question_type"] == "knowledge-update" else others).append(_candidates(talks))
    told = [_candidates(_talks(store)) for store in locomo.turns().stores]
    seen = sum(_alarms(combinations(held, 2)) > 0 for held in updates)
    yield "  extracted candidates"
    yield f"    LongMemEval dev, knowledge updates in which a conflict is seen: {_of(seen, len(updates))}"
    for name, several in (("LongMemEval dev, other questions", others), ("LoCoMo", told)):
        pairs = [both for held in several for both in combinations(held, 2)]
        yield f"    {name}, {sum(map(len, several))} candidates, pairs in conflict: {_of(_alarms(pairs), len(pairs))}"
    yield ""


def _talks(store: Store) -> list[list[tuple[str, str]]]:
    talks: dict[str, list[tuple[str, str]]] = {}
    for item in store.items:
        talks.setdefault(item.session, []).append(("user", item.text.partition(": ")[2]))
    return [*talks.values()]


def _candidates(talks: Iterable[list[tuple[str, str]]]) -> list[str]:
    """What the rules propose from these conversations, each a list of roles and turns."""
    found: list[str] = []
    for talk in talks:
        body, pieces = "", []
        for role, text in talk:
            who = Role.PERSON if role == "user" else Role.AGENT
            pieces.append(Piece(role=who, text=text, start=len(body), end=len(body) + len(text)))
            body += f"{text}\n\n"
        proposals = RuleExtractor().proposals(Transcript(format="bench", body=body, pieces=tuple(pieces)))
        found += [proposal.content for proposal in proposals]
    return found


def _alarms(several: Iterable[tuple[str, str]]) -> int:
    return sum(disagreement(one, other) is not None for one, other in several)


def _old_and_new() -> Iterator[tuple[list[str], list[str]]]:
    sessions = _sessions()
    for asked in lines("longmemeval", "questions.dev.jsonl.xz"):
        if asked["question_type"] != "knowledge-update":
            continue
        gold: dict[str, list[str]] = {}
        for session, turn in asked["gold_turns"]:
            said = sessions[session]["turns"][turn]
            if said["role"] == "user":
                gold.setdefault(session, []).extend(sentences(said["content"]))
        in_order = sorted(gold, key=lambda session: sessions[session]["date"])
        if len(in_order) > 1:
            yield gold[in_order[0]], gold[in_order[-1]]


def _within_sessions() -> Iterator[tuple[str, str]]:
    sessions = _sessions()
    for asked in lines("longmemeval", "questions.dev.jsonl.xz"):
        if asked["question_type"] == "knowledge-update":
            turns = sessions[asked["answer_session_ids"][0]]["turns"]
            said = [each for turn in turns if turn["role"] == "user" for each in sentences(turn["content"])]
            yield from combinations(said, 2)


def _sessions() -> dict[str, Any]:
    return {each["session_id"]: each for each in lines("longmemeval", "sessions.dev.jsonl.xz")}


def sentences(text: str) -> list[str]:
    return [each for each in _SENTENCE.split(text) if each.strip() and not each.strip().endswith("?")]


def _whole_book(folder: Path, by: str) -> Iterator[str]:
    """Every sentence of SICK's test part as a candidate; the verb has to find the pairs by itself."""
    held = pairs("test")
    said = [*dict.fromkeys(text for pair in held for text in (pair.one, pair.other))]
    records = {text: _candidate(text) for text in said}
    embedder = "auto" if "vectors" in by else "none"
    with commonplace.open(f"sqlite:{folder / by}.sqlite", embedder=embedder, reranker="none") as book:
        _fill(book, list(records.values()), embedder)
        start = time.process_time()
        steps = [*_consolidated(book)]
        took = time.process_time() - start
    done = {step.touches: str(step.action) for step in steps}
    together = {frozenset(touched) for touched, action in done.items() if action == "conflict"}
    into = {step.id: step.others[0] for step in steps if step.action == "merge"}
    merged = [pair for pair in held if _root(into, records[pair.one].id) == _root(into, records[pair.other].id)]
    same = [pair for pair in held if verdict_on(pair) == "merged"]
    opposed = [pair for pair in held if verdict_on(pair) == "conflict"]
    met = sum(frozenset(_root(into, records[text].id) for text in pair[:2]) in together for pair in opposed)
    wrong = sum(pair.label != "entailment" or pair.relatedness < 4 for pair in merged)
    yield f"  one book of {len(said)} candidates that find each other by {by}"
    yield f"    pairs that say the same, found and merged: {_of(len([p for p in merged if p in same]), len(same))}"
    yield f"    labelled pairs merged wrongly: {_of(wrong, len(merged))}"
    yield f"    pairs that disagree, found and in conflict: {_of(met, len(opposed))} (at most five conflicts each)"
    yield f"    CPU time per candidate: {1000 * took / len(said):.1f} ms, with writing"


def _candidate(text: str) -> MemoryRecord:
    return a_memory(text, type="project", status=Status.INBOX, trust="extracted", source_ref="sick")


def _fill(book: commonplace.Book, records: Sequence[MemoryRecord], embedder: str) -> None:
    with book._scribe.canon.writing(30) as draft:
        draft.commit_all([(a_signature(), Entity.MEMORY, record) for record in records])
        if embedder != "none":
            vectors = documents([record.content for record in records])[:, None]
            kept = [(one.id, one.fingerprint, vector) for one, vector in zip(records, vectors, strict=True)]
            draft.keep_vectors(model().model, kept)


def _consolidated(book: commonplace.Book) -> Iterator[Any]:
    after: str | None = None
    while True:
        report = book.consolidate(limit=1000, after=after)
        yield from report.steps
        after = report.next
        if after is None:
            return


def _root(into: dict[str, str], id: str) -> str:
    while id in into:
        id = into[id]
    return id
