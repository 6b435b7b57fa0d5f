"""Everything that can happen to a process, a disk or a file, made to happen; then the book is opened and held to R1-R13.

Each harness is one loop that knows nothing of Commonplace, and each is pointed twice: at a book, where it must find
nothing, and at a store that is broken on purpose (`broken.py`), where it must find the damage. A zero counts only
because the second one fails.
"""
