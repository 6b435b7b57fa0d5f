"""A template becomes a prompt: `{}` is the input, `{name}` a binding, `{{` and `}}` are braces (V52, V56).

A backquote is written with a backslash before it, and that is the only escape: every other backslash stands for itself.
Whatever else has a single brace is a mistake and raises; the model is not asked then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from commonplace.errors import InvalidError
from commonplace.surfaces.agent.values import NOTHING

_PIECE = re.compile(r"\{\{|\}\}|\\`|\{([A-Za-z_]\w*)?\}|[{}]")
_PLAIN = {"{{": "{", "}}": "}", "\\`": "`"}
# A text up to here is handed over as it is; up to the second limit in parts; beyond it only what matters most (V56).
_VERBATIM, _SUMMARISED = 2_000, 8_000


def render(template: str, input: object = NOTHING, bindings: Mapping[str, object] | None = None) -> str:
    """The template with its places filled in. `template` is what stands between the backquotes, as it stands there.

    Raises `InvalidError`: code `E051` for a name that nothing is bound to, `E052` for a brace that stands alone.
    """

    def fill(match: re.Match[str]) -> str:
        piece = match[0]
        if piece in _PLAIN:
            return _PLAIN[piece]
        if piece in ("{", "}"):
            raise _lone_brace(template, match.start())
        if match[1] is None:
            return shown(_given(input))
        if match[1] not in (bindings or {}):
            raise _unbound(match[1])
        return shown((bindings or {})[match[1]])

    return _PIECE.sub(fill, template)


def with_input(rendered: str, input: object) -> str:
    """The prompt for a model that takes text only: the input stands below it, unless there is none (V56)."""
    if input is NOTHING or input == ():
        return rendered
    return f"{rendered}\n\nInput:\n---\n{summarised(input)}\n---"


def shown(value: object) -> str:
    """A value as text: text as it is, everything else JSON-like with its keys in order."""
    if isinstance(value, str):
        return value
    if value is None or value == ():
        return ""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, default=str)


def summarised(value: object) -> str:
    """The value as text, shortened by rule where it is long: nobody is asked to summarise it."""
    text = shown(value)
    if len(text) < _VERBATIM:
        return text
    if len(text) <= _SUMMARISED:
        return _ends(text, 1_400, 500)
    return _essentials(_plain(value), len(text))


def _essentials(value: Any, chars: int) -> str:
    if isinstance(value, dict):
        lines = [f"{key}: {_ends(shown(value[key]), 120, 40)}" for key in sorted(value)[:20]]
    elif isinstance(value, list):
        lines = [f"- {_ends(shown(item), 120, 40)}" for item in value[:10]]
    else:
        return _ends(shown(value), 900, 300)
    more = len(value) - len(lines)
    return "\n".join([f"[the essentials of {chars} characters]", *lines, *([f"[… {more} more]"] if more else [])])


def _ends(text: str, head: int, tail: int) -> str:
    left = len(text) - head - tail
    return text if left <= 0 else f"{text[:head]}\n[… {left} characters left out …]\n{text[-tail:]}"


def _plain(value: object) -> Any:
    """Values of our own as the JSON they have."""
    to_dict = getattr(value, "to_dict", None)
    if callable(to_dict):
        return to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple, set, frozenset)) else value


def _given(input: object) -> object:
    if input is NOTHING:
        hint = "Give one behind the template, or () for an empty one."
        raise InvalidError("the template asks for an input, and there is none", where="{}", hint=hint, code="E051")
    return input


def _unbound(name: str) -> InvalidError:
    hint = f'Give it: bindings={{"{name}": …}}. A brace that is meant as one is written twice.'
    return InvalidError(f"nothing is bound to {{{name}}}", where=name, hint=hint, code="E051")


def _lone_brace(template: str, at: int) -> InvalidError:
    line = template.count("\n", 0, at) + 1
    return InvalidError(
        f"a single brace stands in line {line} of the template, character {at}",
        hint="Write {{ or }} for a brace, {} for the input, {name} for a binding.",
        code="E052",
    )
