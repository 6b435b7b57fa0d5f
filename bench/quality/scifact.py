"""SciFact: 5,183 abstracts and 300 claims; an anchor against published retrieval numbers (CC BY 4.0, ODC-By 1.0)."""

from __future__ import annotations

from bench.quality.cases import Cases, Item, Question, Store, lines


def documents() -> Cases:
    items = tuple(
        Item(each["doc_id"], f"{each['title']}\n{' '.join(each['abstract'])}", each["doc_id"], "")
        for each in lines("scifact", "corpus.jsonl.xz")
    )
    questions = tuple(
        Question(each["claim_id"], each["claim"], "claim", frozenset(each["cited_doc_ids"]))
        for each in lines("scifact", "claims_dev300.jsonl.xz")
    )
    return Cases("scifact document", (Store("scifact", items, questions),))
