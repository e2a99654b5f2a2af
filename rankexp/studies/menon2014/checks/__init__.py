"""Propriety of losses, and scorers that minimise several risks."""
