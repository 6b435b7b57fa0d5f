"""Who is `I`? A statement is read without its conversation, so the speaker's name takes the first person's place.

The first mention becomes the name, later ones `they`; all other words stay as they were said. Where `we` are more
people than the speaker, and the sentence is not about a project, it is kept word for word behind the name: `Alice
said: We moved to Oslo.`
"""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import known
from commonplace.ingest.rules.verbs import is_adverb, third_person
from commonplace.model.transcript import Piece, Role

_NAMELESS = frozenset(
    (
        "user",
        "human",
        "me",
        "you",
        "person",
        "operator",
        "customer",
        "client",
        "assistant",
        "agent",
        "ai",
        "bot",
        "model",
    )
)
_FIRST = re.compile(
    r"(?P<and>\band )?\b(?:(?P<i>I|i)(?P<short>['’](?:m|ve|d|ll)\b)?(?![\w'’-]|\.\w| (?:is|has|does)\b)|(?P<other>[Mm]y|[Mm]ine"
    r"|[Mm]yself|[Mm]e)\b(?![-'’]))"
    r"(?P<after>(?:[ ]+[a-z'’]+){0,3})"
)
_WE = re.compile(r"\b(?:[Ww]e|[Oo]ur|[Oo]urs|us|ourselves)\b(?!\.\w)")
_OF_US = {"we": "they", "our": "their", "ours": "theirs", "us": "them", "ourselves": "themselves"}
_I = re.compile(r"\b(?:[Ii](?=['’ ,.;!])|[Mm]y|[Mm]e|[Mm]yself|[Mm]ine)\b")
_LEADS = re.compile(
    r"""(?xi)^(?:(?:and\ )?(?:by\ the\ way|btw|oh|also|actually|anyway|well|yeah|yes|yep|yup|ok|okay|so|and|but|plus|no|nope
      |hmm+|haha|wow|hey
      |hi|hello|thanks|thank\ you|sure|great|speaking\ of\ (?:which|that)|fyi|honestly|in\ fact|of\ course
      |definitely|absolutely|right
      |guess\ what|you\ know|as\ for\ me|additionally|oh\ and|for\ the\ record)
      (?:\ (?!I\b|my\b|we\b|our\b)[A-Z][a-z]+)?[,!:—-]+\s+|(?:and|but|so|also|plus|oh)\s+(?=I\b|my\b|we\b|our\b
      |the\b))+"""
)
_THEY = {"m": "are", "ve": "have", "ll": "will", "d": "would"}
_IS = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
_HAD = known("been had gone done got gotten seen taken made never already")


def who(piece: Piece) -> str:
    """How the speaker is called in a sentence of its own."""
    name = (piece.speaker or "").strip()
    if 0 < len(name) <= 60 and name.isprintable() and name.lower() not in _NAMELESS and ":" not in name:
        return name
    return "the agent" if piece.role is Role.AGENT else "the user"


def self_contained(text: str, name: str, *, of_project: bool = False) -> str:
    """The sentence with the speaker's name in it, without what only led up to it."""
    said = " ".join(text.replace("**", "").split())
    said = said[lead.end() :] if (lead := _LEADS.match(said)) and len(said) - lead.end() > 12 else said
    ours, own = None if of_project else _WE.search(said), _I.search(said)
    if ours and not (own and own.start() < ours.start()):
        said = f"{_opened(name)} said: {_opened(said)}"
    elif own:
        said = _opened(_WE.sub(_as_they, _Naming(name).of(said)) if ours else _Naming(name).of(said))
    else:
        said = _opened(said)
    return said if not said[-1].isalnum() else f"{said}."


def _as_they(match: re.Match[str]) -> str:
    """`We` behind a name are the named one and others."""
    return _OF_US[match[0].lower()]


def _opened(text: str) -> str:
    return text[:1].upper() + text[1:]


class _Naming:
    """One sentence on its way from the first to the third person."""

    def __init__(self, name: str) -> None:
        self._name, self._was_named = name, False

    def of(self, text: str) -> str:
        return _FIRST.sub(self._replaced, text)

    def _replaced(self, match: re.Match[str]) -> str:
        before, after = match["and"] or "", match["after"] or ""
        if match["other"]:
            return before + self._owned(match["other"].lower()) + self.of(after)
        short = (match["short"] or "")[1:]
        if self._was_named:
            return before + "they" + self._they(short, after)
        self._was_named = True
        return before + self._name + (after if before and not short else self._verb(short, after))

    def _owned(self, word: str) -> str:
        named, self._was_named = self._was_named, True
        if word in ("my", "mine"):
            return ("their" if word == "my" else "theirs") if named else _possessive(self._name)
        return ("themselves" if word == "myself" else "them") if named else self._name

    def _they(self, short: str, after: str) -> str:
        if short:
            return f" {_short(short, after, _THEY)}{self.of(after)}"
        for verb, plural in (("am", "are"), ("was", "were"), ("wasn't", "weren't"), ("wasn’t", "weren’t")):
            if after.startswith(f" {verb}") and after[len(verb) + 1 : len(verb) + 2] in ("", " "):
                return f" {plural}" + self.of(after[len(verb) + 1 :])
        return self.of(after)

    def _verb(self, short: str, after: str) -> str:
        if short:
            return f" {_short(short, after, _IS)}{self.of(after)}"
        words = after.split(" ")
        for at, word in enumerate(words):
            if word and not is_adverb(word):
                words[at] = third_person(word)
                return " ".join(words[: at + 1]) + self.of("".join(f" {rest}" for rest in words[at + 1 :]))
        return after


def _short(short: str, after: str, full: dict[str, str]) -> str:
    following = after.split(" ")[1:2]
    if short == "d" and following and (following[0] in _HAD or following[0].endswith("ed")):
        return "had"
    return full[short]


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
