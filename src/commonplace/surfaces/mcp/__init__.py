"""How does an agent that speaks MCP use a book? Four tools, a few resources and two prompts, over stdio or HTTP.

Without an MCP library: what is needed of the protocol is JSON-RPC with a dozen methods (docs/adr/0026).
"""
