"""Blocks that compare methods by statistics."""
