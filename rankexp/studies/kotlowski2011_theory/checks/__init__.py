"""Bounds on regrets, searched for their worst case and watched in training."""
