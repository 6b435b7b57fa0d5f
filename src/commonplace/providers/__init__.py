"""Who turns text into vectors and scores? Models on this machine and servers elsewhere; heavy imports stay inside."""
