"""Models whose K - 1 thresholds cut scores into K ordered levels."""
