"""Taking in: what was captured is read, and what it says is proposed, matched, merged and promoted."""
