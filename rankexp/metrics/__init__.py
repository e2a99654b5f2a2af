"""Measures of a ranking, one family a file."""

from rankexp.registry import exports

__getattr__, __dir__ = exports("metrics")
