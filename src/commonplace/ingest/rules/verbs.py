"""English verbs, as far as `I prefer` must become `Alice prefers` and `I went` must stay `went`."""

from __future__ import annotations

from commonplace.ingest.rules.found import known

_SPECIAL = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes", "be": "be",
    "don't": "doesn't", "don’t": "doesn’t", "haven't": "hasn't", "haven’t": "hasn’t",
}  # fmt: skip
_STAYS = known("""
    is has does was had did can could will would should may might must shall cannot used ought went got made took saw came
    bought thought found told said gave knew felt left kept began ran wrote met paid sent built lost won spent grew
    sold heard held stood understood brought taught caught fought sought led read put set cut hit let quit cost bet
    spread shut hurt ate drank drove flew rode spoke broke chose woke wore swam sang sat slept fell forgot became
    threw drew shook stuck struck hung dug fed fled shot lit laid dealt meant lent bent burnt learnt dreamt spelt
    hid bit tore swore stole froze rose wound ground bound gotten been gone done seen taken given too
""")
_BASE = known("need feed speed proceed succeed exceed bleed breed seed embed heed weed")
_ADVERBS = known("""
    always never usually often sometimes just also still really already even only generally typically now currently
    recently actually once ever rarely mostly mainly almost then finally totally truly kinda honestly personally not
    definitely
""")
_NO_ADVERBS = known("rely apply reply supply fly comply")


def is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and word not in _NO_ADVERBS)


def third_person(verb: str) -> str:
    """The form behind a name; a past form, an auxiliary and what is no verb stay as they are."""
    low = verb.lower()
    if low in _SPECIAL:
        return _SPECIAL[low]
    if (
        low in _STAYS
        or low.endswith(("n't", "n’t", "ing"))
        or not low.isalpha()
        or (low.endswith("ed") and low not in _BASE)
    ):
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
