"""Best thresholds between levels, under the name of the ranking function that they go with."""
