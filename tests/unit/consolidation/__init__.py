"""Consolidation: candidates become fewer and truer, and nothing is lost on the way."""
