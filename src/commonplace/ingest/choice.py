"""Which extractor reads what is captured? Asked of the settings, never of the network.

`$COMMONPLACE_EXTRACTOR`, else the config file's `[extractor]`, else `rules`. A name or an address that cannot be meant is an
error, not a demotion.

    [extractor]
    use = "http://localhost:11434/v1"   # or rules, none
    model = "qwen3:8b"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commonplace.errors import InvalidError

if TYPE_CHECKING:
    from commonplace.model.proposal import Proposal
    from commonplace.model.transcript import Transcript
    from commonplace.seam.extractor import Extractor


class NoExtractor:
    """Sources are kept, and nothing is proposed of what they say."""

    name = "none"

    def proposals(self, transcript: Transcript) -> tuple[Proposal, ...]:  # noqa: ARG002 (part of the promise)
        return ()


def choose_extractor(config: Mapping[str, Any], named: str | None = None) -> Extractor | None:
    """The extractor that the caller names or the settings ask for; None if sources are only to be kept."""
    asked = _asked(config, named)
    use = asked["use"]
    if use == "none":
        return None
    if use.startswith(("http:", "https:")):
        return _model(asked)
    if use != "rules":
        raise InvalidError(
            "[extractor] use: this is not an extractor", where="extractor", hint="Use rules, none, or an address."
        )
    from commonplace.ingest.rules.extractor import MOST, RuleExtractor

    return RuleExtractor(_most(asked, MOST))


def _asked(config: Mapping[str, Any], named: str | None) -> dict[str, Any]:
    """What the caller names, else the environment, else the table. Never mixed: a key must not go to another address."""
    wanted = named or os.environ.get("COMMONPLACE_EXTRACTOR") or config.get("extractor") or "rules"
    asked: dict[str, Any] = {"use": "rules", **wanted} if isinstance(wanted, Mapping) else {"use": wanted}
    if not isinstance(asked["use"], str):
        raise InvalidError("[extractor] use: this is not a name or an address", where="extractor")
    return asked


def _most(asked: Mapping[str, Any], otherwise: int) -> int:
    if others := sorted(asked.keys() - {"use", "most"}):
        raise InvalidError(
            f"[extractor] does not take: {', '.join(others)}",
            where="extractor",
            hint="These are for an http(s) address in `use`.",
        )
    most = asked.get("most", otherwise)
    if type(most) is not int or most < 1:
        raise InvalidError("[extractor] most: this is not a number of proposals", where="extractor")
    return most


def _model(asked: Mapping[str, Any]) -> Extractor:
    from commonplace.ingest.llm import LlmExtractor
    from commonplace.providers.chat import ChatModel, chat_settings

    said = chat_settings(asked)
    return LlmExtractor(ChatModel(said), max_chars=said.max_chars, most=said.most, timeout=said.timeout)
