"""Commonplace: durable, local-first, evidence-backed memory for AI agents and the people who work with them."""
