"""How do candidates become fewer and truer? One step per file; each proposes, nothing here writes."""
