"""Best thresholds between levels that this study alone compares with."""
