"""What are the nouns? Frozen, validated, without I/O; each has one JSON form. Imported by all, imports nothing of ours
but the error family."""
