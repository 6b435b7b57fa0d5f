"""How does an agent get memory as built-in tools? Three of them, and what it is reminded of before it begins to think."""
