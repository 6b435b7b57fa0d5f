"""How does a coding agent remember? Its hooks: small processes that it starts at a session's start, with each prompt, at the end.

A hook reads one JSON payload, answers with text for the agent's context, says one line on stderr, and ends with 0 whatever
happens: an agent must never stop because of its memory. `program.py` is where one begins, `hosts.py` who the agents are.
"""
