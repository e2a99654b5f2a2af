"""From records to numbers: the long frame, completeness, selection, statistics, verdicts."""
