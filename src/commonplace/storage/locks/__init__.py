"""Who holds it? Two ways to decide that among processes which may die, sleep or be slow at any moment."""
