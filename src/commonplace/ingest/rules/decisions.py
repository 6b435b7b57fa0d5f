"""What was decided, why, and instead of what: `let's go with Postgres because we know it, instead of MySQL`."""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found, Words, first, known, said
from commonplace.model.words import Type

_DECIDED = re.compile(
    r"""(?xi)\b(?P<who>we|i|the\ team)(?:'ve|’ve|\ have|\ finally|\ just|\ all|\ already|\ also)*\ (?:decided|agreed
      |chose|settled|opted|elected|concluded|standardi[sz]ed)[ ]
      (?!with\ (?:you|him|her|them)\b)(?P<what>(?:to|on|for|against|that|not|upon)?\b[^.!;]{3,300})"""
)
_GOING = re.compile(
    r"""(?xi)\b(?P<who>we)(?:'re|’re|\ are|'ll|’ll|\ will)\ (?:now\ )?(?:(?:going|go|sticking|stick|staying
      |stay)\ with|(?:switching|switch|moving|move|migrating|migrate)\ (?:over\ )?(?:to|from)|not\ going\ to\ use
      |dropping|drop|adopting|adopt|using|use)\ (?P<what>[^.!;]{2,300})
    | \b(?P<who2>we|i)(?:'ve|’ve|\ have)?\ (?:went\ with|switched\ (?:over\ )?(?:to|from)|migrated\ (?:to|from)
      |picked|adopted|replaced|dropped|ruled\ out|rejected)\ (?P<what2>[^.!;]{2,300})"""
)
_LETS = re.compile(
    r"(?i)^(?:(?:ok|okay|yes|yeah|right|alright|so|great|good|then|sure|perfect)[, ]+)*(?:let's|let’s|lets"
    r"|let us) (?:just |please )?(?:go with|use|stick with|stay with|switch to|move to|keep (?!\w+ing\b|at\b"
    r"|each other|it\b|up\b|in touch|our heads|the (?:good|great|momentum))|adopt|drop|pick|choose|not use"
    r"|avoid|standardi[sz]e on) ?(?P<what>[^.!]{3,300})"
)
_NOTED = re.compile(
    r"(?i)^\W{0,4}(?:decision|decided|resolved|resolution|adr)\W{0,3}(?::|—| - )\W{0,3}(?P<what>[^\n]{6,400})"
)
_THE = re.compile(r"(?i)\bthe (?:final )?decision (?:is|was) (?:to |that )?(?P<what>[^.!;]{4,300})")
_WHY = re.compile(
    r"(?i)\b(?:because(?: of)?|since|so that|due to|in order to|as it|as they|as we|to avoid|for the sake of"
    r"|given that|thanks to)\b(?P<why>.{3,240}?)(?=,? (?:instead of|rather than|over)\b|[.!;]|$)"
)
_INSTEAD = re.compile(
    r"(?i)\b(?:instead of|rather than|in favou?r of|as opposed to|over)\s+(?P<what>[^,.;!]{2,80}?)(?=\s"
    r"(?:because|since|so that|due to|as it|given)\b|[,.;!]|$)"
)

NEEDS: Words = known(
    "decided agreed chose settled opted elected concluded standardized standardised we're we'll we let's"
    " lets us decision resolved resolution adr went switched migrated picked adopted replaced dropped"
    " ruled rejected"
)
"""Without one of these words there is nothing to find."""

_RULES = (
    ("noted", _NOTED, 0.85),
    ("decided", _DECIDED, 0.8),
    ("the-decision", _THE, 0.8),
    ("lets", _LETS, 0.75),
    ("going", _GOING, 0.6),
)


def find(text: str) -> Found | None:
    """The decision that a sentence states, with its reason and what was turned down."""
    for rule, pattern, confidence in _RULES:
        if (match := first(pattern, text)) is not None:
            return _found(rule, match, confidence)
    return None


def _found(rule: str, match: re.Match[str], confidence: float) -> Found:
    text, what = match.string, said(match, "what", "what2") or ""
    rationale = rationale_of(text)
    personal = (said(match, "who", "who2") or "we").lower() == "i"
    return Found(
        f"decision:{rule}",
        Type.DECISION,
        "decision",
        min(0.95, confidence + 0.1 * bool(rationale)) - 0.1 * personal,
        value=_WHY.split(what)[0].strip(" ,") or None,
        rationale=rationale,
        of_project=not personal,
    )


def rationale_of(text: str) -> str | None:
    """Why, in the sentence's own words, and what was considered beside it."""
    why, instead = _WHY.search(text), _INSTEAD.search(text)
    parts = [why[0].strip(" ,.")] if why else []
    if instead:
        parts.append(f"instead of {instead['what'].strip()}")
    return "; ".join(parts) or None


def explains(text: str) -> bool:
    """Does this sentence give the reason for the one before it?"""
    return bool(re.match(r"(?i)(?:because|since|reason|rationale|why|the (?:main )?reason)\b", text))
