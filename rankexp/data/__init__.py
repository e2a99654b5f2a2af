"""Real data: where it comes from, what was declared of it, its preprocessing and its splits."""
