"""Models with thresholds between ordered levels."""
