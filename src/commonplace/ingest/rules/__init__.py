"""Rules that find statements worth proposing: no model, no network, the same answer every time. One family per file."""
