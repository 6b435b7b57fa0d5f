"""A book as a plain dictionary: the rules of every verb written down a second time, without a database and without the engine.

Each verb returns None when it is done (or changes nothing), or the kind of the error a real book must answer with.
Things are dictionaries of the fields that rules speak of; a change remembers a thing before and after.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

RANK = {"operator": 4, "curated": 3, "agent": 2}
LIVE = ("active", "inbox")
AWAY = ("archived", "deleted", "contradicted")

Key = tuple[str, Any]
Thing = dict[str, Any] | None


@dataclass
class Op:
    """One entry of the journal, as the model sees it."""

    id: str
    verb: str
    trust: str
    changes: list[tuple[Key, Thing, Thing]]
    run: str | None = None
    purged: bool = False
    reverts: set[str] = field(default_factory=set)


@dataclass
class PlainBook:
    things: dict[Key, dict[str, Any]] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    """Ids of memories in the order in which they were learnt."""
    keys: dict[str, tuple[Any, str]] = field(default_factory=dict)
    snapshots: list[tuple[Any, dict[str, dict[str, Any]]]] = field(default_factory=list)
    changes: list[tuple[Key, Thing, Thing]] = field(default_factory=list)
    """What the verb being performed has changed; empty when it changed nothing."""
    reverts: set[str] = field(default_factory=set)
    """And which operations it undoes."""

    # -- looking -------------------------------------------------------------------------------------------------------

    def memory(self, id: str) -> dict[str, Any] | None:
        return self.things.get(("memory", id))

    def memories(self) -> dict[str, dict[str, Any]]:
        return {id: self.things["memory", id] for id in self.order}

    def links(self) -> set[tuple[str, str, str]]:
        return {key[1] for key in self.things if key[0] == "link"}

    def conflicts(self) -> set[tuple[frozenset[str], bool]]:
        """The sides of each, and whether it is still open."""
        return {(thing["sides"], thing["open"]) for key, thing in self.things.items() if key[0] == "conflict"}

    def twin(self, wanted: dict[str, Any]) -> str | None:
        same = ("words", "type", "project")
        for id, held in self.memories().items():
            if held["status"] in LIVE and all(held[name] == wanted[name] for name in same):
                return id
        return None

    def _absent(self, id: str, expect: str | None = None) -> str | None:
        held = self.memory(id)
        if held is None:
            return "not_found"
        return "stale" if expect is not None and expect != held["words"] else None

    # -- changing ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        self.changes, self.reverts = [], set()

    def _put(self, key: Key, thing: Thing) -> None:
        before = deepcopy(self.things.get(key))
        if thing is None:
            self.things.pop(key, None)
        else:
            self.things[key] = thing
            if key[0] == "memory" and key[1] not in self.order:
                self.order.append(key[1])
        self.changes.append((key, before, deepcopy(thing)))

    def _change(self, id: str, **fields: Any) -> None:
        held = self.memory(id)
        assert held is not None
        self._put(("memory", id), held | fields)

    def _link(self, from_id: str, relation: str, to_id: str) -> None:
        key = ("link", (from_id, relation, to_id))
        if key not in self.things:
            self._put(key, {"made": len(self.ops)})

    def done(self, id: str, verb: str, trust: str, run: str | None = None) -> None:
        """The real book has signed it with this id."""
        self.ops.append(Op(id, verb, trust, self.changes, run, reverts=self.reverts))

    # -- the verbs -----------------------------------------------------------------------------------------------------

    def described(self, trust: str, asked: dict[str, Any]) -> dict[str, Any]:
        status, reason = "active", None
        if asked["type"] == "decision" and not asked["rationale"]:
            status, reason = "inbox", "no ground"
        elif asked["type"] == "profile" and RANK[trust] <= RANK["agent"]:
            status, reason = "inbox", "profile from an agent"
        return {
            "content": asked["content"], "words": normal(asked["content"]), "type": asked["type"],
            "project": asked["project"], "tags": tuple(asked["tags"]), "rationale": asked["rationale"], "status": status,
            "reason": reason, "trust": trust, "occurrences": 1, "supersedes": None, "superseded_by": None, "deleted": None,
            "name": None,
        }  # fmt: skip

    def save(self, trust: str, asked: dict[str, Any], new_id: str) -> str | None:
        """`new_id` is what a new memory would be called."""
        key = asked["key"]
        if key in self.keys:
            return None if self.keys[key][0] == asked else "conflict"
        wanted = self.described(trust, asked)
        if asked["supersedes"]:
            answer = self._replace(trust, asked["supersedes"], wanted, new_id, None)
            if answer is None and key:
                self.keys[key] = (asked, new_id)
            return answer
        twin = self.twin(wanted)
        if twin is None:
            self._put(("memory", new_id), wanted)
        else:
            self._reinforce(twin, wanted)
        if key:
            self.keys[key] = (asked, twin or new_id)
        return None

    def _reinforce(self, id: str, wanted: dict[str, Any]) -> None:
        held = self.memories()[id]
        fields: dict[str, Any] = {"occurrences": held["occurrences"] + 1}
        if RANK[wanted["trust"]] > RANK[held["trust"]]:
            fields["trust"] = wanted["trust"]
        if held["status"] == "inbox" and wanted["status"] == "active":
            fields |= {"status": "active", "reason": None}
            old = self.memory(held["supersedes"]) if held["supersedes"] else None
            if old is not None and old["status"] == "active" and RANK[wanted["trust"]] >= RANK[old["trust"]]:
                self._supersede(held["supersedes"], id, "what was proposed was said again")
        if not held["rationale"] and wanted["rationale"]:
            fields["rationale"] = wanted["rationale"]
        fields["tags"] = (*held["tags"], *(tag for tag in wanted["tags"] if tag not in held["tags"]))
        self._change(id, **fields)

    def evolve(self, trust: str, id: str, content: str, reason: str, expect: str | None, new_id: str) -> str | None:
        refused = self._absent(id, expect)
        if refused:
            return refused
        old = self.memories()[id]
        rationale = reason if old["type"] == "decision" else None
        asked = old | {"content": content, "rationale": rationale}
        return self._replace(trust, id, self.described(trust, asked), new_id, reason)

    def _replace(self, trust: str, id: str, new: dict[str, Any], new_id: str, reason: str | None) -> str | None:
        old = self.memory(id)
        if old is None:
            return "not_found"
        if old["status"] != "active":
            return "stale" if old["status"] == "superseded" else "conflict"
        if old["words"] == new["words"]:
            return "invalid"
        new["supersedes"] = id
        if new["status"] == "active" and RANK[trust] >= RANK[old["trust"]]:
            self._supersede(id, new_id, reason)
            self._put(("memory", new_id), new)
        else:
            new |= {"status": "inbox", "reason": new["reason"] or f"would replace {old['trust']}"}
            self._put(("memory", new_id), new)
        return None

    def _supersede(self, old: str, new: str, reason: str | None) -> None:
        self._change(old, status="superseded", superseded_by=new, reason=reason)
        self._link(new, "supersedes", old)

    def link(self, from_id: str, relation: str, to_id: str) -> str | None:
        if self._absent(from_id) or self._absent(to_id):
            return "not_found"
        if from_id == to_id:
            return "invalid"
        self._link(from_id, relation, to_id)
        return None

    def unlink(self, trust: str, from_id: str, relation: str, to_id: str) -> str | None:
        key = ("link", (from_id, relation, to_id))
        if key not in self.things:
            return "not_found"
        last = next(op for op in reversed(self.ops) if any(change[0] == key for change in op.changes))
        if RANK[last.trust] > RANK[trust]:
            return "denied"
        self._put(key, None)
        return None

    def contradict(self, one: str, other: str, new_id: str) -> str | None:
        if self._absent(one) or self._absent(other):
            return "not_found"
        if one == other:
            return "invalid"
        if (frozenset((one, other)), True) not in self.conflicts():
            self._put(("conflict", new_id), {"sides": frozenset((one, other)), "open": True})
            self._link(one, "contradicts", other)
            self._link(other, "contradicts", one)
        return None

    def put_away(self, trust: str, id: str, status: str, reason: str | None, expect: str | None) -> str | None:
        refused = self._absent(id, expect)
        if refused:
            return refused
        held = self.memories()[id]
        if held["status"] == status:
            return None
        if RANK[held["trust"]] > RANK[trust]:
            return "denied"
        if held["status"] == "deleted":
            return "conflict"
        deleted = len(self.ops) if status == "deleted" else held["deleted"]
        self._change(id, status=status, reason=reason, deleted=deleted)
        return None

    def restore(self, trust: str, id: str, expect: str | None) -> str | None:
        refused = self._absent(id, expect)
        if refused:
            return refused
        held = self.memories()[id]
        if held["status"] == "active":
            return None
        bereft = held["status"] == "superseded" and self.memory(held["superseded_by"]) is None
        if held["status"] in ("inbox", "superseded") and not bereft:
            return "conflict"
        before, away = self._before(id)
        if away is not None and RANK[away.trust] > RANK[trust]:
            return "denied"
        old = self.memory(held["supersedes"]) if held["supersedes"] else None
        if before == "active" and old is not None and old["status"] == "active":
            if RANK[old["trust"]] > RANK[trust]:
                return "denied"
            self._supersede(held["supersedes"], id, "what replaced it was restored")
        freed = {"superseded_by": None} if bereft else {}
        self._change(id, status=before, reason=None, deleted=None, **freed)
        return None

    def _before(self, id: str) -> tuple[str, Op | None]:
        away = None
        for op in reversed(self.ops):
            for key, before, after in op.changes:
                if key != ("memory", id) or before is None or after is None or before["status"] == after["status"]:
                    continue
                away = away or op
                if before["status"] not in AWAY:
                    return before["status"], away
        return "active", away

    def confirm(self, trust: str, id: str, rationale: str | None, expect: str | None) -> str | None:
        refused = self._absent(id, expect)
        if refused:
            return refused
        held = self.memories()[id]
        if held["status"] == "active":
            return None
        refused = self._unreviewable(trust, held)
        if refused:
            return refused
        if held["type"] == "decision" and not (held["rationale"] or rationale):
            return "conflict"
        old = self.memory(held["supersedes"])
        if old and old["status"] == "active":
            if RANK[old["trust"]] > RANK[trust]:
                return "denied"
            self._supersede(held["supersedes"], id, held["reason"])
        lifted = "curated" if RANK[held["trust"]] <= RANK["agent"] else held["trust"]
        self._change(id, status="active", reason=None, rationale=rationale or held["rationale"], trust=lifted)
        return None

    def reject(self, trust: str, id: str, expect: str | None) -> str | None:
        refused = self._absent(id, expect) or self._unreviewable(trust, self.memories()[id])
        if not refused and RANK[self.memories()[id]["trust"]] > RANK[trust]:
            return "denied"
        if not refused:
            self._change(id, status="archived", reason="rejected")
            for key, thing in [*self.things.items()]:
                if key[0] == "conflict" and id in thing["sides"] and thing["open"]:
                    self._put(key, thing | {"open": False})
        return refused

    def _unreviewable(self, trust: str, held: dict[str, Any]) -> str | None:
        if held["status"] != "inbox":
            return "conflict"
        return None if RANK[trust] > RANK["agent"] else "denied"

    def adopt(self, id: str, thing: dict[str, Any], key: str = "memory") -> None:
        """Something came in by an import."""
        self._put((key, id), thing)

    # -- undoing and destroying ----------------------------------------------------------------------------------------

    def revert_run(self, trust: str, run: str) -> str | None:
        """What is left of it to undo; if nothing is, all of it is refused."""
        whole = [op for op in self.ops if op.run == run]
        left = [op for op in whole if not (op.purged and not op.changes) and not self._is_undone(op)]
        # What only noted a source has nothing to undo here, and says nothing of the rest of its run.
        return self.revert(trust, left if any(op.changes for op in left) else whole)

    def _is_undone(self, op: Op) -> bool:
        undone: set[str] = set()
        for later in reversed(self.ops):
            if later.id not in undone:
                undone |= later.reverts
        return op.id in undone

    def revert(self, trust: str, targets: list[Op]) -> str | None:
        targets = self._with_derived(targets)
        self.reverts = {op.id for op in targets}
        for op in targets:
            if op.purged or op.verb == "purge":
                return "conflict"
            if RANK[op.trust] > RANK[trust]:
                return "denied"
        after: dict[Key, Thing] = {}
        for op in reversed(targets):
            for key, before, made in reversed(op.changes):
                now = after.get(key, self.things.get(key))
                if self._moved_on(now, before, made):
                    return "conflict"
                after[key] = self._earlier(key, now, before, made)
        if not after:
            return "conflict"  # there is nothing left to undo
        for key, thing in after.items():
            self._put(key, thing)
        return None

    @staticmethod
    def _moved_on(now: Thing, before: Thing, made: Thing) -> bool:
        if now is None or made is None:
            return now is not made
        touched = made if before is None else [name for name in made if made[name] != before[name]]
        return any(now[name] != made[name] for name in touched)

    def _earlier(self, key: Key, now: Thing, before: Thing, made: Thing) -> Thing:
        if before is None:
            if key[0] != "memory" or now is None:
                return None
            return now | {"status": "deleted", "deleted": len(self.ops), "reason": "reverted"}
        touched = before if made is None else [name for name in before if made[name] != before[name]]
        return (now or {}) | {name: before[name] for name in touched}

    def _with_derived(self, targets: list[Op]) -> list[Op]:
        found, queue = [*targets], [*targets]
        while queue:
            for key, before, _ in queue.pop().changes:
                if key[0] == "memory" and before is None:
                    for maker in self._makers_of_derived(key[1]):
                        if maker not in found:
                            found.append(maker)
                            queue.append(maker)
        return sorted(found, key=self.ops.index)

    def _makers_of_derived(self, id: str) -> list[Op]:
        living = {("memory", d) for d in self._derived_from(id) if self.memories()[d]["status"] != "deleted"}
        return [op for op in self.ops if any(key in living and before is None for key, before, _ in op.changes)]

    def _derived_from(self, id: str) -> list[str]:
        """As far as whoever drew the link could have put them away."""
        found = [key for key in self.things if key[0] == "link" and key[1][1:] == ("derived_from", id)]
        return [key[1][0] for key in found if self._may_take_along(key)]

    def _may_take_along(self, key: Key) -> bool:
        drawn = next(op for op in reversed(self.ops) if any(change[0] == key for change in op.changes))
        return RANK[drawn.trust] >= RANK[self.memories()[key[1][0]]["trust"]]

    def purge(self, trust: str, id: str) -> str | None:
        if trust != "operator":
            return "denied"
        if self._absent(id):
            return "not_found"
        gone = self.lineage(id)
        for key in [key for key in self.things if self._speaks_of(key, self.things[key], gone)]:
            del self.things[key]
        self.order = [other for other in self.order if other not in gone]
        self.keys = {key: value for key, value in self.keys.items() if value[1] not in gone}
        for op in self.ops:
            left = [c for c in op.changes if not self._speaks_of(c[0], c[1] or c[2], gone)]
            if len(left) < len(op.changes):
                op.changes, op.purged = left, True
        for _, held in self.snapshots:
            for other in gone:
                held.pop(other, None)
        self.changes = [(("memory", id), None, None)]
        return None

    def lineage(self, id: str) -> set[str]:
        gone, size = {id}, 0
        while size != len(gone):
            size = len(gone)
            gone |= {derived for id in gone for derived in self._derived_from(id)}
        return gone

    @staticmethod
    def _speaks_of(key: Key, thing: Thing, gone: set[str]) -> bool:
        if key[0] == "memory":
            return key[1] in gone
        if key[0] == "link":
            return bool({key[1][0], key[1][2]} & gone)
        return bool((thing or {}).get("sides", frozenset()) & gone)


def normal(text: str) -> str:
    """A70, in other words than the real one: what counts of a text when two are compared."""
    lines = text.replace("\r\n", "\n").split("\n")
    kept = [" ".join(line.split()).casefold() for line in lines]
    return "\n".join(line for line in kept if line)
