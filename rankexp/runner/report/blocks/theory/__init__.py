"""Blocks that set what was measured beside what theory says."""
