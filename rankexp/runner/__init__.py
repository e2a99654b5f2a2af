"""The runner: what reads a study, runs its jobs, judges the results and writes the pages."""
