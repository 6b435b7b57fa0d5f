"""How a project does things: `we use`, `our convention is`, `in this repo we never`, `all migrations must`."""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found, Words, first, known, said
from commonplace.model.transcript import Role
from commonplace.model.words import Type

_DOES = (
    "use|deploy|run|store|name|keep|follow|ship|format|lint|release|merge|squash|rebase|tag|version"
    "|target|support|host|log|cache|import"
    "|write|track|test|document|commit|build|prefer|require|pin|avoid|review|branch|sign|publish|serve"
)
_WE = re.compile(
    rf"""(?xi)\b(?:we|the\ team|everyone\ here)\ (?:(?:all|always|never|usually|only|generally|currently|now|mostly
      |still|also|do\ not|don't|don’t)\ ){{0,2}}
      (?:{_DOES})(?P<s>s)?\ (?!to\b|it\b|them\b|up\b|each\ other|[a-z]+ing\b|that\ (?:to
      |as)\b)(?P<value>[^.!;]{{2,200}})"""
)
_OUR = re.compile(
    r"""(?xi)\b(?:our|the|this\ (?:project|repo|repository|team)'?s?)\ (?P<what>(?:[\w-]+\ ){0,3}(?:convention
      |conventions|policy|rule|rules|standard|standards|style|stack|practice|guideline|workflow|default)
      (?:\ (?:here|for\ [\w ]{2,40}|in\ this\ (?:repo|project)))?)\ (?:is|are)\ (?:that[ ]
      |to\ )?(?P<value>[^.!;]{3,200})"""
)
_HERE = re.compile(
    r"(?i)^(?:in|for) (?:this|our) (?:repo|repository|project|codebase|team)\b,? (?P<value>(?:we|always|never"
    r"|all|every|use)\b[^.!]{4,200})"
)
_MUST = re.compile(
    r"(?i)^(?P<value>(?:all|every|each|new|no) [\w` -]{2,60}? (?:must|should|has to|have to|needs? to|may) "
    r"(?:not |never |always )?(?:be|have|use|go|live|include|start|end|follow|pass|contain"
    r"|import)\b[^.!]{2,200})"
)

NEEDS: Words = known(
    "we team everyone convention conventions policy rule rules standard standards style stack practice"
    " guideline workflow default repo repository project codebase must should has have need needs may"
)
"""Without one of these words there is nothing to find."""

_RULES = (("our", _OUR, 0.8), ("here", _HERE, 0.8), ("we", _WE, 0.7), ("must", _MUST, 0.55))

# `Our convention` is one of many; `our branch naming convention` is one that can be changed.
_QUALIFIED = re.compile(
    r"(?i)(?!(?:general|only|main|first|golden)\b)[\w-]+ (?:[\w-]+ ){0,2}"
    r"(?:convention|policy|rule|standard|style|stack|workflow)s?$"
    r"|[\w -]{2,60} for "
)


def find(text: str, role: Role) -> Found | None:
    """The convention that a sentence states; an agent's word for it counts less, which is settled elsewhere."""
    for rule, pattern, confidence in _RULES:
        if rule == "must" and role is Role.AGENT:
            continue
        if (match := first(pattern, text)) is not None:
            what = said(match, "what")
            return Found(
                f"convention:{rule}",
                Type.PROJECT,
                "convention",
                confidence,
                subject=what if what and _QUALIFIED.match(what) else None,
                value=said(match, "value"),
                of_project=True,
            )
    return None
