"""The catalog in SQLite, which for a `sqlite:` book is the canon as well."""
