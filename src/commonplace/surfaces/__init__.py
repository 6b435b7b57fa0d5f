"""Which ways in are there? Each surface parses, calls and renders; all read the one table in `operations.py`."""
