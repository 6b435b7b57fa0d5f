"""How do memories lie in a folder of Markdown notes that a person reads and edits too?"""
