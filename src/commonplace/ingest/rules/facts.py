"""Facts with a subject and a value: `the API port is 8080`, `my birthday is …`, `I live in …`, `Bob works at …`.

`The X is Y` is how English says almost anything. It counts when X is something one looks up, or Y something one could
get wrong: a number, a name, a path, a date.
"""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found, Words, first, known, said
from commonplace.model.transcript import Role
from commonplace.model.words import Type

_THING = (
    "port|server|host|database|db|branch|version|endpoint|url|domain|bucket|region|cluster|queue|schema"
    "|table|repo|repository|staging|production"
    "|prod|ci|pipeline|build|deadline|budget|owner|maintainer|contact|license|licence|timeout|limit|path"
    "|folder|directory|config|default|release"
    "|api|service|backend|frontend|container|image|registry|namespace|runbook|dashboard|on-call"
    "|environment|account|meeting|standup|launch|client|team|office"
)
_CONCRETE = re.compile(r"\d|`|https?://|[A-Z][a-z]+|[A-Z]{2,}|/\w|\w[_.]\w|\"|“|@")
_IS = (
    r"(?:is|are|was|were|runs?\ (?:on|in|at|under|as)|lives?\ (?:in|at|on)|listens?\ on|points?\ (?:to"
    r"|at)|is\ (?:called|named|located|hosted|owned|stored|kept)|costs?|takes?|uses?|moved\ to"
    r"|defaults?\ to|belongs?\ to|sits?\ (?:in|on)|expires?|starts?|ends?|opens?|closes?)"
)
_OF_PROJECT = re.compile(
    rf"(?xi)^(?:(?:also|so|and|btw|note|fyi|now|currently)[,:\ ]+)*(?P<what>(?:(?:our|the|this)\ )?"
    rf"(?:[\w.`'’/-]+\ ){{0,4}}?(?:{_THING})(?:\ (?:of|for|in|on)\ [\w.`'’/ -]{{2,40}}?)?)\ (?:now\ "
    rf"|currently\ |always\ |still\ )?(?P<is>{_IS})\ (?P<value>[^!;]{{1,200}})"
)
_MY = re.compile(
    r"""(?xi)\bmy\ (?!(?:point|guess|question|problem|concern|understanding|apolog\w+|pleasure|heart|mind|thoughts?
      |hope|goal\ here|favou?rite|bad|issue|turn|opinion|advice)\b)
      (?P<what>(?:(?!(?:and|or|but|to|with|for|that|which|so|because|when|while|as|who|by|from
      |than)\ )\w[\w'’-]*\ ){0,3}?(?!(?:and|who|that|which|it)\ )\w[\w'’-]*)\ (?P<is>is|are|was|were|'s|has|have|had
      |lives?|works?|loves?|likes?|got|just|runs?|costs?|turned|turns|used\ to|passed|moved|started|gave|told|came
      |bought|made|took|invited|said)\ (?P<value>[^!;]{2,200})"""
)
_WITH_MY = re.compile(
    r"(?i)\b(?:with|for|from|to|at|of|by) my (?P<what>(?:new |old |best |own |\w+ )?(?:wife|husband|partner"
    r"|girlfriend|boyfriend|fianc[eé]e?|mom|mum|mother|dad|father|sister|brother|son|daughter|kids?|children"
    r"|cousin|aunt|uncle|niece|nephew|grandma|grandmother|grandpa|grandfather|friend|friends|family|roommate"
    r"|colleague|coworker|boss|neighbou?r|dog|cat|pet|teacher|coach|therapist|doctor|team|class|group))\b"
)
_BE = r"(?:i'm|i’m|i\ am)"
_AM = re.compile(
    rf"""(?xi)\b{_BE}\ (?:(?:currently|now|still|actually|also|originally|about\ to\ be|already|not)\ ){{0,2}}(?P<value>
      an?\ (?!bit\b|little\b|lot\b|huge\ fan|big\ fan|fan\b|few\b)[\w-]+[^.!;]{{0,160}}
      | from\ [A-Z][^.!;]{{1,100}} | \d{{1,3}}(?:\ years\ old|\b)[^.!;]{{0,60}}
      | (?:married|engaged|divorced|single|pregnant|retired|based|located|living|working|studying|learning|training
      |writing|reading|building|running|taking|teaching|volunteering
         |playing|using|managing|leading|saving|renting|recovering|dating|raising|doing|having|getting|starting
      |planning|preparing|going|hosting|organi[sz]ing|collecting|watching|making|attending|flying|visiting|driving
      |in\ (?:my|the|a|charge)|on\ (?:my|the|a|page)|at\ (?:my|the|a))\b[^.!;]{{3,200}})"""
)
_DO = re.compile(
    r"""(?xi)\bi\ (?:(?:currently|now|still|also|usually|already|just|actually|only|even|both|recently|typically
      |normally|finally)\ ){0,2}(?P<verb>live|work|own|have|drive|study|teach|manage|lead|run|speak|play|wear|weigh
      |graduate|collect|volunteer|rent
      |use|wake\ up|go\ to\ bed|commute|subscribe|belong|earn|pay|attend|take|keep|maintain|coach|practi[cs]e|grow
      |raise|follow|spend|need|get\ up|do|make|participate|train|exercise|listen|watch|read|write|cook|bake)[ ]
      (?!to\b|been\b|no\ (?:idea|doubt|clue)|a\ (?:question|problem|feeling|few\ (?:more\ )?questions|lot\b|look
      |quick|chance)|any\b|some\ questions|you\b|your\b|not\b|it\b|that\b|this\b|them\b|so\b|know
      |think)(?P<value>[^.!;]{2,200})"""
)
_BEEN = re.compile(
    r"""(?xi)\bi(?:'ve|’ve|\ have)\ (?:(?:also|just|recently|always|actually|only|already|never|still|even|really
      |finally|long|personally)\ ){0,2}(?!been\ (?:good|great|fine|well|okay|there)\b|no\b|any\b|heard|noticed
      |thought|wondered|decided|got\ to|never)
      (?P<value>(?:been\ [\w'’-]+|[a-z]+(?:ed|en|wn|ne)|had|got|made|read|run|won|met|lost|built|bought|found|set
      |put|left|kept|spent|taught|done|gone|seen|sold|held|begun|come|become)\b[^.!;]{3,200})"""
)
_THIRD = re.compile(
    r"(?:^|[,;] )(?P<what>[A-Z][a-zé]+(?: [A-Z][a-zé]+)?) (?P<is>lives in|lives at|works at|works for|works as"
    r"|is from|is my|is our|is the|is an?|was born|moved to|owns|studies|is allergic to|is responsible for"
    r"|maintains|prefers|leads|manages|is on call|is called|runs on|is due|has) (?P<value>[^!;]{2,160})"
)
_MULLING = re.compile(r"(?i)been (?:thinking|trying|wanting|meaning|looking|considering|wondering|feeling)\b")
_NOT_A_NAME = known(
    "The This That These Those It He She They We You I There Here What Who Which My Our Your His Her"
    " Their Its If When While And But So Yes No One Everything Something Nothing Someone Everyone Life"
    " Nature Today Tomorrow Yesterday Yeah Wow Thanks"
)
_HOME = {
    "live": "where {who} lives",
    "work": "where {who} works",
    "speak": "which languages {who} speaks",
    "drive": "what {who} drives",
}


