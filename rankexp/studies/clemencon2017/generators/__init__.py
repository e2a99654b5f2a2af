"""Synthetic distributions of a continuous target."""
