"""Every pattern of ours takes time in proportion to the text, whatever stands in it (row 88)."""

from __future__ import annotations

import time

import pytest

from commonplace.model.terms import index_terms, query_terms
from commonplace.retrieve.asking import _ASKS_HOW_IT_WENT, _ASKS_WHAT_YOU_SAID, _ASKS_WHETHER, _LOOKS_BACK, _REQUEST
from commonplace.retrieve.evidence import evidence_for
from commonplace.retrieve.forms import forms_in
from commonplace.retrieve.freshest import _ASKS_A_VALUE, _ASKS_THE_PAST, _ASKS_WHAT_HOLDS_NOW, _TELLS_OF_A_CHANGE
from commonplace.retrieve.mentions import MENTION
from commonplace.retrieve.moments import _PHRASES
from commonplace.retrieve.passages import embedded_passages
from commonplace.retrieve.speech import is_conversation, is_spoken
from commonplace.retrieve.understand import understand
from commonplace.retrieve.vault import keywords
from commonplace.retrieve.wishes import _CONDITION, _STANDING, _WISH
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory

PIECES = [
    "a", "A", "Aa", "aA", " ", "\n", "1", "1 ", "may ", "1 of ", "of ", "the ", "last ", "a few ", "@", "@a", "@a-", '"', "„",
    "«", "“a", "'", "a'", "a-", "a.", "a_", "+", "a+", "C++", "#", "数", "数a", "ไ", "i ", "never ", "always when ", "how ",
    "how many ", "what steps ", "when i ask ",
    "2026-05-", "2026-", "Ann: ", "\u0301", "é", "ß", ". ", "? ", "\0", "\ud800", "x" * 50 + " ",
]  # fmt: skip

ASKING = (_REQUEST, _LOOKS_BACK, _ASKS_WHAT_YOU_SAID, _ASKS_HOW_IT_WENT, _ASKS_WHETHER)
VALUES = (_ASKS_A_VALUE, _ASKS_THE_PAST, _ASKS_WHAT_HOLDS_NOW, _TELLS_OF_A_CHANGE)
STEPS = {
    "understand": lambda text: understand(text, EPOCH),
    "moments": lambda text: [*_PHRASES.finditer(text)],
    "wishes": lambda text: [pattern.search(text) for pattern in (_WISH, _STANDING, _CONDITION)],
    "asking": lambda text: [pattern.search(text) for pattern in ASKING],
    "values": lambda text: [pattern.search(text) for pattern in VALUES],
    "mentions": MENTION.findall,
    "speaker": is_spoken,
    "conversation": is_conversation,
    "forms": forms_in,
    "terms": lambda text: (index_terms(text), query_terms(text)),
    "passages": embedded_passages,
}


def seconds(step, text):
    """The best of two: the machine is not ours alone."""
    taken = []
    for _ in range(2):
        started = time.process_time()
        step(text)
        taken.append(time.process_time() - started)
    return min(taken)


@pytest.mark.parametrize("step", STEPS)
def test_twice_the_text_takes_about_twice_the_time(step):
    for piece in PIECES:
        short, long = (piece * (length // len(piece)) for length in (2_500, 20_000))
        once, more = seconds(STEPS[step], short), seconds(STEPS[step], long)
        # Eight times the text; a quadratic step would take sixty-four times as long.
        assert more < max(24 * once, 0.01), f"{step} of {piece!r}: {once * 1000:.1f} ms, then {more * 1000:.1f} ms"
        assert more < 0.1, f"{step} of {piece!r}"


@pytest.mark.parametrize("piece", ["a ", "port ", "数", "x", "a. ", "\n"])
def test_quoting_and_counting_words_of_a_large_memory_is_quick(piece):
    record = a_memory("start " + piece * (60_000 // len(piece)))
    words = [f"port{n}" for n in range(30)] + ["a", "x", "port"]
    assert seconds(lambda _: evidence_for(record, words, 0, {}), "") < 0.3
    assert seconds(lambda _: keywords(record, "port " * 4000), "") < 0.1
