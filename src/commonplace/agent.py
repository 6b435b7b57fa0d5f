"""Agents that remember: the digest and ledger design as a library. The parts are in `commonplace.surfaces.agent`.

from commonplace.agent import Agent, ErrorValue, pmap
"""

from __future__ import annotations

from commonplace.engine.retain import Limits
from commonplace.surfaces.agent.agent import Agent
from commonplace.surfaces.agent.host import Host, Notice
from commonplace.surfaces.agent.pmap import pmap
from commonplace.surfaces.agent.values import NOTHING, ErrorValue

__all__ = ["NOTHING", "Agent", "ErrorValue", "Host", "Limits", "Notice", "pmap"]
