"""How does a book lie in files? What all formats share is here; each format has a folder of its own."""
