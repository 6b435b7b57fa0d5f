"""Is what lies below every file canon sound: writes, appends, swaps, locks, names?"""
