"""Different words for the same thing: short forms written out, forms of a word brought together, the passive turned round.

Careful on purpose. Tense, doubt and quantity are never evened out: `used tabs` is not `uses tabs`.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Words that a statement can be said with or without.
_LIGHT = "a an the is are am be being been there that which who whom it do does also now currently actually just really"
LIGHT = frozenset(_LIGHT.split())
# Words that join others and tell nothing of what a statement is about.
_JOINING = """
    of on in to for with at from by as i my me we our us you your he she his her hers they their them and or but so if
    than then into onto about out up over under have were will would can could should may might must this these those what
    when where how why not like some any all every each very more most less least other own same too such while because
    through across between near behind down off around past since during after before along against ago lately recently already
    far still ever way get got go going think thing lot new good great user said per
"""
JOINING = frozenset(_JOINING.split())
_CONTRACTED = {"ve": " have", "re": " are", "m": " am", "ll": " will"}
_CANNOT = {"can": "can not", "won": "will not", "shan": "shall not", "ain": "is not"}

_ALIKE = {
    "men": "man", "women": "woman", "children": "child", "kids": "child", "kid": "child", "people": "person",
    "persons": "person", "someone": "person", "somebody": "person", "mice": "mouse", "feet": "foot", "has": "have",
    "was": "were", "repo": "repository", "repos": "repository", "db": "database", "config": "configuration",
    "configs": "configuration", "prod": "production", "env": "environment", "envs": "environment",
    "postgresql": "postgres", "js": "javascript", "ts": "typescript", "docs": "documentation", "doc": "documentation",
    "dir": "directory", "dirs": "directory", "folder": "directory", "folders": "directory", "large": "big",
    "begin": "start", "begins": "start", "beginning": "start", "favourite": "favorite", "colour": "color",
    "utilise": "use", "utilize": "use", "utilizes": "use", "utilises": "use", "lady": "woman", "ladies": "woman",
}  # fmt: skip
_PARTICIPLES = {
    "worn": "wear", "written": "write", "ridden": "ride", "driven": "drive", "taken": "take", "given": "give",
    "eaten": "eat", "drunk": "drink", "made": "make", "built": "build", "kept": "keep", "held": "hold", "cut": "cut",
    "run": "run", "read": "read", "sent": "send", "thrown": "throw", "broken": "break", "led": "lead", "fed": "feed",
    "sung": "sing", "shown": "show", "drawn": "draw", "owned": "own", "set": "set", "put": "put", "caught": "catch",
}  # fmt: skip
_PASSIVE = re.compile(
    r"(?i)^(?P<whom>[^,;]+?) (?:is|are) (?P<denial>(?:not|never) )?(?:being )?(?P<done>[a-z]+) by (?P<who>[^,;]+?)[.!]?$"
)
# What people say before they say it.
_LEAD_IN = re.compile(
    r"(?i)^(?:(?:oh|ok|okay|well|so|and|also|by the way|btw|fyi|for the record|just so you know)[,:] +"
    r"|(?:please +)?(?:note|remember)(?:[,:] +(?:that +)?| +that +))+"
)


def plain(text: str) -> str:
    """The text with its short forms written out and, where it is one, the passive turned round."""
    written = _LEAD_IN.sub("", text.strip().replace("’", "'"))
    written = re.sub(r"(?i)\b(can|won|shan|ain)'t\b", lambda found: _CANNOT[found[1].lower()], written)
    written = re.sub(r"(?i)n't\b", " not", written)
    written = re.sub(r"(?i)'(ve|re|m|ll)\b", lambda found: _CONTRACTED[found[1].lower()], written)
    written = re.sub(r"(?i)\bno longer\b", "not", re.sub(r"(?i)\b(?:any ?more)\b", "", written))
    return _active(re.sub(r"(?i)\bno one\b", "nobody", written))


def _active(text: str) -> str:
    """`The job is run by cron` is `cron run the job`."""
    found = _PASSIVE.match(text) if len(text) < 400 else None
    base = _base(found["done"].lower()) if found else None
    if not found or base is None:
        return text
    return f"{found['who']} {found['denial'] or ''}{base} {found['whom']}"


def _base(participle: str) -> str | None:
    if participle in _PARTICIPLES:
        return _PARTICIPLES[participle]
    if not participle.endswith("ed") or len(participle) < 5:
        return None
    return root(participle[:-2] + "ing")


@lru_cache(maxsize=32_768)
def root(word: str) -> str:
    """What the present forms of a word have in common; what is past stays past."""
    stem = _ALIKE.get(word, word)
    if not stem.isascii() or len(stem) < 4:
        return stem
    stem = _without_ing(_singular(stem))
    stem = stem.removesuffix("e") if len(stem) > 3 else stem
    return _ALIKE.get(stem, stem)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_ing(word: str) -> str:
    stem = word[:-3]
    if not word.endswith("ing") or len(stem) < 2 or not re.search("[aeiouy]", stem):
        return word
    is_doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
    return stem[:-1] if is_doubled else stem