_THINGS: Words = frozenset(_THING.split("|"))
_OWN_WORDS: Words = frozenset(("i", "i'm", "i've", "my"))
_STATES: Words = known("lives works is was moved owns studies maintains prefers leads manages runs has")


def find(text: str, role: Role, words: Words) -> Found | None:
    """The fact that a sentence states: of the project, of the speaker, of somebody named."""
    if words & _THINGS and (match := _OF_PROJECT.match(text)) and _CONCRETE.search(match["value"]):
        return _of_project(match)
    if role is Role.AGENT:
        return None
    if words & _STATES and (match := first(_THIRD, text)) and match["what"].split()[0] not in _NOT_A_NAME:
        return Found(
            "fact:of-a-name",
            Type.PROJECT,
            "fact",
            0.5,
            subject=f"{match['what']} {match['is']}",
            value=said(match, "value"),
        )
    return _of_speaker(text) if role is Role.PERSON and words & _OWN_WORDS else None


def _of_project(match: re.Match[str]) -> Found:
    subject = re.sub("^(?:The|Our|This) ", lambda word: word[0].lower(), match["what"].strip())
    return Found(
        "fact:of-project", Type.PROJECT, "fact", 0.7, subject=subject, value=said(match, "value"), of_project=True
    )


def _of_speaker(text: str) -> Found | None:
    if match := first(_MY, text):
        sure = match["is"].lower() in ("is", "are", "was", "were", "'s")
        return _own("my", 0.65 if sure else 0.55, match, f"{{who}}'s {match['what']}" if sure else None)
    if match := first(_AM, text):
        return _own("i-am", 0.55, match)
    if match := first(_DO, text):
        return _own("i-do", 0.55, match, _HOME.get(match["verb"].lower()))
    if match := first(_BEEN, text):
        return _own("i-have", 0.48 if _MULLING.match(match["value"]) else 0.55, match)
    if match := first(_WITH_MY, text):
        return _own("with-my", 0.45, match)
    return None


def _own(rule: str, confidence: float, match: re.Match[str], subject: str | None = None) -> Found:
    return Found(f"fact:{rule}", Type.PROFILE, "fact", confidence, subject=subject, value=said(match, "value"))
