"""Synthetic distributions, one a file."""

from rankexp.registry import exports

__getattr__, __dir__ = exports("generators")
