"""What somebody likes, wants every time, or never: `I prefer`, `my favourite`, `allergic to`, `from now on`.

Only a person's own words count in full. What an agent says of the user is a guess about somebody else. A bare
`always` or `never` may be meant for the moment only, so it is less sure (A80).
"""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found, Words, first, known, said
from commonplace.model.transcript import Role
from commonplace.model.words import Type

_ADVERB = (
    r"(?:really|strongly|generally|usually|always|definitely|absolutely|personally|also|still|just|much"
    r"|totally|particularly|actually|only|do|truly|especially)"
)
_VAGUE = (
    r"(?!(?:it|that|this|them|those|these|you|your|how|what|when|where|the\ idea|the\ sound|the\ way"
    r"|to\ (?:know|hear|see|think|say|ask|thank))\b)"
)
_LIKES = re.compile(
    rf"""(?xi)\bi(?:\ {_ADVERB}){{0,2}}\ (?P<verb>prefer|like|love|enjoy|adore|hate|dislike|detest|favou?r|avoid
      |(?:don't|do\ not|don’t|can't|cannot)\ (?:really\ )?(?:like|enjoy|eat|drink|stand|want|use|care\ for)
      |(?:would|'d|’d)\ (?:rather|prefer)|tend\ to|insist\ on|swear\ by)\ {_VAGUE}(?P<value>[^.!;]{{3,160}})"""
)
_WOULD = re.compile(r"(?i)\bi(?:'d|’d| would) (?:rather|prefer) (?!not to say)(?P<value>[^.!;]{3,160})")
_FAVOURITE = re.compile(
    r"""(?xi)\bmy\ (?:all[- ]time\ |absolute\ |personal\ |current\ |new\ |own\ )?(?P<what>(?:favou?rite|preferred
      |go-to|usual|ideal)\ ?[\w'’ -]{0,60}?)
      \ (?:is|are|was|has\ (?:always\ )?been|would\ be|must\ be|'s)\ (?!to\b)(?P<value>[^.!;]{2,160})
    | \b(?P<value2>[A-Z"“][^.!;]{2,80}?)\ (?:is|are|was)\ (?:definitely\ |probably[ ]
      |still\ )?(?:one\ of\ )?my\ (?:all[- ]time\ |absolute\ )?(?P<what2>(?:favou?rite|go-to)[\w'’ -]{0,60})"""
)
_HABIT = re.compile(
    r"(?i)\bi (?P<how>always|never|usually|only|typically|normally|mostly|often) (?!be\b|thought|knew|wanted"
    r"|imagined|expected|realized|heard|felt)(?P<value>[a-z'’]+ [^.!;]{2,160})"
)
_FAN = re.compile(
    rf"""(?xi)\b(?:i'm|i’m|i\ am|i've\ (?:always\ )?been|i\ have\ (?:always\ )?been)(?:\ {_ADVERB}|\ not|\ a\ bit
      |\ pretty|\ quite|\ so|\ very|\ super)*[ ]
      (?:(?:a\ )?(?:big\ |huge\ |massive\ )?(?:fan|lover)\ of|into|fond\ of|partial\ to|obsessed\ with
      |passionate\ about|keen\ on|hooked\ on|addicted\ to
      |interested\ in(?!\ (?:learning|knowing|finding|hearing|seeing|trying|exploring|getting))|drawn\ to
      |allergic\ to|intolerant\ of|(?:a\ )?(?:vegetarian|vegan|pescatarian)|(?:lactose|gluten)[- ]intolerant
      |enjoying|loving)(?!\ (?:it|that|this|them|you)\b)(?P<value>[^.!;]{{0,160}})"""
)
_ALWAYS = re.compile(
    r"(?i)^(?:(?:please|and|also|so|but|ok|okay)[, ]+)*(?P<value>(?:always|never|do not ever|don't ever) "
    r"(?!mind\b|know|thought|been|have|had|gonna|a\b|the\b|in\b|here|there|up\b|ready|happy|good|great|nice"
    r"|fun|so\b|too\b|more|love|remember|fail|cease|get old|gets|underestimate|\w+ing\b"
    r"|\w+ed\b)[a-z]+ [^.!]{3,200})"
)
_FROM_NOW = re.compile(
    r"(?i)\b(?:from now on|going forward|in (?:the )?future|whenever i (?:ask|say|mention|request)"
    r"|every time i (?:ask|say|mention)|by default)\b,? (?!i'll|i will|i hope|i want to|i'd)"
    r"(?P<value>[^.!]{4,200})"
)
_WANT_YOU = re.compile(
    r"(?i)\bi (?:want|need|would like|'d like|expect) you to (?P<value>(?:always|never|only|stop|keep|use"
    r"|avoid)\b[^.!]{3,200})"
)
_CALL = re.compile(
    r"(?i)\b(?:please )?call me (?!back|when|if|later|crazy|at\b|on\b|a\b|an\b|to\b)(?P<value>[A-Z][\w-]+)"
    r"|\bi go by (?P<value2>[A-Z][\w-]+)|\bmy pronouns are (?P<value3>[\w/]+)"
)
_OF_USER = re.compile(
    r"(?i)\b(?:the user (?:strongly |really |generally )?(?P<verb>prefers|likes|wants|hates|dislikes|always"
    r"|never|avoids)|you (?:strongly |really |generally |always )?(?:prefer|dislike|hate)) "
    r"(?P<value>[^.!;]{3,160})"
)

NEEDS: Words = known("i i'm i've i'd my always never from going future whenever every default call user you")
"""Without one of these words there is nothing to find."""

_OWN = (
    ("favourite", _FAVOURITE, 0.85),
    ("call-me", _CALL, 0.85),
    ("from-now-on", _FROM_NOW, 0.85),
    ("want-you-to", _WANT_YOU, 0.8),
    ("fan", _FAN, 0.7),
    ("likes", _LIKES, 0.75),
    ("would-rather", _WOULD, 0.65),
    ("habit", _HABIT, 0.65),
    ("always", _ALWAYS, 0.6),
)


def find(text: str, role: Role) -> Found | None:
    """The preference that a sentence states."""
    if role is not Role.PERSON:
        return _of_user(text)
    for rule, pattern, confidence in _OWN:
        if (match := first(pattern, text)) is not None:
            return _found(rule, match, confidence)
    return None


def _found(rule: str, match: re.Match[str], confidence: float) -> Found:
    what = said(match, "what", "what2")
    subject = f"{{who}}'s {what}" if what else "how {who} is called" if rule == "call-me" else None
    kind = "instruction" if rule in ("always", "from-now-on", "want-you-to") else "preference"
    return Found(
        f"preference:{rule}",
        Type.PROFILE,
        kind,
        confidence,
        subject=subject,
        value=said(match, "value", "value2", "value3"),
    )


def _of_user(text: str) -> Found | None:
    match = first(_OF_USER, text)
    if match is None:
        return None
    return Found("preference:of-user", Type.PROFILE, "preference", 0.6, value=said(match, "value"))
