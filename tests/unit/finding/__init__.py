"""Finding: what a search promises, one subject a file."""
