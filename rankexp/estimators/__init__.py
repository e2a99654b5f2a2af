"""Rankers as scikit-learn estimators, one family a file."""

from rankexp.registry import exports

__getattr__, __dir__ = exports("estimators")
