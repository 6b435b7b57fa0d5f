"""How does an agent remember from one call to the next? A digest and a ledger in a folder, and one call that uses them."""
