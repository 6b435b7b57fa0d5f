"""What may a canon be asked to prove? Contract tests, small real fakes and strategies, shipped for whoever writes a canon.

`canon_contract.CanonContract` and `journal_contract.CatalogContract` are the promises; subclass, say how to open yours,
and run pytest. `wrappers` are canons around canons, `clocks` say what a test wants to hear, `makers` make small real
things, `state` compares books, and `strategies` (which needs Hypothesis) makes things nobody would think of.
"""
