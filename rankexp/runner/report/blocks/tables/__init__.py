"""Blocks that are tables of what was measured."""
