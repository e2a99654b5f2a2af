"""Regrets on known distributions, and the bounds of section 3 and 4."""
