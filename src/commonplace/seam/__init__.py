"""What is promised between the verbs and what stands behind them? Promises only; no code that does anything."""
