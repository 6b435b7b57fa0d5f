"""How does a program of agent calls run? The VVM language: read, check, then evaluate on the `Agent` surface.

`tokens` → `parser` → `check` → `run`. What is wrong in a text is collected with its code and place; nothing of a program
with an error is run. Agents, their memory and their locks belong to `surfaces/agent`; here is only the language.
"""
