"""Claims tried out numerically, one a file."""

from rankexp.registry import exports

__getattr__, __dir__ = exports("checks")
