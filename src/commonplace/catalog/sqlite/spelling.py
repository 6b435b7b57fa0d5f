"""Which words of this book are near to a word that it does not hold? For typos, when nothing else was found.

One slip (a letter too many, too few, another one, two exchanged) can be anywhere, also at the beginning: every word that is
one slip away is made, and looked up. Two slips, in a long word, are looked for among the words that begin alike. The cost
is bounded by the length of the word, not by the size of the book.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

import apsw

from commonplace.catalog.sqlite import fresh, fulltext

# Shorter words have too many neighbours; longer ones are no words.
_SHORTEST, _LONGEST = 4, 40
_LONG = 8
# How far frequency is counted, and how many words that begin alike are compared.
_COUNTED = 1_000
_COMPARED = 3_000
_ALIKE = 3
# Of stems that are near, so many are looked up, in so many memories each.
_STEMS, _TEXTS = 8, 20
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"


def near(db: apsw.Connection, word: str, limit: int) -> list[str]:
    asked = word.lower()
    if not (_SHORTEST <= len(asked) <= _LONGEST and asked.isalpha()) or limit < 1:
        return []
    indexes = _indexes(db)
    if _count(db, indexes, asked):
        return []
    found = _held(db, indexes, _one_slip(asked))
    if not found and len(asked) >= _LONG:
        found = _held(db, indexes, _two_slips(db, indexes, asked))
    best = sorted(found, key=lambda each: (-found[each], each))[:limit]
    return [_as_written(db, indexes, each) for each in best]


def _indexes(db: apsw.Connection) -> list[str]:
    upto = fresh.upto(db)
    if not fresh.any_waiting(db):
        return ["memories_fts"]
    fulltext.gather_fresh(db, upto)
    return ["memories_fts", "fresh_fts"]


def _held(db: apsw.Connection, indexes: list[str], words: Iterable[str]) -> dict[str, int]:
    """How many memories hold each of these words, without those that none holds; of forms of one word only the first."""
    stem_of = _stems(db, [*words])
    there = {stem for index in indexes for stem in _present(db, index, {*stem_of.values()})}
    found: dict[str, int] = {}
    for word, stem in stem_of.items():
        count = _count(db, indexes, word) if stem in there else 0
        if count:
            there.discard(stem)
            found[word] = count
    return found


def _stems(db: apsw.Connection, words: list[str]) -> dict[str, str]:
    """Of each word. All are told to the tokenizer at once; if it sees other words in that than we do, one by one."""
    told = [*_stemmed(db, " ".join(words))]
    return dict(told) if [word for word, _ in told] == words else {word: _stem(db, word) for word in words}


def _present(db: apsw.Connection, index: str, stems: Iterable[str]) -> set[str]:
    """Those that an index may hold. Stems and index lie in the same order, and most stems in one gap between two words of the
    book: one look leaps over them all, where to ask for each of four hundred takes ten times as long."""
    ordered, words, found, at = sorted(stems), _words_of(db, index, "instance"), set(), 0
    while at < len(ordered):
        term: Any = db.execute(f"SELECT term FROM {words} WHERE term >= ? LIMIT 1", (ordered[at],)).get
        if term is None:
            break
        if term == ordered[at]:
            found.add(term)
        at = bisect_left(ordered, term, at + 1)
    return found


def _words_of(db: apsw.Connection, index: str, kind: str) -> str:
    """The table of an index's own words."""
    name, place = f"temp.{kind}_of_{index}", "temp" if index == "fresh_fts" else "main"
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {name} USING fts5vocab('{place}', '{index}', '{kind}')")
    return name


def _count(db: apsw.Connection, indexes: list[str], word: str) -> int:
    return sum(
        int(
            db.execute(
                f"SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {index} MATCH ? LIMIT ?)", (f'"{word}"', _COUNTED)
            ).get
        )
        for index in indexes
    )


def _one_slip(word: str) -> Iterator[str]:
    """Every word that becomes this one by a single slip, the likeliest slips first."""
    letters = _alphabet(word)
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    made = dict.fromkeys(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1)
    made.update(dict.fromkeys(a + b[1:] for a, b in cuts if b))
    made.update(dict.fromkeys(a + letter + b for a, b in cuts for letter in letters))
    made.update(dict.fromkeys(a + letter + b[1:] for a, b in cuts if b for letter in letters))
    return (each for each in made if each != word)


def _alphabet(word: str) -> str:
    for letters in (_CYRILLIC, _GREEK):
        if any(letter in letters for letter in word):
            return letters
    return _LATIN


def _two_slips(db: apsw.Connection, indexes: list[str], word: str) -> Iterator[str]:
    """Words of the book that begin alike and are at most two slips away. The index knows stems, so those are met first."""
    for index in indexes:
        rows: list[Any] = db.execute(
            f"SELECT term FROM {_words_of(db, index, 'row')} WHERE term >= ? AND term < ? LIMIT ?",
            (word[:_ALIKE], word[:_ALIKE] + "\U0010ffff", _COMPARED),
        ).fetchall()
        near = sorted((distance, term) for (term,) in rows if (distance := slips(term, word, begins=True)) <= 2)
        for _, term in near[:_STEMS]:
            yield from (form for form in _forms(db, index, term) if slips(form, word) <= 2)


def slips(one: str, other: str, *, most: int = 2, begins: bool = False) -> int:
    """How many slips lie between two words, or with `begins` between one and how the other begins; `most + 1` for more."""
    if len(one) - len(other) > most or (not begins and len(other) - len(one) > most):
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        current = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > most:
            return most + 1
        before, row = row, current
    return min(min(row) if begins else row[-1], most + 1)


def _forms(db: apsw.Connection, index: str, term: str) -> list[str]:
    """How a stem is written in some memories that hold it."""
    rows: list[Any] = db.execute(
        "SELECT coalesce(title, '') || ' ' || coalesce(summary, '') || ' ' || content"
        f" FROM {index} WHERE {index} MATCH ? LIMIT ?",
        (f'"{term}"', _TEXTS),
    ).fetchall()
    words = (pair for (text,) in rows for pair in _stemmed(db, text))
    return list(dict.fromkeys(word for word, stem in words if stem == term))


def _as_written(db: apsw.Connection, indexes: list[str], word: str) -> str:
    """A word may be held only in another form; that form is what a reader knows."""
    forms = [form for index in indexes for form in _forms(db, index, _stem(db, word))]
    return word if word in forms or not forms else min(forms, key=lambda form: (slips(form, word), form))


def _stemmed(db: apsw.Connection, text: str) -> Iterator[tuple[str, str]]:
    """Each word of a text, as it is written in lower case, and its stem."""
    raw = text.encode()
    for start, end, *stems in _tokenizer(db)(raw, apsw.FTS5_TOKENIZE_DOCUMENT, None):
        yield raw[start:end].decode("utf-8", "replace").lower(), stems[0]


def _stem(db: apsw.Connection, word: str) -> str:
    return next((stem for _, stem in _stemmed(db, word)), word)


def _tokenizer(db: apsw.Connection) -> Any:
    name, *options = fulltext.TOKENIZER.split()
    return db.fts5_tokenizer(name, options)
