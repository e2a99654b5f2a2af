"""Bounds, boosting, and second stages of preferences tried out."""
