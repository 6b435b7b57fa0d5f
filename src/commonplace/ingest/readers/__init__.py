"""Which formats do people have? One reader for each: raw material in, a transcript out, or None when it is not theirs."""
