"""How something is done, and how it was fixed: `to deploy, run make ship`, `fixed by pinning numpy`."""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found, Words, first, known, said
from commonplace.model.words import Type

_DO = (
    "run|use|call|type|execute|open|set|add|edit|delete|remove|create|restart|start|stop|install|press"
    "|click|go to|push|pull|merge|tag|copy|export|source|pass|enable|disable|bump|ssh|check|update|apply"
    "|rebuild|clear|launch|invoke"
)
_TO = re.compile(
    rf"(?i)^(?:(?:so|also|and|note)[, :]+)*(?:(?:in order )?to|when(?:ever)? you (?:want|need) to|if you "
    rf"(?:want|need) to) (?P<what>[a-z][\w`'’/ .-]{{2,80}}?),? (?:then |you (?:must |need to |have to |should "
    rf"|can )?|just |first |simply |please |always )*(?P<value>(?:{_DO})\b[^\n]{{3,300}})"
)
_BEFORE = re.compile(
    rf"(?i)^(?:always |please )?(?P<value>(?:{_DO}) [^.!]{{2,120}} (?:before|after|whenever|when|every time"
    rf"|first,?) (?:you |we )?[^.!]{{4,160}})"
)
_WHEN = re.compile(
    rf"(?i)^(?:if|when(?:ever)?) (?P<what>[^,]{{4,120}}?(?:fails?|breaks?|crash(?:es)?|hangs?|errors?"
    rf"|times? out|is stuck|is down|complains?|is missing)[^,]{{0,60}}),? (?:then |you (?:must |need to "
    rf"|have to |should |can )?|just |first |try )*(?P<value>(?:{_DO})\b[^\n]{{3,240}})"
)
_FIXED = re.compile(
    r"""(?xi)(?:^|\b(?:was|were|is|got|been|i|we|this|that|it)\ |[,;:]\ )(?:fixed|solved|resolved|worked\ around
      |repaired|cured)(?:\ (?:it|this|that|the\ [\w -]{2,60}?))?\ (?:by|with|via)\ (?P<value>[^.!]{3,300})
    | \b(?:the\ )?(?:fix|solution|workaround|cure|trick|answer)\ (?:is|was|turned\ out\ to\ be)\ (?:to[ ]
      |that\ )?(?!that\ simple)(?P<value2>[^.!]{4,300})
    | ^(?:fix|solution|workaround):\ (?P<value3>[^\n]{4,300})"""
)
_CAUSE = re.compile(
    r"(?i)\b(?:the |our |real |root )+(?:cause|problem|issue|culprit|bug) (?:is|was|turned out to be) (?:that "
    r"|caused by |because )?(?!solved|fixed|gone|resolved|that simple|with you|when\b)(?P<value>[^.!]{6,300})"
)
_FAILS = re.compile(
    r"(?i)\b(?:fail(?:s|ed|ing)? (?:with|because|on|when|to|due)|error:|errors? (?:out|with)|exception|crash"
    r"(?:es|ed)|broke(?:n)?|time[sd]? out|doesn't work|does not work|stopped working|traceback|hangs"
    r"|keeps failing|segfault|\w*Error\b|refused)"
)


NEEDS: Words = known(
    "run restart install fixed solved resolved worked repaired cured fix solution workaround cure trick"
    " answer cause culprit bug"
    " problem issue before after"
)
"""Without one of these words there is nothing to find."""


def find(text: str) -> Found | None:
    """The procedure, the fix or the cause that a sentence states."""
    for rule, pattern, kind, confidence in _RULES:
        match = first(pattern, text) if not pattern.pattern.startswith("(?i)^") else pattern.search(text)
        if match is not None:
            return _found(rule, match, kind, confidence)
    return None


_RULES = (
    ("to-do", _TO, "workflow", 0.7),
    ("when-it-fails", _WHEN, "known-issue", 0.7),
    ("fixed-by", _FIXED, "known-issue", 0.7),
    ("cause", _CAUSE, "known-issue", 0.6),
    ("before-after", _BEFORE, "workflow", 0.55),
)


def _found(rule: str, match: re.Match[str], kind: str, confidence: float) -> Found:
    return Found(
        f"procedure:{rule}",
        Type.ARTIFACT,
        kind,
        confidence,
        subject=said(match, "what"),
        value=said(match, "value", "value2", "value3"),
        of_project=True,
    )


def is_failure(text: str) -> bool:
    """Does the sentence tell of something that does not work? A fix behind it belongs to it."""
    return bool(_FAILS.search(text)) and not text.lower().startswith(("if ", "when"))
