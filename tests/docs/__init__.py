"""Is the documentation true? Its examples run, its links resolve, and nothing that exists is left undescribed."""
