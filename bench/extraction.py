"""How much of what matters do the rules find, and how much else? Run: `COMMONPLACE_DATA=… python -m bench
extraction`.

Protocol: LoCoMo's and LongMemEval's (dev) sessions are given to the rules as transcripts, one source each. Coverage
is the share of gold evidence turns in which at least one proposal has its span. The rules were chosen on LoCoMo's
conversations 1 to 5 and on the questions of LongMemEval whose hash is even; the other half is reported beside it. In
LongMemEval a session that both halves need counts for the half that chose the rules. Junk is judged by rules of its
own, below, that the extractor does not read. CPU time of this process, the best of three rounds.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from bench.quality import locomo
from bench.quality.cases import data_folder, lines
from commonplace.ingest.rules.extractor import RuleExtractor
from commonplace.model.proposal import Proposal
from commonplace.model.transcript import Piece, Role, Transcript

_LEANING = re.compile(
    r"(?i)^(?:(?:the user|[A-Z][a-z]+) said: )?(?:he|she|it|they|this|that|these|those|there|him|her|them|its|their)\b"
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|[Mm]y|[Mm]yself)\b")
_ROLES = {"user": Role.PERSON, "assistant": Role.AGENT}


@dataclass
class Session:
    """One source: its transcript, and which of its turns hold an answer."""

    transcript: Transcript
    gold: frozenset[int]
    turns: list[Piece]
    proposals: list[Proposal] = field(default_factory=list)


def run(_: Path) -> Iterator[str]:
    """Each set in two halves: where the rules were chosen, and where they were not."""
    data_folder()
    for name, chosen, unseen in (("LoCoMo", *_locomo()), ("LongMemEval dev", *_longmemeval())):
        for half, sessions in (("chosen on", chosen), ("unseen", unseen)):
            extract(sessions)
            yield f"  {name}, {half}:"
            yield from (f"        {label:44} {value}" for label, value in measured(sessions))
    yield f"        {'CPU, ms per KB of transcript':44} {cpu(unseen):.3f}"


def extract(sessions: Iterable[Session]) -> None:
    for session in sessions:
        session.proposals = [*RuleExtractor().proposals(session.transcript)]


def measured(sessions: list[Session]) -> Iterator[tuple[str, str]]:
    proposals = [one for session in sessions for one in session.proposals]
    turns = sum(len(session.turns) for session in sessions)
    yield "sessions, turns, gold turns", f"{len(sessions)}, {turns}, {sum(len(s.gold) for s in sessions)}"
    for label, roles in (
        ("gold turns covered", tuple(Role)),
        ("  said by people", (Role.PERSON,)),
        ("  said by agents", (Role.AGENT,)),
    ):
        found, there = _covered(sessions, roles)
        if there:
            yield label, f"{100 * found / there:.1f} % of {there}"
    others = _covered(sessions, tuple(Role), gold=False)
    yield "other turns with a proposal", f"{100 * others[0] / max(1, others[1]):.1f} % of {others[1]}"
    yield (
        "proposals per session, mean and most",
        (f"{len(proposals) / len(sessions):.1f}, {max(len(s.proposals) for s in sessions)}"),
    )
    yield "proposals per KB said", f"{len(proposals) / sum(len(s.transcript.body) / 1000 for s in sessions):.2f}"
    yield "junk by the rules above", _junk(sessions, len(proposals))
    families = Counter(one.rule.partition(":")[0] for one in proposals)
    yield "families", ", ".join(f"{name} {count}" for name, count in families.most_common())


def _covered(sessions: list[Session], roles: tuple[Role, ...], *, gold: bool = True) -> tuple[int, int]:
    found = there = 0
    for session in sessions:
        starts = [(one.start, one.end) for one in session.proposals]
        for at, turn in enumerate(session.turns):
            if (at in session.gold) is gold and turn.role in roles:
                there += 1
                found += any(turn.start <= start and end <= turn.end for start, end in starts)
    return found, there


def _junk(sessions: list[Session], total: int) -> str:
    sorts: Counter[str] = Counter()
    for session in sessions:
        seen: set[str] = set()
        for one in session.proposals:
            sorts.update([why] if (why := _why_junk(one.content, seen)) else [])
            seen.add(_plain(one.content))
    told = ", ".join(f"{why} {count}" for why, count in sorts.most_common())
    return f"{100 * sum(sorts.values()) / max(1, total):.1f} % ({told or 'none'})"


def _why_junk(content: str, seen: set[str]) -> str | None:
    if content.rstrip("\"'”)").endswith("?"):
        return "question"
    if len(content.split()) < 4:
        return "short"
    if _LEANING.match(content):
        return "leaning"
    if _FIRST_PERSON.search(content.partition(" said: ")[2] or content) and " said: " not in content:
        return "who is I"
    return "repeated" if _plain(content) in seen else None


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


def cpu(sessions: list[Session]) -> float:
    size = sum(len(session.transcript.body) for session in sessions) / 1000
    rounds = []
    for _ in range(3):
        start = time.process_time()
        extract(sessions)
        rounds.append(time.process_time() - start)
    return min(rounds) * 1000 / size


def _transcript(turns: list[tuple[Role, str | None, str]], at: datetime) -> tuple[Transcript, list[Piece]]:
    """The turns one below the other, as a reader would keep them."""
    body, pieces = "", []
    for role, speaker, text in turns:
        body += f"{speaker or role}: "
        pieces.append(Piece(role=role, text=text, start=len(body), end=len(body) + len(text), speaker=speaker, at=at))
        body += f"{text}\n\n"
    return Transcript(format="bench", body=body, pieces=tuple(pieces), observed_at=at), pieces


def _locomo() -> tuple[list[Session], list[Session]]:
    halves: tuple[list[Session], list[Session]] = ([], [])
    for number, store in enumerate(locomo.turns().stores):
        gold = frozenset().union(*(question.gold for question in store.questions))
        for name in dict.fromkeys(item.session for item in store.items):
            items = [item for item in store.items if item.session == name]
            turns = [(Role.PERSON, item.role, item.text.partition(": ")[2]) for item in items]
            made, pieces = _transcript(turns, datetime.fromisoformat(items[0].when).replace(tzinfo=UTC))
            marked = frozenset(n for n, item in enumerate(items) if item.id in gold)
            halves[number >= 5].append(Session(made, marked, pieces))
    return halves


def _longmemeval() -> tuple[list[Session], list[Session]]:
    gold: dict[str, set[int]] = {}
    halves: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for asked in lines("longmemeval", "questions.dev.jsonl.xz"):
        odd = int(sha256(asked["question_id"].encode()).hexdigest(), 16) % 2
        for session, turn in asked["gold_turns"]:
            gold.setdefault(session, set()).add(turn)
        halves[odd].update(dict.fromkeys(asked["answer_session_ids"]))
    told = {each["session_id"]: each for each in lines("longmemeval", "sessions.dev.jsonl.xz")}
    chosen = [_session(told[name], gold.get(name, set())) for name in halves[0]]
    return chosen, [_session(told[name], gold.get(name, set())) for name in halves[1] if name not in halves[0]]


def _session(told: dict, gold: set[int]) -> Session:
    at = datetime.strptime(told["date"], "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
    turns = [(_ROLES[turn["role"]], None, turn["content"]) for turn in told["turns"]]
    made, pieces = _transcript(turns, at)
    return Session(made, frozenset(gold), pieces)
