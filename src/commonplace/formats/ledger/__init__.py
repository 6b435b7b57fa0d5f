"""How do a digest and a ledger hold memories? `digest.md` is one, each retained item of `ledger.jsonl` is one."""
