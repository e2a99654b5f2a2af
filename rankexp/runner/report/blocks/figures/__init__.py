"""Blocks that draw what was measured."""
