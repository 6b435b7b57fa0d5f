"""How does what was captured become memories? It is read; what it says is proposed, matched, merged and promoted."""
