"""What is the queryable form of a book? Tables, full text, vectors, links, the queue and the journal."""
