"""How does a person look into a book? With a browser: pages without data, from the daemon, that ask `/v1` like any client."""
