"""How does a book lie in one file of lines? `memories.jsonl`, as agents with built-in memory keep it (G3)."""
