"""Best thresholds between levels, registered under the names of their ranking functions."""
