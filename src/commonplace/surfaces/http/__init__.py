"""How do other programs come in? One process that all agents of a user share: REST on loopback and on a Unix socket.

`server.py` is the process, `app.py` the way of one request through it: who may come in at all (`checks.py`), who it is
(`tokens.py`), what they may (`rights.py`), what they ask (`requests.py`), which book answers (`books.py`), in which words
(`answers.py`). The routes are made from the table of operations.
"""
