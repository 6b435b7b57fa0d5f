"""How does a question become ranked memories?"""
