"""What a person says happened, or is going to: `I went to a support group yesterday`, `we're flying on Friday`."""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found, Words, first, known
from commonplace.model.words import Type

_INNER = (
    "thought|felt|hoped|wanted|meant|wondered|said|told|heard|noticed|guessed|agreed|imagined"
    "|appreciated|liked|wished|needed|asked|mentioned|figured|forgot|knew|believed|understood|loved"
    "|hated|expected|tried|used"
)
_ADVERB = (
    r"(?:just|recently|finally|also|actually|even|once|already|only|both|then|first|originally"
    r"|accidentally|initially|ended\ up|[a-z]+ly)"
)
_DID = re.compile(
    rf"""(?xi)\b(?P<who>i|we)\ (?:{_ADVERB}\ ){{0,2}}(?!(?:{_INNER})\b)(?P<did>[a-z]{{2,}}ed|went|got|made|took|saw
      |came|bought|found|gave|left|kept|began|ran|wrote|met|paid|sent|built|lost|won
      |spent|grew|sold|held|brought|taught|caught|led|read|put|set|cut|quit|ate|drank|drove|flew|rode|spoke|broke
      |chose|swam|sang|sat|slept|fell|became|threw|drew|had|was|did|hit|tried|used\ to)[ ]
      (?!to\ (?:know|say|ask|hear)\b|wondering|thinking\b|just\ thinking|glad|sorry|happy\ (?:to
      |for|that)|able|so\ |really\ |very\ |it\b[.!]?$)(?P<what>[^.!;]{{3,240}})"""
)
_WILL = re.compile(
    r"""(?xi)\b(?P<who>i|we)(?:'m|’m|\ am|'re|’re|\ are)\ (?:also\ |actually\ |still\ |currently[ ]
      |finally\ )?(?:going\ to|gonna|planning|hoping\ to|looking\ forward\ to|about\ to|set\ to|scheduled|signed\ up
      |excited\ (?:to|about|for)|headed|heading|thinking\ (?:of|about)|considering|looking\ (?:to|for|into|at)
      |trying\ to|working\ on)\ (?!hear|see\ you|know)(?P<what>[^.!;]{4,240})
    | \b(?P<who2>i|we)(?:'ll|’ll|\ will|\ plan\ to|\ want\ to|\ hope\ to|\ wanna)\ (?:also\ |definitely[ ]
      |be\ )?(?!be\b|see|let\ you|keep\ (?:you|that|it)|check\ (?:it|that|them|those)|try\ (?:it|that)|definitely
      |make\ sure|look\ into|take\ (?:that|it)|give\ (?:it|that)|never|know|thank
      |ask)(?P<what2>[a-z]+\ [^.!;]{4,240})"""
)
_GERUND = re.compile(
    r"(?i)^(?:(?:yeah|oh|hey|so|also)[, ]+)*(?:been|just|recently|lately|finally|currently|gonna|got|had|went"
    r"|made|took|started|finished) (?!there\b|that\b|good|great|a while|a blast)(?P<what>[a-z]+ [^.!;]{6,200})"
)
_TIME = re.compile(
    r"""(?xi)\b(?:yesterday|today|tonight|tomorrow|last\ (?:night|week|weekend|month|year|summer|winter|spring|fall
      |\w+day)|next\ (?:week|weekend|month|year|\w+day)|this\ (?:week|weekend|month|morning|year)
      |\w+\ (?:days?|weeks?|months?|years?|hours?)\ (?:ago|from\ now|later)|(?:on|in|since|by|until)\ (?:january
      |february|march|april|may|june|july|august|september|october|november|december|\w+day|\d{4})|recently
      |\d{1,2}(?::\d\d)?\ ?(?:am|pm)|\d{1,2}(?:st|nd|rd|th))\b"""
)

NEEDS: Words = known(
    "i we i'm we're i'll we'll been just recently lately finally currently gonna got had went made took"
    " started finished"
)
"""Without one of these words there is nothing to find."""

# A wish of the moment ("I'm looking for a recipe") is worth keeping only if it holds something definite.
_MUSES = re.compile(r"(?i)\b(?:looking|trying|thinking|considering|excited)\b")
_BASE = 0.42
_RULES = (("did", _DID, _BASE + 0.05), ("will", _WILL, _BASE - 0.04), ("elliptic", _GERUND, _BASE))


def find(text: str) -> Found | None:
    """What happened to the speaker, or what they are about to do."""
    for rule, pattern, confidence in _RULES:
        if (match := first(pattern, text)) is not None:
            muses = rule == "will" and _MUSES.search(match[0])
            return Found(f"event:{rule}", Type.PROFILE, "event", confidence - 0.02 * bool(muses))
    return None


def has_time(text: str) -> bool:
    return bool(_TIME.search(text))
