"""Text becomes word pieces: the tokenizer of BERT's uncased family, which every model here shares.

The steps are those the models were trained with: clean, put spaces around ideographs, take accents off, lower the case, split at
spaces and punctuation, then take the longest piece of the vocabulary that fits, again and again. Nothing in a text is a
command: `[SEP]` written by somebody is three ordinary pieces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import chain

_LONGEST_WORD = 100  # what is longer was unknown to the models in training too
_MOST_KEPT = 50_000  # words whose pieces are remembered: a few megabytes


class _Table(dict[int, str]):
    """What a character becomes, found out when it is first met; `str.translate` then reads it at full speed."""

    def __init__(self, become: Callable[[str], str]) -> None:
        self._become = become

    def __missing__(self, code: int) -> str:
        self[code] = found = self._become(chr(code))
        return found


def _clean(char: str) -> str:
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char)[0] == "C":  # before spaces: some controls count as both
        return ""
    if char.isspace():
        return " "
    return f" {char} " if _is_ideograph(ord(char)) else char


def _part(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Mn":
        return ""
    # Case is lowered character by character: a whole word would turn the Greek sigma at its end into another letter.
    return f" {char} " if kind[0] == "P" or char in "$+<=>^`|~" else char.lower()


_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


_cleaned, _split = _Table(_clean), _Table(_part)


def words_of(text: str) -> list[str]:
    """The words and punctuation marks of a text, as the models know them."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text.translate(_cleaned))
    elif not text.isprintable():
        text = text.translate(_cleaned)
    return text.translate(_split).split()


class WordPiece:
    """One vocabulary, ready to use from several threads."""

    def __init__(self, vocabulary: str) -> None:
        self._ids = {piece: n for n, piece in enumerate(vocabulary.split("\n"))}
        self.unknown, self.begin, self.end = (self._ids[mark] for mark in ("[UNK]", "[CLS]", "[SEP]"))
        self._known: dict[str, tuple[int, ...]] = {}

    def pieces(self, text: str, most: int) -> list[int]:
        """The first `most` pieces of a text, without the marks of begin and end."""
        known = self._known
        found: list[int] = []
        for word in words_of(text):
            found += known.get(word) or self._learn(word)
            if len(found) >= most:
                break
        return found[:most]

    def words(self, text: str, most: int) -> list[tuple[str, int, int]]:
        """Each word of `text`'s first `most` pieces, with the first of its pieces and the one behind its last."""
        found: list[tuple[str, int, int]] = []
        at = 0
        for word in words_of(text):
            pieces = len(self._known.get(word) or self._learn(word))
            if at + pieces > most:
                break
            found.append((word, at, at + pieces))
            at += pieces
        return found

    def text(self, text: str, most: int) -> list[int]:
        """A text between its marks, at most `most` pieces in all."""
        return [self.begin, *self.pieces(text, most - 2), self.end]

    def pair(self, first: str, second: str, most: int) -> tuple[list[int], list[int]]:
        """Two texts with their marks, and to which of the two each piece belongs. The second one is cut first."""
        head = [self.begin, *self.pieces(first, most // 2), self.end]
        tail = [*self.pieces(second, most - len(head) - 1), self.end]
        return head + tail, [0] * len(head) + [1] * len(tail)

    def _learn(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        self._known[word] = found = self._cut(word)
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        """The longest piece that fits, then the longest of the rest; a word that cannot be cut so is unknown as a whole."""
        found: list[int] = []
        start, size = 0, len(word)
        while start < size <= _LONGEST_WORD:
            ends = range(size, start, -1)
            prefix = "##" if start else ""
            end = next((end for end in ends if prefix + word[start:end] in self._ids), None)
            if end is None:
                return (self.unknown,)
            found.append(self._ids[prefix + word[start:end]])
            start = end
        return tuple(found) or (self.unknown,)


def vocabulary_of(tokens: dict[str, int]) -> str:
    """A vocabulary that came as numbered words, as lines in the order of the numbers."""
    return "".join(chain.from_iterable((word, "\n") for word in sorted(tokens, key=tokens.__getitem__)))
