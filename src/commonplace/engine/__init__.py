"""What can be done with a book? The verbs, one file each; `book.py` only assembles them."""
