"""Boosting of pairs and of ordered levels by stumps."""
